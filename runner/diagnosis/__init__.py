"""Names the first layer that failed in a failing case, from one table of rules.

Pass marks decide whether a case fails; the rules only say where. A failing case is
charged to the first layer whose test fails; later ones are *also*. A layer for which
there is no evidence is *undetermined*, and never counts as healthy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from runner.diagnosis._attribution import attributed
from runner.diagnosis._rules import RULES, UNKNOWN, ReplyFacts, Rule
from runner.model import (
    LAYERS,
    Case,
    Explained,
    Failed,
    Failure,
    Finding,
    Layer,
    Measure,
    Response,
    Score,
)
from runner.scores import NO_REPLY, Asked, Scope, declined
from runner.spec import DEFAULT_MARKS, DiagnosisMarks
from runner.units import tell_apart

__all__ = ["Examiner", "attributed", "empty_answer", "failed_call"]

PASSED = Finding("passed")
LUCKY = Finding("passed", lucky=True)


class Mark(NamedTuple):
    """What one score must reach for a case to pass: a floor, or a ceiling."""

    position: int
    """Of the score in a case's row."""
    measure: Measure
    mark: float
    sign: int
    """1 for a floor, -1 for a ceiling."""

    def met(self, score: float) -> bool:
        """Whether a score is good enough; compared after rounding to 1e-9."""
        return round(self.sign * (self.mark - score), 9) <= 0

    @property
    def examines(self) -> bool:
        """Whether a score on it says that the answer itself was looked at."""
        return self.measure.metric.examines


def empty_answer(response: Response) -> Failure | None:
    """Give the failure of a reply with an empty answer; None where it can be judged.

    An empty answer is neither a refusal nor an answer. It is none where the flag says
    that the system declined, nor where the system gives no answers at all.
    """
    answer, raw = response.answer, response.raw_answer
    if answer is None or response.refused or any(map(_shows, answer)):
        return None
    what = "the answer is empty"
    if raw and any(map(_shows, raw)):
        what = "nothing is left of the answer without citation marks and what is cut"
    return Failure(
        "service.empty_answer", what, latency=response.latency, shown=response
    )


def _shows(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def failed_call(case: Case, failure: Failure, scope: Scope) -> Finding:
    """Give the finding for a case to which no usable reply came: an error.

    What came all the same is examined for leaks alone, which nothing excuses.
    """
    finding = Finding("error", "service", failure.cause, failure.message)
    if failure.shown is None or not case.has_walls:
        return finding
    asked = Asked(case, failure.shown, scope, None, NO_REPLY)
    facts = ReplyFacts(asked, DiagnosisMarks())
    causes, _ = _collapsed(facts, [rule for rule in RULES if rule.layer == "isolation"])
    if "isolation" not in causes:
        return finding
    cause, evidence = causes["isolation"]
    told = f"it leaks, as {evidence}; {failure.message}"
    return finding._replace(evidence=told, also=(cause,))


class Examiner:
    """Decides of each case whether it passed, and where it collapsed if not."""

    def __init__(
        self,
        measures: Sequence[Measure],
        pass_marks: Mapping[str, float],
        marks: DiagnosisMarks,
    ) -> None:
        self._marks = marks
        self._pass = tuple(
            Mark(
                position,
                measure,
                pass_marks[measure.label],
                1 if measure.better == "higher" else -1,
            )
            for position, measure in enumerate(measures)
            if measure.label in pass_marks
        )
        self._examining = [mark.position for mark in self._pass if mark.examines]
        self._retrieval = [
            m.position for m in self._pass if m.measure.layer == "retrieval"
        ]

    def decides_by(self, positions: Iterable[int]) -> bool:
        """Whether a pass mark stands on one of these scores of a row."""
        marked = {mark.position for mark in self._pass}
        return not marked.isdisjoint(positions)

    def diagnose(self, asked: Asked, scores: Sequence[Score]) -> Finding:
        """Give outcome, first collapsed layer, cause and evidence of one case."""
        unmet = [
            (mark, score)
            for mark in self._pass
            if isinstance(score := scores[mark.position], float) and not mark.met(score)
        ]
        if unmet:
            return self._charge(asked, unmet)
        if self._undetermined(asked, scores):
            return Finding("undetermined")
        return LUCKY if asked.has_hit is False else PASSED

    def _undetermined(self, asked: Asked, scores: Sequence[Score]) -> bool:
        if Failed in [type(scores[mark.position]) for mark in self._pass]:
            return True
        # A system that gives no answers is examined by what it finds.
        gives_none = asked.response.answer is None
        examining = self._examining + self._retrieval * gives_none
        return float not in [type(scores[position]) for position in examining]

    def _charge(self, asked: Asked, unmet: Sequence[tuple[Mark, float]]) -> Finding:
        if asked.declined is None:  # nothing that is measured asked for it
            asked = asked._replace(declined=declined(asked.case, asked.response))
        found, unknown = _collapsed(ReplyFacts(asked, self._marks))
        own = [
            each for each in unmet if each[0].measure.metric.name not in DEFAULT_MARKS
        ]
        for mark, score in own or ([] if found else unmet):
            found.setdefault(mark.measure.layer, _below_mark(mark, score))
        first, *later = [layer for layer in LAYERS if layer in found]
        before = LAYERS[: LAYERS.index(first)]
        return Finding(
            "failed",
            first,
            *found[first],
            also=tuple(found[layer][0] for layer in later),
            undetermined=tuple(layer for layer in before if layer in unknown),
        )


def _below_mark(mark: Mark, score: float) -> tuple[str, str]:
    """Give cause and evidence for a missed pass mark where every rule holds."""
    layer = mark.measure.layer
    cause = "answer.incorrect" if layer == "answer" else f"{layer}.below_mark"
    now, wanted = tell_apart(score, mark.mark)
    missed = f"{mark.measure.label} is {now}, its mark is {wanted}"
    if isinstance(score, Explained):
        return score.cause, f"{score.evidence}; {missed}"
    return cause, missed


def _collapsed(
    facts: ReplyFacts, rules: Iterable[Rule] = RULES
) -> tuple[dict[Layer, tuple[str, str]], set[Layer]]:
    """Give cause and evidence of each collapsed layer, and the unknown layers."""
    found: dict[Layer, tuple[str, str]] = {}
    known: set[Layer] = {"service"}
    for rule in rules:
        layer = rule.layer
        if layer in found or (rule.cause == "refusal.over" and _lacked_context(found)):
            continue
        evidence = rule.test(facts)
        if evidence is not UNKNOWN:
            known.add(layer)
        if isinstance(evidence, str):
            found[layer] = (rule.cause, evidence)
    return found, {layer for layer in LAYERS if layer not in known}


def _lacked_context(found: Mapping[Layer, object]) -> bool:
    """Whether declining was right, as the system had not read what it takes."""
    return "retrieval" in found or "context" in found
