"""Which metrics of a spec need a judge, or embeddings, that it does not configure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from runner.errors import KeyPath
from runner.model import Measure
from runner.spec._explain import Mistake
from runner.spec._judge import JudgeSpec


def unjudged(
    measures: Mapping[str, Measure],
    judge: JudgeSpec | None,
    lines: Collection[KeyPath],
) -> Iterator[Mistake]:
    """Give the metrics that lack a judge, or its model for embeddings.

    Args:
        measures: Everything that is measured, by label.
        judge: The spec's, where it has one.
        lines: The key paths that the file has.
    """
    for label, measure in measures.items():
        paths: list[KeyPath] = [("thresholds", label), ("pass", label)]
        path = next((each for each in paths if each in lines), ("metrics",))
        if measure.metric.judged and judge is None:
            hint = "write judge: {url: ..., model: ...}"
            yield Mistake(path, f"{label} needs a judge", hint)
        elif measure.metric.embeds and judge and judge.embeddings is None:
            hint = "write judge.embeddings: {model: ...}"
            yield Mistake(path, f"{label} compares texts by their embeddings", hint)
