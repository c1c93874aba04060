"""Calls one service: follows redirects within it, and refuses forbidden hosts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import requests
from urllib3.exceptions import HTTPError

from runner.errors import Place
from runner.hosts import Access, refusal
from runner.http_client._body import (
    NO_STATUS,
    SUCCESS,
    Reply,
    Take,
    TooLarge,
    Unreadable,
)
from runner.http_client._connect import Connector, Refused, Resolve, resolve
from runner.http_client._failures import (
    Block,
    from_error,
    from_redirect,
    from_status,
    shown,
)
from runner.http_client._prepare import followed, parsed_url, prepared, refused
from runner.http_client._redirects import redirected, same_service
from runner.http_client._transport import Transport
from runner.model import Failure
from runner.templating import Locate

__all__ = [
    "NO_STATUS",
    "REDIRECTS",
    "SUCCESS",
    "Block",
    "Bounds",
    "Client",
    "Reply",
    "Resolve",
    "Sign",
    "TooLarge",
    "Unreadable",
    "prepared",
    "resolve",
    "shown",
]

Sign = Callable[[requests.PreparedRequest], requests.PreparedRequest]
"""Gives a signed copy of a request."""

REDIRECTS = 5
"""The most redirects of one call; all share its time-out."""

_CALL_ERRORS = (OSError, HTTPError, TooLarge, Unreadable)


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class Bounds(NamedTuple):
    """The limits of one call."""

    timeout: float
    """Seconds for the whole call."""
    size: int
    """Bytes of the reply, compressed and not."""


class Client:
    """Calls one service; threads may share it, each has its own connection.

    Args:
        url: Of the service, by which proxies and certificates are chosen.
        block: The part of the spec that names it.
        bounds: What one call may take.
        place: Where a key stands in the user's file.
        access: Which hosts may be asked, and where a service at localhost may be.
        resolve: Gives the addresses of a name.
        wall: Seconds of the epoch, for a ``Retry-After`` that is a date.
    """

    def __init__(  # noqa: PLR0913 - what the world gives, each replaceable in a test
        self,
        url: str,
        block: Block,
        bounds: Bounds,
        *,
        place: Locate,
        access: Access,
        resolve: Resolve = resolve,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._block = block
        self._bounds = bounds
        self._place = place
        self._allowed = access.allowed
        self._wall = wall
        self.connector = Connector(access.nearby, resolve)
        """How its connections are opened."""
        self._transport = Transport(url, self.connector)

    def parsed(self, url: str, *key: str) -> tuple[str, str | None]:
        """Check a URL; give it without credentials, and these as a header.

        Raises:
            InputError: It is no URL, or of a host that may not be asked.
        """
        return parsed_url(url, self._where(key), self._allowed)

    def call(
        self,
        request: requests.PreparedRequest,
        deadline: float,
        *key: str,
        take: Take | None = None,
        sign: Sign = _as_it_is,
    ) -> Reply | Failure:
        """Give the reply, whatever its status, through redirects within the service.

        Args:
            request: Complete: URL, headers and body as they go out.
            deadline: When the call ends, on the clock of ``time.monotonic``.
            key: Of the spec that gave the URL.
            take: Gets the pieces of a success as they come; its reply has no body.
            sign: Signs what is sent, at each hop anew.

        Raises:
            InputError: The host stands for addresses that are never reached.
        """
        url = str(request.url)
        hops = 0
        try:
            while True:
                signed = sign(request)
                reply = self._transport.send(signed, deadline, self._bounds.size, take)
                target = redirected(reply, str(request.url))
                if target is None or hops == REDIRECTS:
                    return reply
                if not self._may_follow(str(request.url), target):
                    return from_redirect(url, target, self._block)
                request = followed(request, target, reply.status)
                hops += 1
        except Refused as error:
            raise refused(str(error), self._where(key)) from error
        except _CALL_ERRORS as error:
            return self.broken(error, url)

    def broken(self, error: Exception, url: str) -> Failure:
        """Explain a call without a complete reply."""
        return from_error(error, url, self._bounds.timeout, self._block)

    def unsuccessful(self, reply: Reply, url: str) -> Failure:
        """Explain a reply whose status is no success."""
        return from_status(reply, url, self._wall(), self._block)

    def close(self) -> None:
        """End every call in flight, at once, and drop the connections."""
        self._transport.close()

    def _may_follow(self, url: str, target: str) -> bool:
        return same_service(url, target) and not refusal(target, self._allowed)

    def _where(self, key: tuple[str, ...]) -> Place:
        return self._place(self._block.name, *key)
