"""Secrets are gone from text, in every spelling."""

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.redact import Redactor

PHRASE = 'p/s+w "ö" 100%?'


@pytest.mark.parametrize(
    "spelled",
    [
        PHRASE,
        json.dumps(PHRASE)[1:-1],
        json.dumps(PHRASE, ensure_ascii=False)[1:-1],
        quote(PHRASE),
        quote(PHRASE, safe=""),
        quote_plus(PHRASE),
        "p%2fs%2bw%20%22%c3%b6%22%20100%25%3f",
    ],
)
def test_a_secret_is_masked_however_it_is_spelled(spelled):
    redacted = Redactor([PHRASE]).text(f"at {spelled}, and again: {spelled}.")

    assert redacted in (
        "at ***, and again: ***.",
        f"at {spelled}, and again: {spelled}.",
    )
    assert ("100" in redacted, "s+w" in redacted) == (False, False)


@given(st.binary(max_size=7), st.text(min_size=8, max_size=30), st.binary(max_size=7))
def test_a_secret_is_masked_within_base64(before, secret, after):
    secret = secret.encode(errors="replace").decode()
    redact = Redactor([secret]).text
    for encode in (b64encode, urlsafe_b64encode):
        whole = encode(before + secret.encode() + after).decode()

        assert "***" in redact(whole)


def test_longer_secrets_go_first():
    redact = Redactor(["secret", "secret-and-more"]).text

    assert redact("secret-and-more, secret") == "***, ***"


@pytest.mark.parametrize("secrets", [[], [""], ["short"], ["a", "12345"]])
def test_short_secrets_leave_text_alone(secrets):
    assert Redactor(secrets).text("a short text, 12345") == "a short text, 12345"
