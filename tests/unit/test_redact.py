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
        "p/s+w &quot;ö&quot; 100%?",
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the key is hunter2-ab...", "the key is ***..."),
        ("the key is hunter2-ab… (9 characters more)", "the key is ***… (9"),
        ("hunter…, hunter2-abcd, hunter2-abc...", "***…, ***, ***..."),
        ("hunter2%3Dab...", "hunter2%3Dab..."),
        ("a hunter, hunte...", "a hunter, hunte..."),
        ("hunter2-ab", "hunter2-ab"),
        ("hunterhunter2...", "hunter***..."),
    ],
)
def test_a_secret_that_was_cut_is_masked(text, expected):
    assert Redactor(["hunter2-abcd"]).text(text).startswith(expected)


@pytest.mark.parametrize(
    "echoed",
    [
        "-----BEGIN-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n",
        "-----BEGIN----- MIIEvQIBADAN BgkqhkiG9w0B",
        "-----BEGIN-----\\nMIIEvQIBADAN\\nBgkqhkiG9w0B\\n",
        "only the line BgkqhkiG9w0B",
    ],
)
def test_every_line_of_a_secret_is_one(echoed):
    redact = Redactor(["-----BEGIN-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n"]).text

    assert "BgkqhkiG9w0B" not in redact(echoed)
    assert "MIIEvQIBADAN" not in redact(echoed)


def test_a_secret_that_is_learnt_is_masked_from_then_on():
    redactor = Redactor(["s3cret-first"])
    text = redactor.text

    redactor.learn("s3cret-second")

    assert text("s3cret-first, s3cret-second, s3cret-sec...") == "***, ***, ***..."
