"""What ``calibration.json`` holds: figures and fingerprints, no texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from runner.agreement import Contingency, auroc, tally
from runner.errors import Place
from runner.inference import wilson
from runner.model import Better, Frozen
from runner.readback import read_back

FORMAT_VERSION = 1
_CLOSE = 1e-6

Identity = dict[str, str | int | float | bool | None]
"""What of a judge decides its ratings, by name: the model, its temperature."""

MarkSource = Literal["option", "pass"]
"""Who says which score is good: ``--good``, or the spec under ``pass``."""


class TaskFingerprint(Frozen):
    """What a judge is asked to do, as far as that decides its ratings."""

    version: int
    prompts: dict[str, str]
    """Language to the hash of the prompt's template."""


class Agreement(Frozen):
    """How far judge and people agree over the labels of a language, a slice, or all.

    ``good`` is what people labelled so, and what the judge scored at its mark or
    better.
    """

    labels: int = Field(ge=0)
    """Items that people labelled."""
    failed: int = Field(default=0, ge=0)
    """Of them, those on which the judge should have given a score and gave none."""
    unscored: int = Field(default=0, ge=0)
    """Of them, those to which the metric does not apply."""
    both_good: int = Field(default=0, ge=0)
    judge_alone: int = Field(default=0, ge=0)
    """Good by the judge, bad by people."""
    people_alone: int = Field(default=0, ge=0)
    both_bad: int = Field(default=0, ge=0)
    kappa: float | None = None
    """Cohen's; None where it is not defined."""
    interval: tuple[float, float] | None = None
    """Of kappa, at 95 %."""
    auroc: float | None = Field(default=None, ge=0, le=1)
    """How often the judge scores a good item above a bad one."""

    @property
    def table(self) -> Contingency:
        """The items that both sorted, the judge first."""
        return Contingency(
            self.both_good, self.judge_alone, self.people_alone, self.both_bad
        )

    @property
    def good(self) -> int:
        """Scored items that people call good."""
        return self.both_good + self.people_alone

    @property
    def bad(self) -> int:
        """Scored items that people call bad."""
        return self.both_bad + self.judge_alone

    @classmethod
    def of(
        cls,
        rated: Iterable[tuple[float, bool, bool]],
        *,
        failed: int = 0,
        unscored: int = 0,
    ) -> Self:
        """Count items.

        Args:
            rated: Per item the judge's score, higher is better, whether that is good,
                and whether people call it good.
            failed: Items without the score that they should have.
            unscored: Items to which the metric does not apply.
        """
        items = list(rated)
        table = tally((by_judge, by_people) for _, by_judge, by_people in items)
        scores, people = [item[0] for item in items], [item[2] for item in items]
        return cls(
            labels=len(items) + failed + unscored,
            failed=failed,
            unscored=unscored,
            both_good=table.both_good,
            judge_alone=table.first_alone,
            people_alone=table.second_alone,
            both_bad=table.both_bad,
            kappa=table.kappa,
            interval=table.interval,
            auroc=auroc(scores, people),
        )

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        """Refuse figures that are not those of the counts: somebody edited them."""
        parts = self.table.total + self.failed + self.unscored
        if parts != self.labels:
            raise ValueError(f"labels is {self.labels}, and its parts are {parts}")
        kappa, edges = self.table.kappa, self.table.interval
        for name, said, found in (
            ("kappa", (self.kappa,), (kappa,)),
            ("interval", self.interval or (None,), edges or (None,)),
        ):
            if not _are_alike(said, found):
                raise ValueError(f"{name} is not what the counts give")
        return self


def _are_alike(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    return len(one) == len(other) and all(
        a == b or (a is not None and b is not None and abs(a - b) < _CLOSE)
        for a, b in zip(one, other, strict=True)
    )


class Flips(Frozen):
    """How often the judge decided otherwise on a changed copy of the same items."""

    items: int = Field(ge=0)
    """Those with a score before and after."""
    to_good: int = Field(default=0, ge=0)
    to_bad: int = Field(default=0, ge=0)
    failed: int = Field(default=0, ge=0)
    """Items whose copy got no score."""

    @property
    def rate(self) -> float | None:
        """The share of items that changed sides; None without items."""
        return (self.to_good + self.to_bad) / self.items if self.items else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, of the rate, at 95 %."""
        rate = self.rate
        return None if rate is None else wilson(rate, self.items)


class Entry(Frozen):
    """One metric, as the judge measures it."""

    version: int
    options: dict[str, Any] = Field(default_factory=dict)
    tasks: dict[str, TaskFingerprint]
    """By name, those that the metric has the judge do."""
    better: Better = "higher"
    mark: float
    """The score from which on, in its direction, the judge calls an item good."""
    mark_from: MarkSource
    whole: Agreement
    languages: dict[str, Agreement]
    slices: dict[str, Agreement] = Field(default_factory=dict)
    flips: dict[str, Flips] = Field(default_factory=dict)
    """By what was changed."""


class Labels(Frozen):
    """What the judge was held against."""

    file: str
    sha256: str
    annotators: int = Field(default=1, ge=0)
    disputed: int = Field(default=0, ge=0)
    """Items that were left out, as people are divided."""


class Calibration(Frozen):
    """A judge beside people, metric by metric."""

    format_version: int = FORMAT_VERSION
    made: date
    """In UTC."""
    judge: Identity
    labels: Labels
    metrics: dict[str, Entry]
    """By label, as the spec names them."""
    version: str = ""
    """Of rag-eval-action."""


def read(text: str | bytes, place: Place) -> Calibration:
    """Give the calibration in the text of a ``calibration.json``.

    Raises:
        InputError: It is no JSON, of another format, or a figure is not what the
            format says or not what the counts beside it give.
    """
    what, hint = "calibration of a judge", "write it again with rag-eval calibrate"
    return read_back(text, Calibration, place, what=what, hint=hint)
