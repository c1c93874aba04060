"""Cases that are asked but do not gate for a time, and the notices about them.

A quarantine ends by itself. It excuses neither a leak nor a case of a red line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice

from runner.model import Case, Finding, Outcome, Quarantine, Quarantined, memberships
from runner.text.shorten import cut
from runner.units import count
from runner.units import listed as shown

FAR = 90  # days ahead beyond which a quarantine is hardly one
_NAMED = 3  # cases that are told one by one
_WHY = 120  # characters of a reason


def effective(
    cases: Iterable[Case], red_lines: Collection[str]
) -> Mapping[str, Quarantine]:
    """Give the quarantine of each case that is in no red line, whatever the day is."""
    return {
        case.id: case.quarantine
        for case in cases
        if case.quarantine and not _held(case, red_lines)
    }


def _held(case: Case, red_lines: Collection[str]) -> str:
    """Give the red line that a case is in, like ``tag=x``."""
    return next((line for line in red_lines if line in memberships(case)), "")


def excused(
    cases: Iterable[Case], red_lines: Collection[str], today: date
) -> frozenset[str]:
    """Give the ids of the cases that do not gate today."""
    found = effective(cases, red_lines)
    return frozenset(name for name, held in found.items() if today <= held.until)


def apart(finding: Finding) -> Finding:
    """Give the finding of a case in quarantine; a leak gates all the same."""
    if finding.leaks:
        return finding
    kept = finding._replace(outcome="quarantined", would_be=finding.outcome)
    return kept._replace(lucky=False)


def listed(
    cases: Sequence[Case], findings: Sequence[Finding], most: int
) -> tuple[Quarantined, ...]:
    """Give the first cases that did not gate, each with what came of it."""
    return tuple(islice(_listed(cases, findings), most))


def _listed(
    cases: Sequence[Case], findings: Sequence[Finding]
) -> Iterator[Quarantined]:
    for case, found in zip(cases, findings, strict=True):
        held = case.quarantine
        if held and found.outcome == "quarantined":
            yield Quarantined(
                id=case.id,
                until=held.until,
                why=held.why,
                owner=held.owner,
                outcome=found.would_be or "undetermined",
                layer=found.layer,
                cause=found.cause,
            )


def told(found: Sequence[Quarantined], total: int) -> Iterator[str]:
    """Name the cases that did not gate, with why and until when."""
    for each in found[:_NAMED]:
        whose = f"; {each.owner}" if each.owner else ""
        yield (
            f"{each.id} is in quarantine until {each.until} and does not gate: it "
            f"{_BECAME[each.outcome]} ({cut(' '.join(each.why.split()), _WHY)}{whose})"
        )
    if total > len(found[:_NAMED]):
        rest = count(total - len(found[:_NAMED]), "more case")
        yield f"{rest} in quarantine, of {total:,}; none of them gates"


_BECAME: Mapping[Outcome, str] = {
    "passed": "passes",
    "failed": "fails",
    "error": "got no usable reply",
    "undetermined": "is undetermined",
    "not_asked": "was not asked",
    "quarantined": "is undetermined",
}


def doubts(
    cases: Iterable[Case], red_lines: Collection[str], today: date
) -> Iterator[str]:
    """Warn of quarantines that have ended, have no effect or last too long."""
    ended, lined, far = [], [], []
    for case in cases:
        held = case.quarantine
        if held is None:
            continue
        if line := _held(case, red_lines):
            lined.append(f"{case.id} ({line})")
        elif held.until < today:
            ended.append(f"{case.id} ({held.until})")
        elif (held.until - today).days > FAR:
            far.append(f"{case.id} ({held.until})")
    yield from _naming("A quarantine has ended, so that its case gates again", ended)
    yield from _naming("A red line lets no case be in quarantine", lined)
    yield from _naming(f"A quarantine of more than {FAR} days is hardly one", far)


def _naming(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {shown(names, _NAMED)}"
