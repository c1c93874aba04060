"""The headline and the first paragraph: the verdict, and the layer that broke first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from runner.advice import ADVICE
from runner.model import Comparison, GateResult, Layer, Verdict
from runner.render._cases import cause_name, failing
from runner.render._gates import FEW, asks, status
from runner.render._layer_moves import by_search
from runner.render._numbers import number
from runner.render._sentence import (
    Piece,
    Sentence,
    join,
    named,
    quote,
    say,
    strong,
    told,
)
from runner.render._table import delta_of, unit_of
from runner.report import Report, broken_layer, gate_layer
from runner.units import count

Mark = Literal["passed", "warned", "failed", "error", "skipped"]


class Headline(NamedTuple):
    """The verdict in one line; ``warned``: passed, and a reader should look."""

    mark: Mark
    text: Sentence


def headline(report: Report) -> Headline:
    """Give the verdict with the counts behind it."""
    parts = _VERDICTS[report.verdict](report)
    text = say("RAG eval ", named(report.name), ": ", join(" · ", parts))
    return Headline(_mark(report), text)


def _mark(report: Report) -> Mark:
    looks_good = report.verdict == "passed"
    return "warned" if looks_good and _needs_look(report) else report.verdict


def _needs_look(report: Report) -> bool:
    return bool(_warnings(report)) or not report.gates


def _warnings(report: Report) -> list[GateResult]:
    bad = ("warned", "unmeasured", "failed")
    return [gate for gate in report.gates if status(gate) in bad]


def _passed(report: Report) -> list[Sentence]:
    warnings = len(_warnings(report))
    held = sum(gate.outcome == "passed" for gate in report.gates)
    text = f"{held:,} of {count(_count_evaluated(report), 'gate')} passed"
    if warnings:
        text = f"passed with {count(warnings, 'warning')}"
    if not report.gates:
        text = "passed, but nothing gates: the spec has no thresholds"
    return [say(text), *_left_out(report), *_baseline(report)]


def _left_out(report: Report) -> list[Sentence]:
    counts = {
        "not selected": sum(gate.outcome == "not_selected" for gate in report.gates),
        "without a baseline": 0 if report.baseline else _waiting(report),
    }
    return [say(f"{number:,} {what}") for what, number in counts.items() if number]


def _waiting(report: Report) -> int:
    """Give how many gates have no baseline to be held against; they ask nothing."""
    return sum(gate.outcome == "no_baseline" for gate in report.gates)


def _failed(report: Report) -> list[Sentence]:
    blocking = [gate for gate in report.gates if gate.blocks]
    text = f"{len(blocking):,} of {count(_count_evaluated(report), 'gate')} failed"
    return [
        *_red_lines(blocking),
        say(text if blocking else "failed"),
        *_left_out(report),
        *_baseline(report),
    ]


def _count_evaluated(report: Report) -> int:
    asks_nothing = ("not_selected", "no_baseline")
    return sum(gate.outcome not in asks_nothing for gate in report.gates)


def _red_lines(blocking: Sequence[GateResult]) -> list[Sentence]:
    """Give leaks and broken red lines, which come before any average."""
    broken = [gate for gate in blocking if gate.is_broken_red_line]
    leaked = [gate for gate in broken if gate.metric == "leakage"]
    if leaked:
        return [say(f"{count(len(leaked[0].cases), 'case')} leaked")]
    return [say("red line broken")] if broken else []


def _error(report: Report) -> list[Sentence]:
    totals = report.totals
    if not evaluated(report):
        return [say("not evaluated")]
    lost = [(totals.errors, "could not be evaluated"), (totals.not_asked, "not asked")]
    (first, what), *more = [entry for entry in lost if entry[0]] or lost[:1]
    head = say(f"{first:,} of {count(totals.cases, 'case')} {what}")
    return [head, *(say(f"{left:,} {why}") for left, why in more)]


def _skipped(_: Report) -> list[Sentence]:
    return [say("skipped")]


_VERDICTS: Mapping[Verdict, Callable[[Report], list[Sentence]]] = {
    "passed": _passed,
    "failed": _failed,
    "error": _error,
    "skipped": _skipped,
}


def evaluated(report: Report) -> bool:
    """Whether any case got a usable reply, so that scores mean something."""
    totals = report.totals
    replied = totals.passed + totals.failed + totals.undetermined + totals.quarantined
    return replied > 0


def _baseline(report: Report) -> list[Sentence]:
    compared = report.comparison
    if compared is None:
        missing = "baseline not read" if report.baseline_unread else "no baseline yet"
        return [say(missing)] if report.baseline else []
    if not compared.pairs:
        passes = "what passes is not comparable with the baseline"
        return [say(passes if compared.deltas else "baseline not comparable")]
    lost = len(compared.regressed) - compared.worse
    said = _flips(compared) or ([] if lost else [say("no regressions")])
    return [*said, *([say(count(lost, "new error"))] if lost else [])]


def _flips(compared: Comparison) -> list[Sentence]:
    worse, better = compared.worse, compared.better
    said = [say(f"{count(worse, 'case')} regressed")] if worse else []
    if better:
        cases = f"{better:,}" if worse else count(better, "case")
        said.append(say(f"{cases} fixed"))
    return said


def lead(report: Report) -> Sentence:
    """Give which layer to look at first and why, or that none fails."""
    if report.verdict == "skipped":
        return ()
    if report.verdict == "error":
        return _no_reply(report)
    layer = broken_layer(report)
    said = [_stands(gate, report) for gate in stated(report)]
    if report.verdict == "passed":
        return join(" ", [*said, _where_to_look(report, layer)])
    if layer is None:
        return join(" ", said)
    failed = any(gate.blocks and gate.outcome == "failed" for gate in report.gates)
    what = "broke first" if failed else "could not be measured"
    broke = say(strong(f"{layer.capitalize()} {what}."))
    charged = _main_cause(report, layer)
    return join(" ", [broke, *said[:1], charged, by_search(report), *said[1:]])


def stated(report: Report) -> list[GateResult]:
    """Give the gates of the first paragraph: the first to break, and red lines."""
    if report.verdict == "passed":
        return _warnings(report)[:FEW]
    if report.verdict != "failed":
        return []
    blocking = [gate for gate in report.gates if gate.blocks]
    layer = broken_layer(report)
    if layer is None:
        return blocking[:FEW]
    own = [gate for gate in blocking if gate_layer(gate, report) == layer]
    first = sorted(own or blocking, key=_weight)[:1]
    lines = [gate for gate in blocking if gate.is_broken_red_line and gate not in first]
    return [*first, *lines[:FEW]]


def _weight(gate: GateResult) -> int:
    """Rank a gate in its layer: a leak first, a red line by tag last."""
    return 0 if gate.metric == "leakage" else 2 if gate.is_broken_red_line else 1


def _where_to_look(report: Report, layer: Layer | None) -> Sentence:
    if layer is None:
        return say("No case fails." if not failing(report) else "")
    where = say(f"Where to look first: {layer}.")
    return join(" ", [where, _main_cause(report, layer), by_search(report)])


def _main_cause(report: Report, layer: Layer) -> Sentence:
    """Give how many failing cases fail in the layer, and the cause of most of them."""
    counts = report.layers.get(layer)
    if not (counts and counts.first):
        return ()
    verb = "fails" if counts.first == 1 else "fail"
    share = f"{counts.first:,} of {count(failing(report), 'failing case')}"
    return say(f"{share} {verb} here first", _usual(counts.causes), ".")


def _usual(causes: Mapping[str, int]) -> Sentence:
    numbers = sorted(causes.values(), reverse=True)
    if not numbers or numbers[:1] == numbers[1:2]:
        return ()
    cause = cause_name(max(causes, key=lambda name: causes[name]))
    return say(", most often ", cause) if numbers[1:] else say(" (", cause, ")")


def _stands(gate: GateResult, report: Report) -> Sentence:
    """Describe a gate that did not pass."""
    if gate.is_broken_red_line:
        return _red_line(gate)
    has_limit = gate.rule in ("min", "max") and gate.outcome == "failed"
    if not has_limit or gate.value is None:
        message = gate.message or f"{gate.metric} fails its gate"
        if gate.rule == "yardstick":
            sentence = message.removeprefix("yardstick: ")
            message = sentence[:1].upper() + sentence[1:]
        return say(told(message.removesuffix(".")), ".")
    unit = unit_of(report, gate.metric)
    value = number(gate.value, unit, [gate.limit])
    part = say(" · ", quote(gate.slice)) if gate.slice else ()
    then = delta_of(report, gate.metric, gate.slice)
    before = f", baseline {number(then.baseline, unit)}" if then else ""
    asked = f"(gate {asks(gate, unit, 'higher')}{before})"
    return say(named(gate.metric), part, f" is {value} {asked}.")


def _red_line(gate: GateResult) -> Sentence:
    ids = few(gate.cases)
    if gate.metric == "leakage":
        return say(strong(f"{count(len(gate.cases), 'case')} leaked:"), " ", ids, ".")
    line = quote(gate.metric)
    return say(strong("Red line broken:"), " ", line, " by ", ids, ".")


def _no_reply(report: Report) -> Sentence:
    service = report.layers.get("service")
    causes = service.causes if service else {}
    cause = next(iter(causes), None)
    if cause is None:
        return ()
    remedy = ADVICE[cause].remedy if cause in ADVICE else ""
    nobody = cause == "service.not_recorded"  # no service was asked
    return say(
        strong("Not evaluated:" if nobody else "Service broke first:"),
        " ",
        cause_name(cause),
        f" ({causes[cause]:,}). ",
        remedy,
    )


def few(
    texts: Sequence[str],
    separator: str = ", ",
    write: Callable[[str], Piece] = quote,
) -> Sentence:
    """Give the first of some names or sentences, and how many more there are."""
    shown = [say(write(text)) for text in texts[:FEW]]
    hidden = len(texts) - len(shown)
    return say(join(separator, shown), f" and {hidden:,} more" if hidden else "")
