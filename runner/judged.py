"""The judge of a plan: what it may decide, what it will take, how it is opened."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from runner import calibration, files
from runner.calibration import Calibration
from runner.errors import InputError, reason
from runner.hosts import Access, forbidden
from runner.judges.estimate import estimate, told
from runner.judges.prints import prints
from runner.model import Measure
from runner.pipeline import Plan, Rating, weighed


def with_judge(plan: Plan, root: Path, templates: Path) -> Plan:
    """Give the plan in which judged metrics decide as far as they may.

    Args:
        plan: As the spec has it.
        root: The workspace.
        templates: The folder of all templates.

    Raises:
        InputError: What the spec names as the calibration is none.
    """
    judged = list(_judged(plan))
    if plan.spec.judge is None or not judged:
        return plan
    tasks = dict.fromkeys(task for measure in judged for task in measure.metric.tasks)
    known = prints(list(tasks), templates)
    return weighed(plan, _calibration(plan, root), known)


def foretold(plan: Plan, templates: Path) -> Iterator[str]:
    """Give what can be said of a judge before the first request.

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
    if not any(_judged(plan)):
        yield f"warning: {plan.place('judge')}: nothing that is measured asks it"
    if found := estimate(plan.spec, plan.cases, templates):
        yield from told(found, judge)


def rating(
    plan: Plan, root: Path, templates: Path, access: Access, services: ExitStack
) -> Rating | None:
    """Give the judge of a plan, ready to be asked; None where it needs none.

    ``services`` will close it.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
    """
    spec = plan.spec.judge
    if spec is None or not any(_judged(plan)):
        return None
    from runner.judges.chat import Chance
    from runner.judges.opening import Around, opened

    around = Around(
        root, templates, plan.spec.file, plan.place, plan.spec.secrets, access
    )
    judging = opened(spec, around, Chance(random.uniform))
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


def _judged(plan: Plan) -> Iterable[Measure]:
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
        hint = "rag-eval calibrate writes it"
        raise InputError(what, where=where, hint=hint) from None
    return calibration.read(text, where)
