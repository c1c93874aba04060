"""Cases that are asked and do not gate until a date, and the notices about them.

A quarantine ends by itself. It excuses neither a leak nor a case of a red line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice

from runner.model import Case, Finding, Outcome, Quarantine, Quarantined, memberships
from runner.text.shorten import cut
from runner.units import count, listed

LONGEST = 90  # days that a quarantine may last without a warning
_NAMED = 3  # cases that a notice names
_WHY = 120  # characters of a reason in a notice


def effective(
    cases: Iterable[Case], red_lines: Collection[str]
) -> Mapping[str, Quarantine]:
    """Give the quarantines by case id, ended ones too, without cases of a red line."""
    return {
        case.id: case.quarantine
        for case in cases
        if case.quarantine and not _red_line(case, red_lines)
    }


def _red_line(case: Case, red_lines: Collection[str]) -> str:
    """Give the red line that a case is in, like ``tag=x``; empty for none."""
    return next((line for line in red_lines if line in memberships(case)), "")


def excused(
    cases: Iterable[Case], red_lines: Collection[str], today: date
) -> frozenset[str]:
    """Give the ids of the cases that do not gate today."""
    found = effective(cases, red_lines)
    return frozenset(name for name, held in found.items() if today <= held.until)


def quarantined(finding: Finding) -> Finding:
    """Give the finding as that of a case in quarantine; a leak stays as it is."""
    if finding.leaks:
        return finding
    kept = finding._replace(outcome="quarantined", would_be=finding.outcome)
    return kept._replace(lucky=False)


def in_quarantine(
    cases: Sequence[Case], findings: Sequence[Finding], most: int
) -> tuple[Quarantined, ...]:
    """Give the first ``most`` cases that did not gate, each with its outcome."""
    return tuple(islice(_in_quarantine(cases, findings), most))


def _in_quarantine(
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


def quarantine_notices(found: Sequence[Quarantined], total: int) -> Iterator[str]:
    """Name the first of the ``total`` cases that did not gate, why and until when."""
    for each in found[:_NAMED]:
        why = cut(" ".join(each.why.split()), _WHY)
        owner = f"; {each.owner}" if each.owner else ""
        yield (
            f"{each.id} is in quarantine until {each.until} and does not gate: it "
            f"{_OUTCOMES[each.outcome]} ({why}{owner})"
        )
    if total > len(found[:_NAMED]):
        rest = count(total - len(found[:_NAMED]), "more case")
        yield f"{rest} in quarantine, of {total:,}; none of them gates"


_OUTCOMES: Mapping[Outcome, str] = {
    "passed": "passes",
    "failed": "fails",
    "error": "got no usable reply",
    "undetermined": "is undetermined",
    "not_asked": "was not asked",
    "quarantined": "is undetermined",
}


def quarantine_warnings(
    cases: Iterable[Case], red_lines: Collection[str], today: date
) -> Iterator[str]:
    """Warn of quarantines that have ended, have no effect or last too long."""
    ended, in_red_line, long = [], [], []
    for case in cases:
        held = case.quarantine
        if held is None:
            continue
        if line := _red_line(case, red_lines):
            in_red_line.append(f"{case.id} ({line})")
        elif held.until < today:
            ended.append(f"{case.id} ({held.until})")
        elif (held.until - today).days > LONGEST:
            long.append(f"{case.id} ({held.until})")
    yield from _naming("A quarantine has ended, so that its case gates again", ended)
    yield from _naming("A red line lets no case be in quarantine", in_red_line)
    yield from _naming(f"A quarantine of more than {LONGEST} days is hardly one", long)


def _naming(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {listed(names, _NAMED)}"
