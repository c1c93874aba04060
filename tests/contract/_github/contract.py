"""What GitHub says of its API and events, for holding requests and replies to it."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from jsonschema import Draft7Validator
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

HERE = Path(__file__).parent
HOST = "http://api.example.org"
_REF = re.compile(r"(/git/refs?/)(.+)")
"""The name of a reference has slashes, which are told apart from those of a path."""
EVERYWHERE = {401, 403, 404, 429, 500, 502, 503, 504}
"""Statuses that GitHub gives anywhere, whatever the description of a call says."""


class Sent(NamedTuple):
    """A request as it came over the wire."""

    method: str
    path: str
    query: dict
    headers: dict
    body: bytes


@cache
def read(name):
    return json.loads(gzip.decompress((HERE / f"{name}.json.gz").read_bytes()))


def example(name):
    """Give a copy of an example in the description of the API."""
    found = read("api")["components"]["examples"][name]["value"]
    return json.loads(json.dumps(found))


def payload(name):
    """Give a copy of a payload that GitHub sent for an event."""
    return json.loads(json.dumps(read("payloads")[name]))


def event_faults(kind, event):
    """Give what is wrong with a payload, by the schema of ``event$action``."""
    schema = {**read("events"), "$ref": f"#/definitions/{kind}"}
    return [error.message for error in Draft7Validator(schema).iter_errors(event)]


@cache
def _api():
    return OpenAPI.from_dict(read("api"), config=Config())


def request_faults(sent):
    """Give what is wrong with a request, by the description of the API."""
    return _faults(lambda: _api().validate_request(_request(sent)))


def reply_faults(sent, status, data, headers):
    """Give what is wrong with a reply to a request, by the description of the API.

    A refusal that may come anywhere must at least say something.
    """
    body = b"" if data is None else json.dumps(data).encode()
    if status in EVERYWHERE:
        said = isinstance(data, dict) and isinstance(data.get("message"), str)
        return [] if said else ["a refusal without a message"]
    response = MockResponse(body, status, dict(headers), "application/json")
    return _faults(lambda: _api().validate_response(_request(sent), response))


def _request(sent):
    return MockRequest(
        HOST,
        sent.method.lower(),
        _REF.sub(lambda found: found[1] + quote(found[2], safe=""), sent.path),
        args=sent.query,
        headers=sent.headers,
        data=sent.body or None,
        content_type=sent.headers.get("Content-Type", "").partition(";")[0],
    )


def _faults(check):
    try:
        check()
    except OpenAPIError as error:
        cause = error.__cause__
        told = getattr(cause, "schema_errors", None) or [cause or error]
        return [f"{type(error).__name__}: {each}".partition("\n")[0] for each in told]
    return []
