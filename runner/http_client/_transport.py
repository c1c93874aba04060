"""One HTTP exchange on ``requests``, bounded in time and size, whatever the peer does.

A time-out of ``requests`` bounds one wait for bytes, so that a peer who drips them can
hold a call for ever. Here every read is bounded by what is left of the whole attempt.
"""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    NewConnectionError,
)
from urllib3.util import Timeout

from runner.http_client._body import Reply, Take, TooLarge, read
from runner.http_client._connect import Connector

_HEADERS = 1024 * 1024
_FRAMED = 8  # bytes on the wire for a byte of body: chunks of one byte take six

_attempt = threading.local()
"""Of this thread: the attempt's deadline, the bytes it may take, how its client reaches
a host, and ``sockets``, where that keeps those in use.

``urllib3`` and ``http.client`` open connections and build replies deep below
``requests`` and in the same thread; this is how they learn of them.
"""


class _Bounded(io.RawIOBase):
    """A socket's stream: each read ends with the attempt, and their sum is limited.

    The limit is for peers who break the framing, such as with a chunk of size -1, which
    ``http.client`` takes as everything that may come.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self._sock = sock
        self._deadline = _attempt.deadline
        self._allowance = _attempt.allowance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the reply did not end in time")
        if self._allowance < 0:
            raise TooLarge
        self._sock.settimeout(left)
        count = self._raw.readinto(buffer)
        self._allowance -= count or 0
        return count

    def fileno(self) -> int:
        return self._raw.fileno()

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedReply(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        _attempt.sockets[threading.get_ident()] = sock
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_Bounded(raw, sock))


class _Guarded(HTTPConnection):
    """A connection that is opened by its client's ``Connector``."""

    response_class = _BoundedReply
    _held: list[bytes] | None = None
    """Pieces of a request that is being made, None while none is."""

    def request(self, *args: Any, **options: Any) -> None:
        # Head and body go out in one piece: with every wait for the network a thread
        # loses its turn, and this spares two of them.
        self._held = []
        try:
            super().request(*args, **options)
            whole = b"".join(self._held)
        finally:
            self._held = None
        self.send(whole)

    def send(self, data: Any) -> None:
        if self._held is None:
            super().send(data)
        else:
            self._held.append(data)

    def _new_conn(self) -> socket.socket:
        # One place for connections to services and to proxies, with TLS or without.
        connector: Connector = _attempt.connector
        host, port, options = self._dns_host, self.port, self.socket_options or ()
        try:
            return connector.connect(host, port, _attempt.deadline, options)
        except TimeoutError as error:
            raise ConnectTimeoutError(self, f"{host} did not accept in time") from error
        except OSError as error:
            raise NewConnectionError(self, f"{error}") from error


class _Plain(_Guarded):
    pass


class _Secure(_Guarded, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


class _Adapter(HTTPAdapter):
    """An adapter whose connections read against the deadline of the attempt."""

    _pools: Mapping[str, Any] = {"http": _PlainPool, "https": _SecurePool}

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        manager.pool_classes_by_scheme = self._pools
        return manager


class _Channel(NamedTuple):
    """The adapter of one thread, with its proxies and certificates."""

    adapter: _Adapter
    settings: Mapping[str, Any]
    """Proxies and certificates, looked up in the environment once."""


class Transport:
    """Sends prepared requests; one session and its kept connections per thread."""

    def __init__(self, url: str, connector: Connector) -> None:
        self._url = url
        self._connector = connector
        self._local = threading.local()
        self._sessions: list[requests.Session] = []
        self._sockets: dict[int, socket.socket] = {}
        self._closed = False

    def send(
        self,
        request: requests.PreparedRequest,
        deadline: float,
        limit: int,
        take: Take | None = None,
    ) -> Reply:
        """Give the whole reply; redirects are not followed.

        Args:
            request: Complete: URL, headers and body as they go out.
            deadline: When the attempt ends, on the clock of ``time.monotonic``.
            limit: Bytes that the body may have, compressed and not.
            take: Gets the pieces of a success as they come; its reply has no body.

        Raises:
            TooLarge: The body is larger; the rest of it was not read.
            Unreadable: The body is compressed in a way that was not asked for.
            Refused: The host, or the proxy, is at an address that is never reached.
            OSError: The call failed, says ``requests`` or the system.
            urllib3.exceptions.HTTPError: The call failed while the body was read.
        """
        channel = self._channel()
        _attempt.deadline = deadline
        _attempt.allowance = _FRAMED * limit + _HEADERS
        _attempt.sockets = self._sockets
        _attempt.connector = self._connector
        left: Any = Timeout(total=max(deadline - time.monotonic(), 0.001))
        try:
            raw = channel.adapter.send(request, timeout=left, **channel.settings).raw
            try:
                return read(raw, limit, take)
            finally:
                raw.close()
        finally:
            self._sockets.pop(threading.get_ident(), None)

    def close(self) -> None:
        """End every call in flight and drop the connections; nothing is sent after."""
        self._closed = True
        for sock in list(self._sockets.values()):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for session in self._sessions:
            session.close()

    def _channel(self) -> _Channel:
        if self._closed:
            raise OSError("the endpoint was closed")
        channel: _Channel | None = getattr(self._local, "channel", None)
        if channel is None:
            session = requests.Session()
            adapter = _Adapter()
            session.mount("http://", adapter)
            session.mount("https://", adapter)
            settings = session.merge_environment_settings(
                self._url, {}, stream=True, verify=None, cert=None
            )
            channel = self._local.channel = _Channel(adapter, settings)
            self._sessions.append(session)
        return channel
