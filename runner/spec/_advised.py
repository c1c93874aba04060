"""Takes from judged metrics without a valid calibration the power to decide."""

from __future__ import annotations

from collections.abc import Mapping

from runner.spec._resolved import Limit, Spec, fingerprint


def advised(spec: Spec, doubts: Mapping[str, str]) -> Spec:
    """Give a spec in which some metrics only advise.

    Their limits warn, and their pass marks neither fail a case nor let one pass; what
    makes runs comparable changes with it.

    Args:
        spec: As it is written.
        doubts: Why each metric decides nothing, by its label.
    """
    marks = {name: mark for name, mark in spec.marks.items() if name not in doubts}
    return spec._replace(
        marks=marks,
        limits=tuple(_limit(limit, doubts) for limit in spec.limits),
        measures=tuple(
            measure._replace(advises=measure.label in doubts)
            for measure in spec.measures
        ),
        fingerprint=fingerprint(spec.endpoint, marks, spec.trials),
    )


def _limit(limit: Limit, doubts: Mapping[str, str]) -> Limit:
    if limit.name not in doubts or limit.level == "warn":
        return limit
    return limit._replace(level="warn", doubt=doubts[limit.name])
