"""Passages that name no tenant, beside others that do: nobody knows whose they are."""

from __future__ import annotations

from runner.model import Case, Failure, Response
from runner.units import count


class Nameless:
    """Watches replies to cases that say who asks.

    A passage without a tenant is everybody's, so that one which lost its tenant on the
    way crosses every wall unseen.
    """

    def __init__(self) -> None:
        self._cases = 0
        self._first: tuple[int, str] | None = None

    def see(self, position: int, case: Case, result: Response | Failure) -> None:
        """Note one case with what came of it."""
        if case.tenant is None or isinstance(result, Failure) or not result.passages:
            return
        named = [bool(passage.tenant) for passage in result.passages]
        if any(named) and not all(named):
            self._cases += 1
            found = position, case.id
            self._first = min(self._first or found, found)

    def notice(self) -> str:
        """Say in how many cases that was so; nothing where it was in none."""
        if self._first is None:
            return ""
        return (
            f"SOME PASSAGES NAME NO TENANT, and count as everybody's: in "
            f"{count(self._cases, 'case')} whose other passages name theirs, first in "
            f"{self._first[1]} (let what is everybody's name one of "
            "endpoint.shared_tenants)"
        )
