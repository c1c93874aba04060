"""Finds the host machine from inside a container, for services at its localhost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path

_NAMES = {
    ".dockerenv": ("host.docker.internal",),
    "run/.containerenv": ("host.docker.internal", "host.containers.internal"),
}
"""Marker files of Docker and Podman containers, to host names of the machine."""

_ROUTES = "proc/net/route"
_GATEWAY = 2  # the flag of a route that leads through one


def nearby(choice: str, root: Path = Path("/")) -> tuple[str, ...]:
    """Give hosts at which a service "at localhost" may be found, likeliest first.

    Args:
        choice: A host; ``off`` for none; ``auto`` for what a container can find out,
            which is nothing outside of one.
        root: Of the file system.
    """
    if choice not in ("auto", "off"):
        return (choice,)
    marks = [mark for mark in _NAMES if (root / mark).exists()]
    if choice == "off" or not marks:
        return ()
    found: list[str] = []
    with suppress(OSError):
        found += gateways((root / _ROUTES).read_text("ascii"))
    return (*found, *_NAMES[marks[-1]])


def gateways(routes: str) -> Iterator[str]:
    """Give the gateway of each default route, the preferred first.

    Args:
        routes: As Linux shows them in ``/proc/net/route``.
    """
    rows = [line.split() for line in routes.splitlines()[1:]]
    found = {
        row[2]: int(row[6])
        for row in rows
        if (row[1], row[7]) == ("0" * 8, "0" * 8) and int(row[3], 16) & _GATEWAY
    }
    for gateway in sorted(found, key=lambda each: found[each]):
        # The bytes stand as the processor keeps them, and all that run this are alike.
        yield str(IPv4Address(bytes.fromhex(gateway)[::-1]))
