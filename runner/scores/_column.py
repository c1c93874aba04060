"""The scores of one metric over all cases, nine bytes for each."""

from __future__ import annotations

from array import array

from runner.model import Failed, Measure, Score, Unscored


class Column:
    """One metric's scores, by the case's position: a float and a status byte each.

    A case that was never scored is *failed*: the expected pairs are fixed from the
    start, so that nothing can drop out of a mean unseen.
    """

    SCORED = 1
    """The status byte of a number; 0 is a case not scored, all others are reasons."""
    REASONS = 253
    """Codes that are given to single reasons; the last three of a byte are for the rest
    of each kind: unscored, absent and failed."""

    def __init__(self, measure: Measure, size: int) -> None:
        self.measure = measure
        self.values = array("d", bytes(8 * size))
        self.status = bytearray(size)
        self.reasons: list[Unscored | Failed | None] = [Failed("was not scored"), None]
        self._codes: dict[tuple[type, str], int] = {}

    def put(self, position: int, score: Score) -> None:
        """Keep one score."""
        if isinstance(score, float):
            self.values[position] = score
            self.status[position] = self.SCORED
        else:
            self.status[position] = self._code(score)

    def get(self, position: int) -> Score:
        """Give one score back."""
        reason = self.reasons[self.status[position]]
        return self.values[position] if reason is None else reason

    def _code(self, why: Unscored | Failed) -> int:
        if (
            len(self.reasons) >= self.REASONS
            and (type(why), why.reason) not in self._codes
        ):
            why = type(why)("for another reason")
        # Named tuples of two kinds are equal when their fields are: the kind is named.
        key = (type(why), why.reason)
        if key not in self._codes:
            self._codes[key] = len(self.reasons)
            self.reasons.append(why)
        return self._codes[key]
