"""Signatures for AWS are those that its own test suite states.

The figures are of the Signature Version 4 Test Suite that AWS published with its
General Reference, now in awslabs/aws-c-auth, tests/aws-signing-test-suite/v4. They sign
only ``host``, ``x-amz-date`` and what a row names; we sign the hash of the body too, so
that is left out here. Not held is the row for runs of spaces within quotes, which the
library keeps: we sign no header that has them.
"""

from datetime import UTC, datetime

import pytest
import requests
from requests_aws4auth import AWS4Auth

from runner.endpoints._auth import Signature
from runner.http_client.client import prepared
from runner.spec import AwsSigV4
from runner.templating import by_path

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
SCOPE = ("us-east-1", "service")
URL = "https://example.amazonaws.com"
NOON = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
LETTERS = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKEN = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"  # noqa: S105
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SUITE = {
    "get-vanilla": ("GET", "/", {}, b""),
    "get-vanilla-query-order-key-case": (
        "GET",
        "/?Param2=value2&Param1=value1",
        {},
        b"",
    ),
    "get-vanilla-query-order-value": ("GET", "/?Param1=value2&Param1=value1", {}, b""),
    "get-vanilla-query-order-key": ("GET", "/?Param1=value2&Param1=Value1", {}, b""),
    "get-vanilla-empty-query-key": ("GET", "/?Param1=value1", {}, b""),
    "get-vanilla-query-unreserved": ("GET", f"/?{LETTERS}={LETTERS}", {}, b""),
    "get-unreserved": ("GET", f"/{LETTERS}", {}, b""),
    "get-vanilla-utf8-query": ("GET", "/?\u1234=bar", {}, b""),
    "get-slashes": ("GET", "//example//", {}, b""),
    "post-vanilla": ("POST", "/", {}, b""),
    "post-vanilla-query": ("POST", "/?Param1=value1", {}, b""),
    "post-header-key-sort": ("POST", "/", {"My-Header1": "value1"}, b""),
    "post-header-value-case": ("POST", "/", {"My-Header1": "VALUE1"}, b""),
    "post-x-www-form-urlencoded": ("POST", "/", FORM, b"Param1=value1"),
}
SIGNATURES = {
    "get-vanilla": "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    "get-vanilla-query-order-key-case": "b97d918cfa904a5beff61c982a1b6f45"
    "8b799221646efd99d3219ec94cdf2500",
    "get-vanilla-query-order-value": "5772eed61e12b33fae39ee5e7012498b"
    "51d56abc0abb7c60486157bd471c4694",
    "get-vanilla-query-order-key": "eedbc4e291e521cf13422ffca22be7d2"
    "eb8146eecf653089df300a15b2382bd1",
    "get-vanilla-empty-query-key": "a67d582fa61cc504c4bae71f336f98b9"
    "7f1ea3c7a6bfe1b6e45aec72011b9aeb",
    "get-vanilla-query-unreserved": "9c3e54bfcdf0b19771a7f523ee5669cd"
    "f59bc7cc0884027167c21bb143a40197",
    "get-unreserved": "07ef7494c76fa4850883e2b006601f94"
    "0f8a34d404d0cfa977f52a65bbf5f24f",
    "get-vanilla-utf8-query": "2cdec8eed098649ff3a119c94853b13c"
    "643bcf08f8b0a1d91e12c9027818dd04",
    "get-slashes": "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    "post-vanilla": "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    "post-vanilla-query": "28038455d6de14eafc1f9222cf5aa6f1"
    "a96197d7deb8263271d420d138af7f11",
    "post-header-key-sort": "c5410059b04c1ee005303aed430f6e66"
    "45f61f4dc9e1461ec8f8916fdf18852c",
    "post-header-value-case": "cdbc9802e29d2942e5e10b5bccfdd67c"
    "5f22c7c4e8ae67b53629efa58b974b7d",
    "post-x-www-form-urlencoded": "ff11897932ad3f4e8b18135d722051e5"
    "ac45fc38421b1da7b9d196a0fe09473a",
}


@pytest.mark.parametrize("name", SUITE)
def test_the_signer_agrees_with_the_suite(name):
    method, path, headers, body = SUITE[name]
    names = ["host", "x-amz-date", *map(str.lower, headers)]
    signed = by_the_library(method, path, headers, body, names)

    assert signed.endswith(f", Signature={SIGNATURES[name]}")


def by_the_library(method, path, headers, body, names, **more):
    request = requests.PreparedRequest()
    request.method, request.url, request.body = method, URL + path, body
    request.headers = {"x-amz-date": "20150830T123600Z", **headers}
    AWS4Auth(*KEYS, *SCOPE, include_hdrs=names, **more)(request)
    return request.headers["Authorization"]


def test_the_signer_agrees_on_temporary_keys():
    names = ["host", "x-amz-date", "x-amz-security-token"]
    signed = by_the_library("GET", "/", {}, b"", names, session_token=TOKEN)

    assert signed == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/"
        "aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature="
        "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"
    )


@pytest.mark.parametrize("token", [None, "", TOKEN])
def test_a_request_is_signed_whole_at_the_time_at_which_it_is_sent(token):
    region, service = SCOPE
    keys = AwsSigV4(
        region=region,
        service=service,
        access_key_id=KEYS[0],
        secret_access_key=KEYS[1],
        session_token=token,
    )
    body = '{"q": "退货"}'.encode()
    sent = prepared("POST", f"{URL}/a%20b?x=1", {"Content-Type": "json"}, body)

    signed = Signature(keys, by_path("auth"), lambda: NOON).ready()(sent)

    names = ["host", "content-type", "x-amz-date", "x-amz-content-sha256"]
    names += ["x-amz-security-token"] if token else []
    lines = {"Content-Type": "json"}
    again = by_the_library(
        "POST", "/a%20b?x=1", lines, body, names, session_token=token
    )
    assert signed.headers["Authorization"] == again
    assert f"SignedHeaders={';'.join(sorted(names))}, " in again
    assert signed.headers["X-Amz-Date"] == "20150830T123600Z"
    assert signed.headers.get("X-Amz-Security-Token") == (token or None)
    assert "Authorization" not in sent.headers
