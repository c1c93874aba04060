"""Sets up the judge of a plan: what it may decide, what it will cost, its client."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from runner import calibration, files
from runner.calibration import Calibration
from runner.errors import InputError, Place, reason
from runner.hosts import Access, forbidden
from runner.judges.estimate import describe, estimate
from runner.judges.fingerprints import fingerprints
from runner.judges.recorded import reply_changes
from runner.metrics import registry
from runner.model import Measure, YardstickChange
from runner.pipeline import Plan, Rating, with_weights
from runner.spec import Spec, parse


def with_judge(plan: Plan, root: Path, templates: Path) -> Plan:
    """Weigh the judged metrics of a plan: what is not calibrated only advises.

    Args:
        plan: As the spec has it.
        root: The workspace.
        templates: The folder of all templates.

    Raises:
        InputError: What the spec names as the calibration is none.
    """
    judged = list(_judged_measures(plan))
    if plan.spec.judge is None or not judged:
        return plan
    tasks = dict.fromkeys(task for measure in judged for task in measure.metric.tasks)
    known = fingerprints(list(tasks), templates)
    return with_weights(plan, _calibration(plan, root), known)


def judge_changes(
    plan: Plan, root: Path, before: Path, environ: Mapping[str, str], templates: Path
) -> Iterator[YardstickChange]:
    """Give the judged metrics that decided at the base commit and only advise now.

    Those that begin to decide are given too, and replies of the judge that the change
    brings with it. What these files hold can change without a word in the spec; the
    prompts and the cases are those of now.

    Args:
        plan: Of the spec now, with its weights.
        root: The workspace.
        before: The workspace at the base commit.
        environ: What the spec's variables may be.
        templates: The folder of all templates.
    """
    path = before / plan.spec.file
    if not path.is_file():
        return
    try:
        then = parse(
            files.read_document(path, root=before), registry=registry, environ=environ
        )
        weights = with_judge(plan._replace(spec=then), before, templates).weights
    except InputError:  # what is wrong with it is told where the limits are compared
        return
    yield from _stored_reply_changes(plan, then, root, before)
    named = {limit.name for limit in then.limits} | set(then.marks)
    for label, weight in weights.items():
        now = plan.weights.get(label)
        if label in named and now and now.decides != weight.decides:
            after = "decides" if now.decides else f"only advises, as {now.why}"
            yield YardstickChange(
                what=f"judge of {label}",
                before="decides" if weight.decides else "only advises",
                after=after,
                moved="tightened" if now.decides else "loosened",
                line=plan.place("judge").line,
            )


def _stored_reply_changes(
    plan: Plan, then: Spec, root: Path, before: Path
) -> Iterator[YardstickChange]:
    """Give the files of judge replies that differ between both commits.

    A cache from which replies are gone asks anew, and is none of them.
    """
    for key in ("recorded", "cache"):
        new, old = (getattr(spec.judge, key, None) for spec in (plan.spec, then))
        if not (new and old):
            continue
        where = plan.place("judge", key)
        real = partial(files.named, spec=plan.spec.file, where=where)
        try:
            found = reply_changes(real(new, root=root), real(old, root=before))
        except (OSError, InputError):  # that it cannot be read now is told elsewhere
            continue
        kinds = {"otherwise": found.otherwise, "new": found.new}
        kinds |= {"gone": found.gone} if key == "recorded" else {}
        if any(kinds.values()):
            yield YardstickChange(
                what=f"replies in judge.{key}",
                before="as they were",
                after=", ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n),
                moved="changed",
                line=where.line,
            )


def forecast(plan: Plan, templates: Path) -> Iterator[str]:
    """Give what is known of the judge before the first request: cost, and warnings.

    Raises:
        InputError: Its host is one that is never asked.
    """
    judge = plan.spec.judge
    if judge is None:
        return
    urls: dict[tuple[str, ...], str | None] = {("url",): judge.url}
    if judge.embeddings:
        urls["embeddings", "url"] = judge.embeddings.url
    for key, url in urls.items():
        if why := forbidden(urlsplit(url or "").hostname or ""):
            raise InputError(why, where=plan.place("judge", *key))
    if not any(_judged_measures(plan)):
        yield f"warning: {plan.place('judge')}: nothing that is measured asks it"
    if found := estimate(plan.spec, plan.cases, templates):
        yield from describe(found, judge)


def judge_of(
    plan: Plan, root: Path, templates: Path, access: Access, services: ExitStack
) -> Rating | None:
    """Open the judge of a plan; None where nothing is judged.

    It is closed by ``services``.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
    """
    spec = plan.spec.judge
    if spec is None or not any(_judged_measures(plan)):
        return None
    from runner.judges.chat import Chance
    from runner.judges.opening import Context, open_judge

    around = Context(root, templates, plan.spec.file, plan.place, plan.redactor, access)
    judging = open_judge(spec, around, Chance(random.uniform))
    services.callback(judging.close)
    return Rating(
        judging.judge,
        judging.account,
        judging.stop,
        judging.notices,
        spec.concurrency,
        always=spec.when == "always",
        drift=0.0 if spec.recorded else spec.drift,
    )


def _judged_measures(plan: Plan) -> Iterable[Measure]:
    return (measure for measure in plan.spec.measures if measure.metric.judged)


def _calibration(plan: Plan, root: Path) -> Calibration | None:
    written = plan.spec.judge and plan.spec.judge.calibration
    if not written:
        return None
    where = plan.place("judge", "calibration")
    path = files.named(written, spec=plan.spec.file, root=root, where=where)
    try:
        text = path.read_bytes()
    except OSError as error:
        what = f"{written} cannot be read: {reason(error)}"
        hint = "rag-eval calibrate writes it; leave the key out until then"
        raise InputError(what, where=where, hint=hint) from None
    return calibration.read(text, Place(files.name_of(path, root)))
