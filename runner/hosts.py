"""Which hosts a run may reach: those that a workflow allows, and no metadata service.

Pure functions over names and addresses. What a name resolves to is known only where a
connection is opened, and is checked against the same table there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

Address = IPv4Address | IPv6Address

NEVER = tuple(
    ip_network(written)
    for written in (
        "169.254.0.0/16",  # link-local: the metadata of most clouds
        "fe80::/10",  # link-local
        "fd00:ec2::/32",  # AWS
        "fd20:ce::254/128",  # Google Cloud
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure
        "192.0.0.192/32",  # Oracle Cloud
    )
)
"""Networks in which no address is asked, whatever is allowed."""

NEVER_NAMED = frozenset(
    {
        "instance-data.ec2.internal",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.tencentyun.com",
    }
)
"""Names that no proxy is asked for, whatever they stand for."""

_WHY_NEVER = "is a link-local or metadata address, which is never asked"
_CARRIERS = tuple(map(ip_network, ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")))
"""IPv6 networks whose last 32 bits are the IPv4 address that is reached."""

_LOOPBACK = re.compile(r"localhost|.*\.localhost|0\.0\.0\.0|::")
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_PORT = re.compile(r"[0-9]{1,5}")
_LAST_PORT = 65_535
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


class Host(NamedTuple):
    """One entry of the list of allowed hosts."""

    name: str
    """A name or an address, as ``plain`` gives it; of a wildcard, what follows it."""
    port: int | None = None
    """None is any."""
    below: bool = False
    """Hosts below the name are meant, and not the name itself."""


class Access(NamedTuple):
    """What a run may reach, and how."""

    allowed: tuple[Host, ...] = ()
    """Nothing else may be asked; empty where there is no such limit."""
    nearby: tuple[str, ...] = ()
    """Where else a service at localhost may be, likeliest first."""


def allowed(text: str) -> tuple[Host, ...]:
    """Parse a list of allowed hosts, one a line: ``*.example.com``, ``a:8443``.

    Raises:
        ValueError: A line is no host, or one that is never asked; says which and why.
    """
    lines = (line.strip() for line in text.splitlines())
    return tuple(_host(line) for line in lines if line)


def refusal(url: str, hosts: Sequence[Host]) -> str:
    """Give why a URL may not be requested; empty where it may.

    Args:
        url: As it goes out, its name already in the letters of the domain name system.
        hosts: What is allowed; empty for every host that is not among the forbidden.
    """
    parts = urlsplit(url)
    name, port = plain(parts.hostname or ""), port_of(parts)
    if why := forbidden(name):
        return why
    if hosts and not any(_matches(host, name, port) for host in hosts):
        return f"{name}:{port} is not among the allowed hosts"
    return ""


def forbidden(host: str) -> str:
    """Give why a name or address is never reached; empty where it may be.

    All spellings of an address are known: decimal, octal, hexadecimal, short, and IPv4
    within IPv6.

    >>> forbidden("0xa9fea9fe"), forbidden("example.com")
    ('169.254.169.254 is a link-local or metadata address, which is never asked', '')
    """
    name = plain(host)
    address = _address(name)
    never = name in NEVER_NAMED or (
        address is not None
        and any(meant in network for meant in _within(address) for network in NEVER)
    )
    return f"{name} {_WHY_NEVER}" if never else ""


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is the machine that sends the request."""
    name = plain(host)
    address = _address(name)
    named = _LOOPBACK.fullmatch(name) is not None
    return named or (
        address is not None and any(a.is_loopback for a in _within(address))
    )


def port_of(url: SplitResult) -> int:
    """Give the port that a URL leads to: that of its scheme where it names none."""
    return url.port or (443 if url.scheme == "https" else 80)


def plain(host: str) -> str:
    """Give the canonical spelling of a host: lower case, addresses in their usual form.

    >>> plain("Example.COM."), plain("[::FFFF:127.0.0.1]"), plain("0177.1")
    ('example.com', '::ffff:127.0.0.1', '127.0.0.1')
    """
    name = unquote(host).strip("[]").rstrip(".").lower()
    address = _address(name)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return f"::ffff:{address.ipv4_mapped}"  # as Python spells it from 3.13 on
    return name if address is None else str(address)


def _host(line: str) -> Host:
    below = line.startswith("*.")
    name, port = _split_port(line.removeprefix("*."))
    known = plain(name)
    if _address(known) is None and not _NAME.fullmatch(known):
        raise ValueError(
            f"{line!r} is no host (write its name alone, as in api.example.com, "
            "*.example.com or localhost:9000)"
        )
    if why := forbidden(known):
        raise ValueError(why)
    if port is None:
        return Host(known, None, below)
    if not _PORT.fullmatch(port) or not 0 < int(port) <= _LAST_PORT:
        raise ValueError(f"{port!r} in {line!r} is no port")
    return Host(known, int(port), below)


def _split_port(text: str) -> tuple[str, str | None]:
    """Give the name and the port of a line; IPv6 may stand in brackets, or bare."""
    name, colon, port = text.rpartition(":")
    bare = ":" in name and not name.endswith("]")
    if not colon or bare or text.endswith("]") or "/" in port:
        return text, None
    return name, port


def _matches(host: Host, name: str, port: int) -> bool:
    if host.port not in (None, port):
        return False
    return name.endswith(f".{host.name}") if host.below else name == host.name


def _address(name: str) -> Address | None:
    """Read an address in any spelling that a resolver takes for one."""
    try:
        return ip_address(name)
    except ValueError:
        return _loose(name)


def _loose(name: str) -> IPv4Address | None:
    """Read IPv4 as C libraries do: one to four numbers, the last fills what is left."""
    parts = name.split(".")
    if parts[4:] or not all(map(_NUMBER.fullmatch, parts)):
        return None
    try:
        *high, low = (_number(part) for part in parts)
    except ValueError:
        return None
    room = 256 ** (4 - len(high))
    if low >= room or any(byte not in range(256) for byte in high):
        return None
    return IPv4Address(int.from_bytes(bytes(high), "big") * room + low)


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def _within(address: Address) -> Iterator[Address]:
    """Give an address, and every IPv4 address that it carries."""
    yield address
    if isinstance(address, IPv4Address):
        return
    if any(address in network for network in _CARRIERS):
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo[1] if address.teredo else None
    yield from filter(None, (address.ipv4_mapped, address.sixtofour, teredo))
