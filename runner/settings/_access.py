"""Reads the inputs ``allowed-hosts`` and ``host-gateway``."""

from __future__ import annotations

from runner import hosts
from runner.errors import InputError
from runner.hosts import Host

WITHOUT_A_HOST = ("auto", "off")
"""What the input host-gateway may be in the place of a host."""


def allowed(value: str) -> tuple[Host, ...]:
    """Read the input allowed-hosts; empty where every host may be asked.

    Raises:
        InputError: A line is no host, or one that is never asked.
    """
    return _hosts("allowed-hosts", value)


def gateway(value: str) -> str:
    """Read the input host-gateway: ``auto``, ``off`` or a host.

    Raises:
        InputError: It is something else.
    """
    if value in WITHOUT_A_HOST:
        return value
    found = _hosts("host-gateway", value)
    if len(found) != 1 or found[0].below or found[0].port is not None:
        what = f"{value!r} is none of {', '.join(WITHOUT_A_HOST)}, and no host's name"
        raise InputError(
            f"input host-gateway: {what}", hint="the port is that of endpoint.url"
        )
    return found[0].name


def _hosts(name: str, value: str) -> tuple[Host, ...]:
    try:
        return hosts.allowed(value)
    except ValueError as error:
        raise InputError(f"input {name}: {error}") from None
