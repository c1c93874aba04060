"""Turns a failed HTTP call into a Failure whose message says what to do."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from requests.exceptions import InvalidSchema, InvalidURL, ProxyError

from runner.http_client._body import Reply, TooLarge, Unreadable
from runner.http_client._connect import Unanswered
from runner.model import Failure
from runner.text.shorten import excerpt


class Block(NamedTuple):
    """How messages name the part of a spec that describes a service."""

    name: str
    """Its key path: ``endpoint``."""
    advice: Mapping[int, str]
    """What to look at, by the status of a reply."""
    wait: str = ""
    """A hint for where nothing listens."""
    around: str = ""
    """The part that holds ``max_response`` for this one; empty: itself."""


RETRYABLE = frozenset({429, 502, 503, 504})

_SHOWN = 300
_PROXY = (ProxyError, InvalidURL, InvalidSchema)
"""Errors of a proxy: the URL of the endpoint was checked before."""

_SENTENCES: Mapping[type[BaseException], str] = {
    Unanswered: "nothing listens at {where}: {why}; localhost is the action's own "
    "container (let the service listen on 0.0.0.0, or write the name of its service "
    "container in {block}.url)",
    ConnectionRefusedError: "nothing listens at {where} (is the service started, and "
    "the port right?{wait})",
    socket.gaierror: "the host name in {where} is unknown (check {block}.url)",
    ssl.SSLError: "TLS with {where} failed: {why} (for a private CA set "
    "REQUESTS_CA_BUNDLE)",
    http.client.RemoteDisconnected: "{where} closed the connection without a reply",
    http.client.BadStatusLine: "what answers at {where} does not speak HTTP",
    http.client.IncompleteRead: "the reply of {where} broke off",
    ValueError: "what {where} sends breaks the rules of HTTP: {why}",
}
"""Messages, by the type of the first cause of a failed call."""


def shown(url: str) -> str:
    """Give a URL without credentials, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return excerpt(url.partition("?")[0].rpartition("@")[2], 150)
    host = parts.netloc.rpartition("@")[2]
    return excerpt(f"{parts.scheme}://{host}{parts.path}", 150)


def from_error(error: Exception, url: str, timeout: float, block: Block) -> Failure:
    """Explain a call without a complete reply."""
    where = shown(url)
    if isinstance(error, TooLarge):
        limit = f"{block.around or block.name}.max_response"
        what = f"the reply of {where} is larger than {limit}"
        return Failure("service.malformed", what)
    if isinstance(error, Unreadable):
        return Failure("service.malformed", f"{where}: {error}")
    if isinstance(error, _PROXY):
        return Failure(
            "service.unreachable",
            f"the proxy on the way to {where} cannot be used (it is HTTP_PROXY, "
            "HTTPS_PROXY or ALL_PROXY in the environment; NO_PROXY names hosts to "
            "reach without it)",
            retryable=isinstance(error, ProxyError),
        )
    chain = list(_causes(error))
    if any(isinstance(cause, TimeoutError) for cause in chain):
        return Failure(
            "service.timeout",
            f"no whole reply from {where} within {timeout:g} s ({block.name}.timeout)",
            retryable=True,
        )
    what, retryable = _unreachable(_first(chain), where, block)
    return Failure("service.unreachable", what, retryable=retryable)


def from_status(reply: Reply, url: str, now: float, block: Block) -> Failure:
    """Explain a reply whose status is no success; ``now`` is seconds of the epoch."""
    told = block.advice.get(reply.status)
    advice = f" ({told})" if told else ""
    body = excerpt(reply.body.decode(errors="replace"), _SHOWN)
    reason = excerpt(reply.reason, 60)
    return Failure(
        "service.http_error",
        f"{shown(url)} answered {reply.status} {reason}".strip()
        + advice
        + (f": {body}" if body else ", without a body"),
        retryable=reply.status in RETRYABLE,
        retry_after=_seconds(reply.headers.get("Retry-After"), now),
    )


def from_redirect(url: str, target: str, block: Block) -> Failure:
    """Explain a redirect that was not followed, since it may take credentials along."""
    return Failure(
        "service.http_error",
        f"{shown(url)} redirects to {shown(target)}, which is another service; it was "
        f"not followed (write that URL as {block.name}.url if it is right)",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        # urllib3 keeps what TLS said as an argument.
        told = [arg for arg in cause.args if isinstance(arg, BaseException)]
        cause = cause.__cause__ or cause.__context__ or next(iter(told), None)


def _first(chain: list[BaseException]) -> BaseException:
    """Give the first cause of an error.

    Where the size of a chunk should stand and nothing does, the connection was closed,
    which ``http.client`` says as a number that it could not read.
    """
    *later, first = chain
    closed = isinstance(first, ValueError) and str(first).endswith(" b''")
    cut = [each for each in later if isinstance(each, http.client.IncompleteRead)]
    return cut[-1] if closed and cut else first


def _unreachable(cause: BaseException, where: str, block: Block) -> tuple[str, bool]:
    """Give a sentence, and whether another attempt may help."""
    sentences = (text for kind, text in _SENTENCES.items() if isinstance(cause, kind))
    sentence = next(sentences, "the connection to {where} failed: {why}")
    why = excerpt(str(cause)) or type(cause).__name__
    said = sentence.format(where=where, why=why, block=block.name, wait=block.wait)
    return said, not isinstance(cause, ssl.SSLError)


def _seconds(value: str | None, now: float) -> float | None:
    """Read ``Retry-After``: seconds, or a date held against ``now``."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return float(text) if len(text) < 10 else None  # noqa: PLR2004 - three centuries
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:  # written as -0000: UTC, place unknown
        date = date.replace(tzinfo=UTC)
    return max(date.timestamp() - now, 0.0)
