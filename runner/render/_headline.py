"""The verdict and the layer that broke first: what a notification mail shows."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from runner.advice import ADVICE
from runner.model import Comparison, GateResult, Verdict
from runner.render._cases import cause_name, failing
from runner.render._gates import rule, status, why
from runner.render._links import Links
from runner.render._numbers import number
from runner.render._said import (
    Piece,
    Said,
    foreign,
    join,
    link,
    say,
    strong,
)
from runner.render._table import unit_of
from runner.report import Report, broken_layer, gate_layer
from runner.units import count

Mark = Literal["passed", "warned", "failed", "error", "skipped"]
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)")
_NOTICES = 10
_FEW = 3


class Headline(NamedTuple):
    """The verdict in one line; ``warned``: passed, and a reader should look."""

    mark: Mark
    text: Said


def headline(report: Report) -> Headline:
    """Give the verdict with the counts behind it."""
    parts = _VERDICTS[report.verdict](report)
    text = say("RAG eval ", foreign(report.name), ": ", join(" · ", parts))
    return Headline(_mark(report), text)


def _mark(report: Report) -> Mark:
    looks_good = report.verdict == "passed"
    return "warned" if looks_good and _needs_look(report) else report.verdict


def _needs_look(report: Report) -> bool:
    return _warnings(report) > 0 or not report.gates


def _warnings(report: Report) -> int:
    return sum(
        status(gate) in ("warned", "unmeasured", "failed") for gate in report.gates
    )


def _passed(report: Report) -> list[Said]:
    warnings = _warnings(report)
    asked = [gate for gate in report.gates if gate.outcome != "not_selected"]
    held = sum(gate.outcome == "passed" for gate in asked)
    text = f"{held:,} of {count(len(asked), 'gate')} passed"
    if warnings:
        text = f"passed with {count(warnings, 'warning')}"
    if not report.gates:
        text = "passed, but nothing gates: the spec has no thresholds"
    return [say(text), *_left_out(report), *_baseline(report)]


def _left_out(report: Report) -> list[Said]:
    gates = sum(gate.outcome == "not_selected" for gate in report.gates)
    return [say(f"{gates:,} not selected")] if gates else []


def _failed(report: Report) -> list[Said]:
    broken = sum(gate.blocks for gate in report.gates)
    asked = sum(gate.outcome != "not_selected" for gate in report.gates)
    text = f"{broken:,} of {count(asked, 'gate')} failed"
    said = say(text if broken else "failed")
    return [said, *_left_out(report), *_baseline(report)]


def _error(report: Report) -> list[Said]:
    totals = report.totals
    if not evaluated(report):
        return [say("not evaluated")]
    lost = [(totals.errors, "could not be evaluated"), (totals.not_asked, "not asked")]
    (first, what), *more = [entry for entry in lost if entry[0]] or lost[:1]
    head = say(f"{first:,} of {count(totals.cases, 'case')} {what}")
    return [head, *(say(f"{left:,} {why}") for left, why in more)]


def _skipped(_: Report) -> list[Said]:
    return [say("skipped")]


_VERDICTS: Mapping[Verdict, Callable[[Report], list[Said]]] = {
    "passed": _passed,
    "failed": _failed,
    "error": _error,
    "skipped": _skipped,
}


def evaluated(report: Report) -> bool:
    """Give whether any case got a usable reply, so that numbers mean something."""
    totals = report.totals
    return totals.passed + totals.failed + totals.undetermined > 0


def _baseline(report: Report) -> list[Said]:
    compared = report.comparison
    if compared is None:
        return [say("no baseline yet")] if report.baseline else []
    if not compared.pairs:
        return [say("baseline ignored: nothing in it is comparable")]
    flips = [(len(compared.regressed), "regressed"), (len(compared.fixed), "fixed")]
    said = [
        say(f"{count(cases, 'case')} {how}" if not place else f"{cases:,} {how}")
        for place, (cases, how) in enumerate(flips)
        if cases
    ]
    return said or [say("no regressions")]


def lead(report: Report) -> Said:
    """Give which layer to look at first, and why; or that none fails."""
    if report.verdict == "skipped":
        return ()
    if report.verdict == "error":
        return _no_reply(report)
    layer = broken_layer(report)
    blocking = [gate for gate in report.gates if gate.blocks]
    if layer is None:
        return _broken_gate(report, blocking[:1]) or say("No case fails.")
    counts = report.layers.get(layer)
    first = counts.first if counts else 0
    share = f"{first:,} of {count(failing(report), 'failing case')}"
    causes = counts.causes if counts else {}
    usual = say(", most often ", cause_name(next(iter(causes)))) if causes else ()
    charged = say(f" {share} {_verb(first)} here first", usual, ".") if first else ()
    if report.verdict == "passed":
        return say(f"Where to look first: {layer}.", charged)
    failed = any(gate.outcome == "failed" for gate in blocking)
    what = "broke first" if failed else "could not be measured"
    return say(
        strong(f"{layer.capitalize()} {what}."), *_evidence(report, layer), charged
    )


def _verb(cases: int) -> str:
    return "fails" if cases == 1 else "fail"


def _evidence(report: Report, layer: str) -> list[Said]:
    """Give the first blocking gate of the layer, or of the run where it has none."""
    blocking = [gate for gate in report.gates if gate.blocks]
    own = [gate for gate in blocking if gate_layer(gate, report) == layer]
    return [say(" ", _broken_gate(report, (own or blocking)[:1]))]


def _broken_gate(report: Report, gates: list[GateResult]) -> Said:
    if not gates:
        return ()
    gate = gates[0]
    if gate.cases and gate.outcome == "failed":
        return say("Red line broken by ", _few(gate.cases), ".")
    told = gate.rule in ("min", "max") and gate.outcome == "failed"
    if not told or gate.value is None:
        return say(why(gate) or say(foreign(gate.metric), " fails its gate"), ".")
    unit = unit_of(report, gate.metric)
    is_now = f" is {number(gate.value, unit, [gate.limit])}, gate "
    part = say(" · ", foreign(gate.slice)) if gate.slice else ()
    return say(foreign(gate.metric), part, is_now, rule(gate, unit, "higher"), ".")


def _no_reply(report: Report) -> Said:
    service = report.layers.get("service")
    causes = service.causes if service else {}
    cause = next(iter(causes), None)
    if cause is None:
        return ()
    remedy = ADVICE[cause].remedy if cause in ADVICE else ""
    return say(
        strong("Service broke first:"),
        " ",
        cause_name(cause),
        f" ({causes[cause]:,}). ",
        remedy,
    )


def totals(report: Report) -> str:
    """Give the cases by outcome."""
    counted = report.totals
    outcomes = {
        "passed": counted.passed,
        "failed": counted.failed,
        "undetermined": counted.undetermined,
        "error" if counted.errors == 1 else "errors": counted.errors,
        "not asked": counted.not_asked,
    }
    parts = ", ".join(
        f"{number:,} {name}" for name, number in outcomes.items() if number
    )
    return f"{count(counted.cases, 'case')}: {parts}" if parts else ""


def banners(report: Report, *, kept: bool = False) -> list[Said]:
    """Give what must be read with the numbers: reasons, filters, notices.

    ``kept``: how a baseline is made of this run is said elsewhere.
    """
    said = []
    blocking = any(gate.blocks for gate in report.gates)
    if report.verdict in ("error", "skipped") or not blocking:
        said += [say(foreign(reason)) for reason in report.reasons]
    if report.verdict == "error" and evaluated(report):
        said.append(say("The numbers below are over the rest, and not final."))
    if report.filters:
        said.append(say("Only a part of the cases was asked: ", _few(report.filters)))
    if report.comparison is None and report.baseline and report.verdict != "error":
        how = () if kept else _how_to_save(report.spec, report.baseline)
        said.append(say("No baseline yet, so only absolute limits hold.", how))
    said += _ignored(report)
    said += [say(foreign(notice)) for notice in report.notices]
    if len(said) <= _NOTICES:
        return said
    more = say(f"{len(said) - _NOTICES:,} more in results.json")
    return [*said[:_NOTICES], more]


def _how_to_save(spec: str, written: str) -> Said:
    # A spec's paths start at its own folder, or with a slash at the workspace.
    start = "" if written.startswith("/") else posixpath.dirname(spec)
    place = posixpath.normpath(posixpath.join(start, written.lstrip("/")))
    command = f"rag-eval baseline save RESULTS --to {place}"
    return say(" To make one: ", foreign(command))


def _ignored(report: Report) -> list[Said]:
    unlike = report.comparison.not_comparable if report.comparison else ()
    if not unlike:
        return []
    return [say("Not comparable with the baseline: ", _few(unlike, "; "))]


def _few(texts: Sequence[str], separator: str = ", ") -> Said:
    shown = [say(foreign(text)) for text in texts[:_FEW]]
    hidden = len(texts) - len(shown)
    return say(join(separator, shown), f" and {hidden:,} more" if hidden else "")


def footer(report: Report, links: Links) -> Said:
    """Give what the numbers are of: commits, run, time, version."""
    head = report.commit or links.commit
    merge = links.merge if links.merge != head else ""
    compared = report.comparison
    return join(
        " · ",
        [
            say("commit ", _commit(head, links)) if head else (),
            say("evaluated as merge ", _commit(merge, links)) if merge else (),
            _of_baseline(compared, links) if compared else (),
            say(link("workflow run", links.run_url)) if links.run_url else (),
            _moment(report.started) if report.started else (),
            say(f"took {number(report.duration_s, 's')}") if report.duration_s else (),
            say("rag-eval-action ", foreign(report.version)) if report.version else (),
        ],
    )


def _commit(commit: str, links: Links) -> Piece:
    return foreign(commit[:7], links.commit_url(commit))


def _of_baseline(compared: Comparison, links: Links) -> Said:
    then = _moment(compared.started) if compared.started else ()
    said = join(
        " of ",
        [say(_commit(compared.commit, links)) if compared.commit else (), then],
    )
    return say("baseline ", said) if said else ()


def _moment(text: str) -> Said:
    found = _MOMENT.match(text)
    return say(f"{found[1]} {found[2]} UTC") if found else say(foreign(text))
