"""How far judged metrics count: by the calibration of their judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runner.calibration import Calibration, Demand, Ruler, TaskFingerprint, standing
from runner.model import Measure, Weight
from runner.pipeline._plan import Plan
from runner.spec import JudgeSpec, advised
from runner.text import language


def with_weights(
    plan: Plan, calibration: Calibration | None, prints: Mapping[str, TaskFingerprint]
) -> Plan:
    """Give a plan in which a judged metric decides only as far as it may.

    Without a calibration that covers it, its limits warn and its pass marks decide no
    case; unless the spec says ``uncalibrated: block``, which every report tells.

    Args:
        plan: As the spec has it.
        calibration: What ``rag-eval calibrate`` wrote, where the spec names it.
        prints: Of each task that a judged metric has.
    """
    judge = plan.spec.judge
    if judge is None:
        return plan
    measures, weights = [], {}
    for measure in plan.spec.measures:
        if measure.metric.judged:
            weights[measure.label] = _weight(plan, measure, judge, calibration, prints)
            measures.append(measure._replace(judge=_ruler_of(measure, judge)))
        else:
            measures.append(measure)
    spec = plan.spec._replace(measures=tuple(measures))
    doubts = {name: w.why for name, w in weights.items() if not w.decides}
    notices = (*plan.notices, *_notices(plan, weights))
    return plan._replace(spec=advised(spec, doubts), weights=weights, notices=notices)


def _weight(
    plan: Plan,
    measure: Measure,
    judge: JudgeSpec,
    calibration: Calibration | None,
    prints: Mapping[str, TaskFingerprint],
) -> Weight:
    metric = measure.metric
    ruler = Ruler(
        measure.label,
        metric.version,
        measure.options,
        judge.identity,
        {task.name: prints[task.name] for task in metric.tasks},
    )
    demand = Demand(
        judge.min_kappa, _languages(plan), mark=plan.spec.marks.get(measure.label)
    )
    found = standing(calibration, ruler, demand)
    decides = found.valid or judge.uncalibrated == "block"
    return Weight(decides=decides, calibrated=found.valid, why=found.reason)


def _languages(plan: Plan) -> list[str]:
    """Give the languages of the cases, as prompts are chosen by them."""
    return sorted({language(case.question, case.reference) for case in plan.cases})


def _ruler_of(measure: Measure, judge: JudgeSpec) -> str:
    """Give who rates, and by which versions of the prompts."""
    of_judge = [str(judge.identity["model"]), f"temperature {judge.temperature:g}"]
    if "embeddings" in judge.identity:
        of_judge.append(f"embeddings {judge.identity['embeddings']}")
    if "body" in judge.identity:
        of_judge.append(f"body {judge.identity['body']}")
    tasks = [f"{task.name} {task.version}" for task in measure.metric.tasks]
    return ", ".join([*of_judge, *tasks])


def _notices(plan: Plan, weights: Mapping[str, Weight]) -> Iterator[str]:
    """Say which judged metrics only advise, and which decide without a calibration."""
    blocking = {limit.name for limit in plan.spec.limits if limit.level == "fail"}
    written = blocking | set(plan.spec.marks)
    for label, weight in weights.items():
        if label not in written or weight.calibrated:
            continue
        if weight.decides:
            yield (
                f"UNCALIBRATED, AND IT BLOCKS: {label} decides, as judge.uncalibrated "
                f"is block, and {weight.why}"
            )
        else:
            yield (
                f"{label} only advises: it turns nothing red or green, as {weight.why}"
            )
