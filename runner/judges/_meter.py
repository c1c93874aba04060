"""Counts the requests, tokens and cost of a judge, within its budget."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from runner.model import JudgeAccount, Unrated
from runner.spec import JudgeSpec
from runner.units import plain

_MILLION = 1_000_000
REPLY = 200
"""Tokens that are reserved for a reply."""


class Tokens(NamedTuple):
    """The tokens of a call, or those reserved for it."""

    input_tokens: int
    output_tokens: int = REPLY


NOTHING = Tokens(0, 0)


class BudgetSpent(Unrated):
    """The budget is used up."""


class Meter:
    """Counts requests, tokens and cost; threads share it.

    Args:
        spec: The prices and the budget.
        clock: Seconds, for ``max_minutes``.
    """

    def __init__(self, spec: JudgeSpec, clock: Callable[[], float]) -> None:
        self._spec = spec
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: float | None = None
        self._calls = 0
        self._sent = NOTHING
        """Tokens, with those set aside."""
        self._estimated = False
        self._rated = 0
        self._stored = 0
        self._failed = 0

    def reserve(self, input_tokens: int) -> Tokens:
        """Reserve tokens for a call.

        Raises:
            Spent: It would pass a limit of the budget; names it.
        """
        with self._lock:
            now = self._clock()
            self._begun = now if self._begun is None else self._begun
            wanted = Tokens(input_tokens)
            if limit := self._limit_passed(wanted, now - self._begun):
                raise BudgetSpent(f"budget: {limit} is used up")
            self._calls += 1
            self._add(*wanted)
            return wanted

    def settle(
        self, reserved: Tokens, taken: Tokens = NOTHING, *, stated: bool = True
    ) -> None:
        """Replace the reserved tokens of a call by those it took.

        ``stated`` says that the server told it, and that nothing was estimated.
        """
        with self._lock:
            self._add(
                taken.input_tokens - reserved.input_tokens,
                taken.output_tokens - reserved.output_tokens,
            )
            self._estimated = self._estimated or not stated

    def rated(self, *, stored: bool) -> None:
        """Count a reply that is valid."""
        with self._lock:
            self._rated += 1
            self._stored += stored

    def failed(self) -> None:
        """Count a rating that did not come."""
        with self._lock:
            self._failed += 1

    def account(self) -> JudgeAccount:
        """Give the counts so far."""
        with self._lock:
            return JudgeAccount(
                model=self._spec.model,
                host=self._spec.host,
                calls=self._calls,
                rated=self._rated,
                stored=self._stored,
                failed=self._failed,
                input_tokens=self._sent.input_tokens,
                output_tokens=self._sent.output_tokens,
                estimated=self._estimated,
                usd=self._usd(self._sent),
            )

    def _add(self, input_tokens: int, output_tokens: int) -> None:
        sent = self._sent
        self._sent = Tokens(
            sent.input_tokens + input_tokens, sent.output_tokens + output_tokens
        )

    def _usd(self, sent: Tokens) -> float | None:
        price = self._spec.price
        return cost(sent, price.input, price.output) if price else None

    def _limit_passed(self, wanted: Tokens, elapsed: float) -> str:
        """Name the limit that a call would pass; nothing where it passes none."""
        budget, sent = self._spec.budget, self._sent
        total = Tokens(
            sent.input_tokens + wanted.input_tokens,
            sent.output_tokens + wanted.output_tokens,
        )
        limits = (
            ("max_calls", budget.max_calls, self._calls + 1),
            ("max_tokens", budget.max_tokens, sum(total)),
            ("max_usd", budget.max_usd, self._usd(total)),
            ("max_minutes", budget.max_minutes, elapsed / 60),
        )
        for name, most, taken in limits:
            if most is not None and taken is not None and taken > most:
                return f"{name} {plain(most)}"
        return ""


def cost(sent: Tokens, per_input: float, per_output: float) -> float:
    """Give the cost in USD, by prices for a million tokens."""
    total = sent.input_tokens * per_input + sent.output_tokens * per_output
    return total / _MILLION
