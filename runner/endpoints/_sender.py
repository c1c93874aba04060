"""Sends an authenticated request, and again with a new token after a 401."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

import requests
from urllib3.exceptions import HTTPError

from runner.endpoints._auth import Auth, NoToken
from runner.endpoints._stream import Stream
from runner.http_client.client import SUCCESS, Client, Reply, Sign, Unreadable
from runner.model import Failure


class Sent(NamedTuple):
    """The reply to a request, and when that was sent."""

    reply: Reply | Failure
    """With a status of 2xx, or a Failure."""
    started: float
    """On the clock; where a token was refused, the time of the second request."""


class Sender:
    """Sends requests to one service; threads may share it.

    Args:
        client: The HTTP client that sends them.
        auth: Authenticates the requests.
        clock: Seconds.
    """

    def __init__(self, client: Client, auth: Auth, clock: Callable[[], float]) -> None:
        self.client = client
        self._auth = auth
        self._clock = clock

    def ready(self) -> Sign | Failure:
        """Give what signs a request now; the time that this takes is not the server's.

        Raises:
            InputError: The spec says wrongly where it comes from.
        """
        try:
            return self._auth.ready()
        except NoToken as error:
            return Failure("service.unreachable", f"{error}", retryable=True)

    def send(
        self,
        request: requests.PreparedRequest,
        sign: Sign,
        deadline: float,
        stream: Stream | None,
    ) -> Sent:
        """Send a request; its body goes to ``stream`` as it comes, where there is one.

        Raises:
            InputError: The host is one that may not be asked.
        """
        take = stream.take if stream else None
        url = str(request.url)
        started, now = self._clock(), time.monotonic()
        reply = self.client.call(request, deadline, "url", take=take, sign=sign)
        if isinstance(reply, Reply) and reply.status == HTTPStatus.UNAUTHORIZED:
            try:
                again = self._auth.renewed(sign)
            except NoToken as error:
                failed = self.client.unsuccessful(reply, url)
                message = f"{failed.message}; {error}"
                return Sent(failed._replace(message=message), started)
            if again:
                started, deadline = self._clock(), deadline + time.monotonic() - now
                reply = self.client.call(
                    request, deadline, "url", take=take, sign=again
                )
        return Sent(self._completed(reply, url, stream), started)

    def _completed(
        self, reply: Reply | Failure, url: str, stream: Stream | None
    ) -> Reply | Failure:
        if isinstance(reply, Failure):
            return reply
        try:
            if stream:
                stream.end()
        except (HTTPError, Unreadable) as error:
            return self.client.broken(error, url)
        if reply.status in SUCCESS:
            return reply
        return self.client.unsuccessful(reply, url)
