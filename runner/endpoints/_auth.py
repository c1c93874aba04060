"""Authenticates requests: an AWS signature, or a bearer token that is renewed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import requests
from requests.structures import CaseInsensitiveDict
from requests_aws4auth import AWS4Auth

from runner.endpoints._program import Exit, Program
from runner.errors import InputError, Place, reason
from runner.http_client.client import Sign
from runner.spec import AuthSpec, AwsSigV4
from runner.templating import Locate
from runner.text.shorten import excerpt

PATIENCE = 60.0
"""Seconds that a command may take to print a token."""

LONGEST = 64 * 1024
"""Bytes of a token; larger than any header that a server takes."""

_TOLD = 200

Find = Callable[[str, Place], Path]
"""Gives the path that a spec names, at its place."""


class NoToken(Exception):
    """No token could be had; becomes a ``Failure``."""


class Auth(Protocol):
    """Authenticates requests; threads share it."""

    def ready(self) -> Sign:
        """Give what signs requests now.

        Raises:
            NoToken: It cannot be had.
            InputError: The spec is wrong.
        """

    def renewed(self, used: Sign) -> Sign | None:
        """Give a new signer after one was refused; None where there is no other.

        Raises:
            NoToken: It cannot be had.
            InputError: The spec is wrong.
        """


class NoAuth:
    """Sends requests without authentication."""

    def ready(self) -> Sign:
        return lambda request: request

    def renewed(self, used: Sign) -> None:
        del used


class Signature:
    """Signs for AWS, with the time at which each request is sent."""

    def __init__(
        self,
        keys: AwsSigV4,
        where: Place,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._keys = keys
        self._where = where
        self._now = now

    def ready(self) -> Sign:
        return self._signed

    def renewed(self, used: Sign) -> None:
        del used

    def _signed(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        keys = self._keys
        signed = request.copy()
        stamp = self._now().strftime("%Y%m%dT%H%M%SZ")
        signed.headers = CaseInsensitiveDict({**request.headers, "x-amz-date": stamp})
        sign = AWS4Auth(
            keys.access_key_id,
            keys.secret_access_key,
            keys.region,
            keys.service,
            session_token=keys.session_token or None,
        )
        try:
            sign(signed)
        except ValueError as error:  # a quote that does not end in an x-amz- header
            raise InputError(f"cannot sign: {error}", where=self._where) from error
        return signed


class _Token:
    """One token, with its number: tokens that were read at two times may be equal."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        signed = request.copy()
        lines: Any = {**request.headers, "Authorization": f"Bearer {self.text}"}
        signed.headers = lines
        return signed


class Bearer:
    """Sends a token that is read when it is first needed, and again when it is refused.

    However many threads meet a refusal, it is read once for all of them.

    Args:
        read: Reads it where it comes from.
        learn: Gets each token, so that nothing shows it.
    """

    def __init__(self, read: Callable[[], str], learn: Callable[[str], object]) -> None:
        self._read = read
        self._learn = learn
        self._lock = threading.Lock()
        self._token: _Token | None = None

    def ready(self) -> Sign:
        return self._token or self._newer_than(0)

    def renewed(self, used: Sign) -> Sign | None:
        if not isinstance(used, _Token):
            return None
        token = self._newer_than(used.number)
        return None if token.text == used.text else token

    def _newer_than(self, number: int) -> _Token:
        with self._lock:
            if self._token is None or self._token.number <= number:
                text = self._read()
                self._learn(text)
                self._token = _Token(number + 1, text)
            return self._token


def auth_of(
    spec: AuthSpec | None, place: Locate, find: Find, learn: Callable[[str], object]
) -> Auth:
    """Give the authentication that a spec describes.

    Raises:
        InputError: A file is named that lies outside of the workspace.
    """
    if spec is None:
        return NoAuth()
    if spec.aws_sigv4:
        return Signature(spec.aws_sigv4, place("auth", "aws_sigv4"))
    bearer = spec.bearer
    assert bearer is not None  # noqa: S101 - the spec has one of the two
    if bearer.file is not None:
        where = place("auth", "bearer", "file")
        path = find(bearer.file, where)
        return Bearer(lambda: _in_file(path, where), learn)
    where = place("auth", "bearer", "command")
    folder = find(".", where)
    return Bearer(lambda: printed([*bearer.command], folder, where), learn)


def _in_file(path: Path, where: Place) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except OSError as error:
        what = f"no token can be read: {reason(error)}"
        raise InputError(what, where=where) from error
    return _alone(data, f"{where} names a file that")


def printed(
    words: list[str], folder: Path, where: Place, patience: float = PATIENCE
) -> str:
    """Give the token that a program prints.

    Raises:
        NoToken: It fails, prints something else, or takes longer than its patience.
        InputError: There is no such program.
    """
    pieces: list[bytes] = []
    try:
        program = Program(words, folder)
    except OSError as error:
        what = f"{words[0]} cannot be started: {reason(error)}"
        hint = "the first word is a program; there is no shell"
        raise InputError(what, where=where, hint=hint) from error
    ended = program.converse(b"", time.monotonic() + patience, pieces.append)
    said = f"{where}: {excerpt(words[0], _TOLD)}"
    if ended.status != 0:
        raise NoToken(f"{said} {_why_no_token(ended, patience)}")
    return _alone(b"".join(pieces), said)


def _why_no_token(ended: Exit, patience: float) -> str:
    if ended.status is None:
        return f"printed no token within {patience:g} s"
    lines = ended.errors.decode(errors="replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    told = f"; its standard error ends with: {excerpt(last, _TOLD)}" if last else ""
    return f"ended with status {ended.status} instead of a token{told}"


def _alone(data: bytes, whose: str) -> str:
    """Check that a token is all that was read, and give it.

    Raises:
        NoToken: There is none, or something else; what stands there is not shown, since
            it may hold a secret.
    """
    text = data.decode("ascii", errors="replace").strip()
    if not text:
        raise NoToken(f"{whose} gives no token: it is empty")
    if len(text) > LONGEST or len(text.split()) > 1 or not text.isprintable():
        raise NoToken(f"{whose} gives more than a token: it has to stand there alone")
    if not text.isascii():
        raise NoToken(f"{whose} gives no token: it is no ASCII text")
    return text
