"""Opens connections, and refuses addresses that may not be reached.

The address that is checked is the one that is connected to: a name that resolves to
another one a moment later gains nothing.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from runner.hosts import forbidden, is_loopback, port_of

_PATIENCE = 2.0  # seconds for an address that only may be the one

Options = Iterable[tuple[Any, ...]]
Resolve = Callable[[str, int], Sequence[tuple[Any, ...]]]
"""As ``socket.getaddrinfo`` gives it: family, kind, protocol, name, address."""


class Refused(Exception):
    """A name resolves to addresses that are never asked; becomes an ``InputError``."""


class Unanswered(ConnectionRefusedError):
    """Nothing accepts a connection at localhost, nor where it may be instead.

    Becomes a ``Failure``.
    """


def resolve(host: str, port: int) -> Sequence[tuple[Any, ...]]:
    """Give the addresses of a name, by the machine's resolver.

    Raises:
        OSError: There are none, or it is no name that could have one.
    """
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or too long
        why = str(error)
    raise socket.gaierror(socket.EAI_NONAME, why)


class Connector:
    """Opens connections; threads may share it.

    Args:
        nearby: Where else a service at localhost may be, likeliest first.
        resolve: Gives the addresses of a name.
    """

    def __init__(self, nearby: Sequence[str] = (), resolve: Resolve = resolve) -> None:
        self._nearby = tuple(nearby)
        self._resolve = resolve
        self._found: dict[tuple[str, int], str] = {}

    def listens(self, url: str, limit: float) -> bool:
        """Whether anything accepts a connection at a URL, within a limit in seconds."""
        parts = urlsplit(url)
        host, until = parts.hostname or "", time.monotonic() + limit
        try:
            self.connect(host, port_of(parts), until).close()
        except (OSError, Refused):
            return False
        return True

    def connect(
        self, host: str, port: int, deadline: float, options: Options = ()
    ) -> socket.socket:
        """Open a connection to a host of a URL.

        Where nothing accepts one at localhost, the hosts nearby are tried, and the one
        that answers is kept for the rest of the run.

        Args:
            host: A name or an address, IPv6 with or without brackets.
            port: Where it listens.
            deadline: When to give up, on the clock of ``time.monotonic``.
            options: Of the socket, as ``setsockopt`` takes them.

        Raises:
            Refused: It resolves to addresses that are never reached, and to no other.
            OSError: No connection came about; ``Unanswered`` names all that was tried.
        """
        known = self._found.get((host, port), host)
        elsewhere = self._nearby if known == host and is_loopback(host) else ()
        try:
            return self._open(known, port, deadline, options)
        except TimeoutError:
            raise
        except OSError as error:
            if not elsewhere:
                raise
            tried = [f"{host} ({_reason(error)})"]
        for other in elsewhere:
            until = min(deadline, time.monotonic() + _PATIENCE)
            try:
                opened = self._open(other, port, until, options)
            except (OSError, Refused) as error:
                tried.append(f"{other} ({_reason(error)})")
            else:
                self._found[host, port] = other
                return opened
        raise Unanswered(f"port {port} was tried at {', '.join(tried)}")

    def notices(self) -> Iterator[str]:
        """Say where a service at localhost was found instead, if anywhere."""
        for (host, port), other in list(self._found.items()):
            yield (
                f"{host}:{port} is not inside of the action's container; the service "
                f"was reached at {other}:{port}"
            )

    def _open(
        self, host: str, port: int, deadline: float, options: Options
    ) -> socket.socket:
        found = self._resolve(host.strip("[]"), port)
        refused = ""
        failed: OSError | None = None
        for family, kind, protocol, _, address in found:
            if why := forbidden(address[0]):
                refused = why
                continue
            sock = socket.socket(family, kind, protocol)
            try:
                return _connect(sock, address, deadline, options)
            except OSError as error:
                sock.close()
                failed = error
        if failed is None and refused:
            raise Refused(refused)
        raise failed or OSError("it has no address")


def _connect(
    sock: socket.socket, address: Any, deadline: float, options: Options
) -> socket.socket:
    for option in options:
        sock.setsockopt(*option)
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("there was no time left to connect")
    sock.settimeout(left)
    sock.connect(address)
    return sock


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, Refused):
        return "never asked"
    if isinstance(error, socket.gaierror):
        return "unknown name"
    return str(error)
