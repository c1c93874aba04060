"""The comments of a step, one for each spec, which it makes last of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path, PurePath

from runner import render, results, settings
from runner.action._result import SpecResult
from runner.errors import Cancelled
from runner.github import comment
from runner.github.client import PATIENCE, GitHub, Pull, connect
from runner.github.comment import Draft, Marker, Written
from runner.github.workflow import Annotation, Workflow
from runner.redact import Redactor
from runner.render import Links
from runner.report import Report
from runner.settings import CommentOn, Settings
from runner.spec import accounts

NOTHING: Mapping[str, str] = {
    "comment-id": "",
    "comment-url": "",
    "comment-written": "false",
}
"""The outputs where there is no comment."""

_HURRY = 5.0  # seconds: a cancelled run is killed ten after it was told
_TITLE = "No comment in the pull request"
_TITLE_ODD = "The comment in the pull request"


class Commenter:
    """Creates and updates the comments of a step.

    Args:
        config: The inputs of the action, and its event.
        templates: The folder of the templates.
        redactor: Masks the secrets.
        step: Is told what became of it.
        note: Stands below every comment.
        calls: Owners of what failed are called; never from the results of others.
    """

    def __init__(
        self,
        config: Settings,
        templates: Path,
        redactor: Redactor,
        step: Workflow,
        note: str = "",
        *,
        calls: bool = False,
    ) -> None:
        self._config = config
        self._templates = templates
        self._text = redactor.text
        self._step = step
        self._note = note
        self._calls = calls

    def tell(self, ended: Sequence[SpecResult], specs: Sequence[str]) -> list[Written]:
        """Comment on each spec that ended; the others were cancelled.

        Gives what became of each comment, or why there can be none.
        """
        no_comment = settings.no_comment(self._config)
        if no_comment:
            # A spec that was skipped has its notice, and nobody misses a comment on it.
            skipped = all(each.notice for each in ended)
            hint = "" if skipped else no_comment.hint
            told = [Written("left", why=no_comment.why, hint=hint)]
            self._report(told)
            return told
        done = [each for each in ended if not isinstance(each.error, Cancelled)]
        stopped = specs[len(done) :]
        with closing(connect(self._config, _HURRY if stopped else PATIENCE)) as github:
            told = self._write(github, done, stopped)
        self._report(told)
        return told

    def _report(self, told: Sequence[Written]) -> None:
        self._step.annotate(_annotations(told))
        for each in told:
            self._step.log(_line(each))
        self._step.outputs(_outputs(told))

    def _write(
        self, github: GitHub, done: Sequence[SpecResult], stopped: Sequence[str]
    ) -> list[Written]:
        change = self._config.change
        told: list[Written] = []
        if done:
            told += comment.tell(github, change, lambda pull: self._drafts(done, pull))
        if stopped:
            told += comment.cancel(github, change, list(map(self._marker, stopped)))
        return told

    def _drafts(self, done: Sequence[SpecResult], pull: Pull) -> list[Draft]:
        return [
            Draft(
                self._marker(each.spec, pull.head)._replace(owners=self._owners(each)),
                self._text(self._body(each, pull)),
                _is_wanted(self._config.comment, each.report),
            )
            for each in done
        ]

    def _owners(self, ended: SpecResult) -> tuple[str, ...]:
        """Give the accounts that the comment mentions; none that is a secret."""
        named = ended.report.owners if ended.report and self._calls else ()
        return tuple(name for name in accounts(named) if self._text(name) == name)

    def _marker(self, spec: str, head: str = "") -> Marker:
        run = self._config.run
        path = PurePath(spec).as_posix()
        key = comment.key_of(run.workflow, run.job, path, self._config.comment_key)
        commit = self._config.change.commit or head
        return Marker(key, run.number, run.attempt, commit)

    def _body(self, ended: SpecResult, pull: Pull) -> str:
        links = links_of(self._config)
        if links.commit and links.commit != pull.head:
            links = links._replace(newer=pull.head)
        if ended.report is None:
            return render.mistake(ended.spec, str(ended.error), links)
        return results.comment(ended.report, self._templates, links) + self._note


def links_of(config: Settings) -> Links:
    """Give the run and the commits that the reports of a step link to."""
    run, change = config.run, config.change
    return Links(
        server=run.server,
        repository=run.repository,
        commit=change.commit or "",
        merge=change.merge or "",
        run=change.run or run.id,
        attempt=change.attempt or str(run.attempt),
    )


def _is_wanted(on: CommentOn, report: Report | None) -> bool:
    if on == "always" or report is None or report.verdict in ("failed", "error"):
        return True
    if on == "failure" or report.verdict == "skipped":
        return False
    compared = report.comparison
    # Without a baseline nobody knows that nothing changed.
    return compared is None or bool(compared.regressed or compared.fixed)


def _outputs(told: Sequence[Written]) -> dict[str, str]:
    there = [each for each in told if each.id is not None]
    written = any(each.done in ("created", "updated") for each in told)
    return {
        "comment-id": "\n".join(str(each.id) for each in there),
        "comment-url": "\n".join(each.url for each in there),
        "comment-written": str(written).lower(),
    }


def _line(told: Written) -> str:
    if told.id is None:
        return f"no comment: {told.why}"
    return ": ".join(filter(None, (f"comment {told.done}", told.url, told.why)))


def _annotations(told: Sequence[Written]) -> Iterator[Annotation]:
    for each in dict.fromkeys(told):
        hint = f" ({each.hint})" if each.hint else ""
        if each.done == "failed":
            yield Annotation("warning", _TITLE, f"{each.why}{hint}")
        elif hint:
            title = _TITLE if each.id is None else _TITLE_ODD
            yield Annotation("notice", title, f"{each.why}{hint}")
