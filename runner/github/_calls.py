"""One call of GitHub's API: bounded in size and time, and tried again where that helps.

No text that leaves here holds the token: it is given to ``requests`` alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import from_json

from runner import __version__

if TYPE_CHECKING:
    import requests

TRIES = 4
PATIENCE = 180.0
"""Seconds after which no call is made again; GitHub's second limit takes 60 to 80."""

_TIMEOUT = (10.0, 30.0)  # seconds to connect, and for the next bytes
_WHOLE = 120.0  # seconds for all of a reply
_LIMIT = 64 * 2**20  # bytes: a page of 100 comments at their largest has 40 MB
_CHUNK = 64 * 1024
_SPACE = 1.0  # seconds between two writes, as GitHub asks
_LIMITED = 60.0  # seconds to wait where GitHub does not say how long
_BROKEN = (0, 500, 502, 503, 504)
_SUCCESS = range(200, 300)
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": f"rag-eval-action/{__version__}",
}


class Call(NamedTuple):
    """One API request."""

    method: str
    url: str
    data: Mapping[str, Any] | None = None
    repeatable: bool = True
    """Whether it may be repeated where it is unknown if it took effect."""
    is_read: bool = False
    """Whether it changes nothing although it is no GET."""

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET" and not self.is_read


class Reply(NamedTuple):
    """The reply to a call; with status 0 there is none, and ``data`` says why."""

    status: int
    data: Any
    headers: Mapping[str, str]

    @property
    def said(self) -> str:
        """What GitHub says of it."""
        message = self.data.get("message") if isinstance(self.data, dict) else None
        return message if isinstance(message, str) else ""

    @property
    def is_good(self) -> bool:
        """Whether it did what was asked."""
        return self.status in _SUCCESS

    @property
    def is_broken(self) -> bool:
        """Whether it is unknown what it did: no reply, or a fault of the server."""
        return self.status in _BROKEN

    @property
    def is_limited(self) -> bool:
        """Whether it was refused for a rate limit."""
        if self.status == HTTPStatus.TOO_MANY_REQUESTS:
            return True
        spent = self.headers.get("x-ratelimit-remaining") == "0"
        told = spent or "Retry-After" in self.headers or "rate limit" in self.said
        return self.status == HTTPStatus.FORBIDDEN and told


class Caller:
    """Makes calls, one at a time.

    Args:
        token: Of the API.
        patience: Seconds from now, after which no call is made again.
        clock: Seconds that only grow.
        wall: Seconds of the epoch.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        token: str,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        # It takes a quarter of a second, for which no line of log should wait.
        import requests

        self._session = requests.Session()
        self._session.headers.update(_HEADERS)
        self._session.auth = _Bearer(token)
        self._until = clock() + patience
        self._clock = clock
        self._wall = wall
        self._sleep = sleep
        self._written: float | None = None

    def do(self, call: Call) -> Reply:
        """Make a call, with retries; give the reply whatever its status."""
        reply = self._once(call)
        for attempt in range(TRIES - 1):
            wait = self._wait(reply, attempt)
            if reply.is_broken and not call.repeatable:
                break
            if wait is None or self._clock() + wait > self._until:
                break
            self._sleep(wait)
            reply = self._once(call)
        return reply

    def close(self) -> None:
        """Drop the connections."""
        self._session.close()

    def _wait(self, reply: Reply, attempt: int) -> float | None:
        """Give the seconds until a retry; None where none would help."""
        if reply.is_limited:
            told = self._retry_after(reply)
            return _LIMITED * 2**attempt if told is None else told
        return 2.0**attempt if reply.is_broken else None

    def _retry_after(self, reply: Reply) -> float | None:
        after = _number(reply.headers.get("Retry-After"))
        if after is not None:
            return after
        if reply.headers.get("x-ratelimit-remaining") != "0":
            return None
        reset = _number(reply.headers.get("x-ratelimit-reset"))
        return None if reset is None else max(reset - self._wall(), 0.0) + 1

    def _once(self, call: Call) -> Reply:
        if call.is_write and self._written is not None:
            self._sleep(max(self._written + _SPACE - self._clock(), 0.0))
        try:
            return self._exchange(call)
        except (OSError, ValueError) as error:
            return Reply(0, {"message": why(error)}, {})
        finally:
            if call.is_write:
                self._written = self._clock()

    def _exchange(self, call: Call) -> Reply:
        with self._session.request(
            call.method,
            call.url,
            json=call.data,
            timeout=_TIMEOUT,
            stream=True,
            allow_redirects=False,
        ) as response:
            body = _read(response, self._clock)
            return Reply(response.status_code, body, response.headers)


class _Bearer:
    """Sets the token itself, so that no ``.netrc`` takes its place."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _read(response: requests.Response, clock: Callable[[], float]) -> Any:
    """Give the JSON of a body; None where it is none, or too large.

    Raises:
        OSError: It breaks off, or takes too long.
    """
    body = bytearray()
    for piece in pieces(response, clock, _WHOLE):
        body += piece
        if len(body) > _LIMIT:
            return None
    try:
        return from_json(bytes(body))
    except ValueError:
        return None


def pieces(
    response: requests.Response, clock: Callable[[], float], whole: float
) -> Iterator[bytes]:
    """Give a body as it arrives, for so many seconds, however its bytes drip.

    Raises:
        OSError: It breaks off, or takes longer.
    """
    from urllib3.exceptions import HTTPError

    end = clock() + whole
    try:
        while piece := response.raw.read1(_CHUNK, decode_content=True):
            yield piece
            if clock() > end:
                raise TimeoutError
    except HTTPError as error:
        raise OSError(str(error)) from error


def why(error: Exception) -> str:
    """Name a failure without its URL, which the message of ``requests`` holds."""
    import requests

    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy on the way to it cannot be used"
    if isinstance(error, requests.exceptions.SSLError):
        return "TLS failed (for a private CA set REQUESTS_CA_BUNDLE)"
    if isinstance(error, requests.Timeout | TimeoutError):
        return "no reply came in time"
    if isinstance(error, UnicodeError):
        return "the token has characters that no token has"
    return "the connection failed"


def _number(text: str | None) -> float | None:
    digits = text or ""
    known = digits.isascii() and digits.isdecimal() and len(digits) < 12  # noqa: PLR2004 - as seconds of the epoch
    return float(digits) if known else None
