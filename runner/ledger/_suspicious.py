"""Replies that fail no case and still make a verdict less reliable."""

from __future__ import annotations

from collections.abc import Iterator

from runner.model import Case, Exchange, Response, Score
from runner.units import count

_MOST_RETRIED = 0.05
"""Share of the cases that may need a retry before a notice says so."""


class _Tally:
    """How many cases are of one kind, and the first of them in case order."""

    def __init__(self) -> None:
        self.count = 0
        self._first = (-1, "")

    def add(self, position: int, case: Case) -> None:
        found = position, case.id
        self._first = min(self._first, found) if self.count else found
        self.count += 1

    @property
    def first(self) -> str:
        return self._first[1]


class SuspiciousReplies:
    """Counts three kinds of them.

    - Some passages name a tenant and others none: one without a tenant counts as
      everybody's, so that a passage which lost its tenant leaks unseen.
    - The flag for refusals is set, and the answer states a key point: then the flag
      says little where declining is right.
    - The reply came only after a retry.
    """

    def __init__(self) -> None:
        self._cases = 0
        self._without_tenant = _Tally()
        self._contradicted = _Tally()
        self._retried = _Tally()

    def see(self, case: Case, exchange: Exchange, over_refusal: Score | None) -> None:
        """Note the reply to one case, and its score of ``over_refusal``."""
        result, position = exchange.result, exchange.position
        self._cases += 1
        if not isinstance(result, Response):
            return
        if exchange.attempts > 1:
            self._retried.add(position, case)
        if result.refused and over_refusal == 0.0:
            self._contradicted.add(position, case)
        if case.tenant and result.passages:
            named = [bool(passage.tenant) for passage in result.passages]
            if any(named) and not all(named):
                self._without_tenant.add(position, case)

    def notices(self) -> Iterator[str]:
        """Give a notice for each kind: how many cases, and the first."""
        if partly := self._without_tenant.count:
            yield (
                f"SOME PASSAGES NAME NO TENANT, and count as everybody's: in "
                f"{count(partly, 'case')} whose other passages name theirs, first in "
                f"{self._without_tenant.first} (let what is everybody's name one of "
                "endpoint.shared_tenants)"
            )
        if wrong := self._contradicted.count:
            yield (
                f"THE FLAG SAYS DECLINED OF ANSWERS: in {count(wrong, 'case')} the "
                "reply states a key point all the same, first in "
                f"{self._contradicted.first}, so that refusals by the flag may be none "
                "(see endpoint.response.refused; null goes by the text)"
            )
        retried = self._retried.count
        if retried and round(retried / self._cases, 9) > _MOST_RETRIED:
            yield (
                f"MANY CALLS WERE RETRIED: {retried:,} of {count(self._cases, 'case')} "
                "got a reply only at a further attempt, first "
                f"{self._retried.first}"
            )
