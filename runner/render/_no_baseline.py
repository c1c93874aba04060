"""The sentence on a run without a baseline: that there is none, and how to make one."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from runner.model import BaselineKind
from runner.render._sentence import Sentence, quote, say, told
from runner.report import Report


def no_baseline(report: Report, *, kept: bool) -> Sentence:
    """Say that there is no baseline yet; empty where the spec names none.

    ``kept``: how a baseline is made of this run is said elsewhere.
    """
    if report.comparison or not report.baseline or report.verdict == "error":
        return ()
    if report.baseline_unread:
        why = report.baseline_unread
        return say("The baseline could not be read: ", told(why), ".")
    how = () if kept else _HOW[report.baseline_kind](report.spec, report.baseline)
    return say("No baseline yet, so only absolute limits hold.", how)


def _path(spec: str, written: str) -> Sentence:
    place = quote(f"rag-eval baseline save RESULTS --to {_from_top(spec, written)}")
    of = " on the results of the default branch, and commit the folder."
    return say(" To make one, run ", place, of)


def _branch(_: str, written: str) -> Sentence:
    return say(
        " The action makes one in the branch ",
        quote(written),
        " when it runs on the default branch, on ",
        quote("push"),
        ", in a job with ",
        quote("permissions: {contents: write}"),
        ".",
    )


def _artifact(_: str, written: str) -> Sentence:
    return say(
        " A successful run on the base branch makes one where it uploads its results "
        "folder as the artifact ",
        quote(written),
        ".",
    )


def _results(spec: str, written: str) -> Sentence:
    place = quote(_from_top(spec, written))
    return say(" A step before this one has to bring results to ", place, ".")


def _from_top(spec: str, written: str) -> str:
    # A spec's paths start at its own folder, or with a slash at the workspace.
    start = "" if written.startswith("/") else posixpath.dirname(spec)
    return posixpath.normpath(posixpath.join(start, written.lstrip("/")))


def _endpoint(_spec: str, _written: str) -> Sentence:
    return ()  # it is asked in the run itself


_HOW: Mapping[BaselineKind, Callable[[str, str], Sentence]] = {
    "path": _path,
    "branch": _branch,
    "artifact": _artifact,
    "results": _results,
    "endpoint": _endpoint,
}
