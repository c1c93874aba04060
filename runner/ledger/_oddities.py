"""What is odd about replies and fails no case, but makes a verdict worth less."""

from __future__ import annotations

from collections.abc import Iterator

from runner.model import Case, Exchange, Response, Score
from runner.units import count

_MOST_RETRIED = 0.05
"""Share of the cases that may need a further attempt before it is told."""


class _Seen:
    """Cases of one kind: how many, and the first in case order."""

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


class Oddities:
    """Watches replies.

    A passage without a tenant is everybody's, so that one which lost its tenant on the
    way crosses every wall unseen. A flag that says of plain answers that they decline
    is no word on declining where that is right. A call that fails first and then does
    not is no failure, and no good sign.
    """

    def __init__(self) -> None:
        self._cases = 0
        self._nameless = _Seen()
        self._gainsaid = _Seen()
        self._retried = _Seen()

    def see(self, case: Case, exchange: Exchange, over: Score | None) -> None:
        """Note one case with what came of it, and its score of ``over_refusal``."""
        result, position = exchange.result, exchange.position
        self._cases += 1
        if not isinstance(result, Response):
            return
        if exchange.attempts > 1:
            self._retried.add(position, case)
        if result.refused and over == 0.0:
            self._gainsaid.add(position, case)
        if case.tenant and result.passages:
            named = [bool(passage.tenant) for passage in result.passages]
            if any(named) and not all(named):
                self._nameless.add(position, case)

    def notices(self) -> Iterator[str]:
        """Say what there was, each kind with how often and the first case."""
        if nameless := self._nameless.count:
            yield (
                f"SOME PASSAGES NAME NO TENANT, and count as everybody's: in "
                f"{count(nameless, 'case')} whose other passages name theirs, first in "
                f"{self._nameless.first} (let what is everybody's name one of "
                "endpoint.shared_tenants)"
            )
        if gainsaid := self._gainsaid.count:
            yield (
                f"THE FLAG SAYS DECLINED OF ANSWERS: in {count(gainsaid, 'case')} the "
                "reply states a key point all the same, first in "
                f"{self._gainsaid.first}, so that refusals by the flag may be none "
                "(see endpoint.response.refused; null goes by the text)"
            )
        retried = self._retried.count
        if retried and round(retried / self._cases, 9) > _MOST_RETRIED:
            yield (
                f"MANY CALLS WERE RETRIED: {retried:,} of {count(self._cases, 'case')} "
                "got a reply only at a further attempt, first "
                f"{self._retried.first}"
            )
