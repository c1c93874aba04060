"""The owners of limits in a spec, and which of them are accounts on GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from runner.spec._resolved import Spec

_USER = "[A-Za-z0-9](?:[-_]?[A-Za-z0-9]){0,38}"
_TEAM = "[A-Za-z0-9](?:[-_.]?[A-Za-z0-9]){0,99}"
_ACCOUNT = re.compile(f"@({_USER}(?:/{_TEAM})?)")


def account(owner: str | None) -> str:
    """Give the account of an owner without its ``@``; empty where it is none.

    >>> account("@acme/search-team"), account("@octocat"), account("search team")
    ('acme/search-team', 'octocat', '')
    """
    found = _ACCOUNT.fullmatch(owner or "")
    return found[1] if found else ""


def accounts(owners: Iterable[str | None]) -> Iterator[str]:
    """Give the account of each owner that is one, each once."""
    yield from dict.fromkeys(filter(None, map(account, owners)))


def owners(spec: Spec) -> frozenset[str]:
    """Give the accounts that a spec names for its limits."""
    return frozenset(accounts(limit.owner for limit in spec.limits))
