"""What GitHub shows of a step: its summary, its outputs, annotations, the log.

All of it is text that others may have had a hand in. Secrets are masked, and nothing in
it can become a command to the runner.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from runner import render
from runner.advice import ADVICE
from runner.errors import InputError, Place, RagEvalError, Unavailable, reason
from runner.redact import Redactor
from runner.report import FailedCase, Report
from runner.text.shorten import cut

SUMMARY_LIMIT = 2**20  # bytes of a step; GitHub drops all of a larger one
ANNOTATIONS = 10  # of a level that GitHub keeps for a step
MESSAGE = 1_000  # characters of an annotation


class Annotation(NamedTuple):
    """A message at a line of a file."""

    level: Literal["error", "warning", "notice"]
    title: str
    message: str
    place: Place | None = None


class Workflow:
    """The outputs of a step: its log, output variables, summary and annotations.

    Args:
        environ: Names the files to write to; where one is absent, as outside of a
            workflow, what would go there is logged, but for the summary.
        echo: Writes one text to the log.
        redactor: Masks the secrets.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        echo: Callable[[str], object],
        redactor: Redactor,
    ) -> None:
        self._summary = environ.get("GITHUB_STEP_SUMMARY") or None
        self._outputs = environ.get("GITHUB_OUTPUT") or None
        self._echo = echo
        self._text = redactor.text

    def log(self, text: str) -> None:
        """Write a text to the log, so that no line of it is a workflow command."""
        end = secrets.token_hex(16)
        shown = render.harmless(self._text(text)).rstrip("\n")
        self._echo(f"::stop-commands::{end}\n{shown}\n::{end}::")

    def outputs(self, values: Mapping[str, str]) -> None:
        """Set outputs of the step; a later value replaces an earlier one.

        Raises:
            Unavailable: They cannot be written, and later steps would go without.
        """
        masked = {name: self._text(value) for name, value in values.items()}
        if self._outputs is None:
            self.log("\n".join(f"{name}={value}" for name, value in masked.items()))
        else:
            try:
                _append(self._outputs, "".join(map(_output, masked.items())))
            except OSError as error:
                where = Place("GITHUB_OUTPUT")
                what = f"cannot be written: {reason(error)}"
                raise Unavailable(what, where=where) from error

    def summary(self, *texts: str) -> None:
        """Append the first of the texts that the summary still has room for.

        Nothing is appended where there is room for none. Where it cannot be written,
        the log says so, and the verdict stands.
        """
        if self._summary is None:
            return
        try:
            taken = _size(self._summary)
            for text in map(self._text, texts):
                if taken + len(text.encode()) + 1 <= SUMMARY_LIMIT:
                    _append(self._summary, f"{text}\n")
                    return
        except OSError as error:
            self.log(f"GITHUB_STEP_SUMMARY: cannot be written: {reason(error)}")

    def annotate(self, annotations: Iterable[Annotation]) -> None:
        """Show annotations; where a level has too many, its last says how many more."""
        found = tuple(annotations)
        for level in ("error", "warning", "notice"):
            own = [each for each in found if each.level == level]
            kept = own if len(own) <= ANNOTATIONS else own[: ANNOTATIONS - 1]
            for annotation in kept:
                self._echo(self._text(command(annotation)))
            if rest := len(own) - len(kept):
                self._echo(f"::{level}::and {rest} more; see the summary")


def command(annotation: Annotation) -> str:
    r"""Give the workflow command that makes an annotation.

    >>> command(Annotation("error", "Gate: mrr", "low\n", Place("a,b.yaml", 3)))
    '::error file=a%2Cb.yaml,line=3,title=Gate%3A mrr::low%0A'
    """
    place = annotation.place
    properties = {
        "file": place.file if place else "",
        "line": str(place.line or "") if place else "",
        "title": annotation.title,
    }
    shown = ",".join(
        f"{name}={_property(value)}" for name, value in properties.items() if value
    )
    message = cut(annotation.message, MESSAGE)
    return f"::{annotation.level} {shown}::{_data(message)}"


def of_report(report: Report) -> Iterator[Annotation]:
    """Give an annotation for each gate that failed, on its own line of the spec."""
    for gate in report.gates:
        if gate.outcome not in ("failed", "unmeasured"):
            continue
        title = f"{report.name}: {gate.metric} {gate.outcome}"
        level: Literal["error", "warning"] = "error" if gate.blocks else "warning"
        yield Annotation(level, title, gate.message, Place(report.spec, gate.line))


def of_cases(report: Report) -> Iterator[Annotation]:
    """Give a warning for each case that fails, on its own line, the regressed first.

    A case without a usable reply is not among them: the fault is not at its line.
    """
    regressed = report.comparison.regressed if report.comparison else ()
    quoted = {case.id: case for case in report.failures}
    for name in dict.fromkeys((*regressed, *quoted)):
        case = quoted.get(name)
        place = report.places.get(name) or case
        if place and place.file and not (case and case.outcome == "error"):
            how = "regressed" if name in regressed else "fails"
            title = f"{report.name}: {name} {how}"
            said = _failing(case) if case else "it passed in the baseline"
            yield Annotation("warning", title, said, Place(place.file, place.line))


def _failing(case: FailedCase) -> str:
    if case.cause is None:
        return "no test names the layer"
    meaning = ADVICE[case.cause].meaning if case.cause in ADVICE else ""
    said = "; ".join(filter(None, (meaning, case.evidence)))
    return f"{said} ({case.cause})"


def of_error(error: RagEvalError, spec: str) -> Iterator[Annotation]:
    """Give an annotation for each mistake, where it stands; else on the spec."""
    each = islice(error, ANNOTATIONS * 2) if isinstance(error, InputError) else (error,)
    title = "Mistake" if isinstance(error, InputError) else "Not evaluated"
    for one in each:
        yield Annotation("error", title, str(one), one.where or Place(spec))


def _output(pair: tuple[str, str]) -> str:
    name, value = pair
    # Nobody can guess the delimiter, and so no value can end itself and set another.
    end = f"end-{secrets.token_hex(16)}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def _size(file: str) -> int:
    path = Path(file)
    return path.stat().st_size if path.exists() else 0


def _append(file: str, text: str) -> None:
    with Path(file).open("a", encoding="utf-8", errors="replace") as stream:
        stream.write(text)


def _data(text: str) -> str:
    return render.clean(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
