"""The judge of a run: whether it may decide, and what is opened to ask it."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

from runner import calibration, files
from runner.calibration import Calibration
from runner.errors import InputError, reason
from runner.judges.prints import prints
from runner.pipeline import Plan, Rating, weighed
from runner.session._order import Order, World


def with_judge(plan: Plan, world: World) -> Plan:
    """Give the plan in which judged metrics decide as far as they may.

    Raises:
        InputError: What the spec names as the calibration is none.
    """
    judged = [m.metric for m in plan.spec.measures if m.metric.judged]
    if plan.spec.judge is None or not judged:
        return plan
    tasks = list(dict.fromkeys(task for metric in judged for task in metric.tasks))
    return weighed(plan, _calibration(plan, world.root), prints(tasks, world.templates))


def _calibration(plan: Plan, root: Path) -> Calibration | None:
    written = plan.spec.judge and plan.spec.judge.calibration
    if not written:
        return None
    where = plan.place("judge", "calibration")
    path = files.named(written, spec=plan.spec.file, root=root, where=where)
    try:
        text = path.read_bytes()
    except OSError as error:
        hint = "rag-eval calibrate writes it"
        what = f"{written} cannot be read: {reason(error)}"
        raise InputError(what, where=where, hint=hint) from None
    return calibration.read(text, where)


def rating(
    plan: Plan, order: Order, world: World, services: ExitStack
) -> Rating | None:
    """Give the judge of a plan, ready to be asked; None where it needs none.

    ``services`` will close it.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
    """
    spec = plan.spec.judge
    if spec is None or not any(m.metric.judged for m in plan.spec.measures):
        return None
    from runner.judges.chat import Chance
    from runner.judges.opening import Around, opened

    around = Around(
        world.root,
        world.templates,
        plan.spec.file,
        plan.place,
        plan.spec.secrets,
        order.access,
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
