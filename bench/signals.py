"""Grounding signals and refusal detection on data that people labelled, by source.

    python bench/signals.py [FOLDER]

FOLDER is the labelled data (RAG_EVAL_SHARED in tests/README.md). An AUROC of 0.5 is
chance. *Coverage* is the plain share of the answer's tokens in the contexts, and
*shortness* the length turned round: what a signal must beat to be worth its name.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import md5
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from runner.metrics.lexical_grounding import Parts, lexical_grounding, parts
from runner.metrics.number_support import number_support
from runner.metrics.token_support import token_support
from runner.model import Passage, Unscored
from runner.text import declines, tokens

Row = dict[str, Any]
Signal = Callable[[str, tuple[Passage, ...], str], float | Unscored]
FOLDS = 5
NEUTRAL = 1.0  # where a signal does not apply, nothing speaks against the answer


def coverage(answer: str, passages: tuple[Passage, ...], _question: str) -> float:
    """Give the share of the answer's tokens that the passages hold."""
    known = {token for passage in passages for token in tokens(passage.text or "")}
    words = tokens(answer)
    return sum(word in known for word in words) / len(words) if words else NEUTRAL


SIGNALS: dict[str, Signal] = {
    "token_support": lambda answer, passages, _: token_support(answer, passages),
    "number_support": number_support,
    "lexical_grounding": lexical_grounding,
    "coverage": coverage,
    "shortness": lambda answer, _passages, _question: -float(len(answer)),
}


def auroc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Give the chance that a supported answer scores above an unsupported one.

    Ties count half: Mann and Whitney, Annals of Mathematical Statistics 18 (1947).
    """
    ranked = sorted(zip(scores, labels, strict=True))
    ones = sum(labels)
    ranks, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        middle = (start + end + 1) / 2
        ranks += middle * sum(label for _, label in ranked[start:end])
        start = end
    return (ranks - ones * (ones + 1) / 2) / (ones * (len(ranked) - ones))


def rows(path: Path) -> Iterator[Row]:
    """Give the records of a file of JSON Lines."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def scored(signal: Signal, answer: str, row: Row) -> float:
    """Give what a signal says of an answer, neutral where it does not apply."""
    passages = tuple(Passage(text=text) for text in row["contexts"])
    value = signal(answer, passages, row.get("question") or "")
    return NEUTRAL if isinstance(value, Unscored) else value


def print_grounding(name: str, groups: dict[str, list[tuple[Row, str, int]]]) -> None:
    """Print AUROC by source, and the mean of the sources where there are several."""
    print(f"\n{name:<24}{'rows':>6}", *(f"{signal:>18}" for signal in SIGNALS))
    table = []
    for source, items in sorted(groups.items()):
        labels = [label for _, _, label in items]
        figures = [
            auroc([scored(signal, text, row) for row, text, _ in items], labels)
            for signal in SIGNALS.values()
        ]
        table.append(figures)
        print(f"{source:<24}{len(items):>6}", *(f"{f:>18.3f}" for f in figures))
    if len(table) > 1:
        means = [fmean(column) for column in zip(*table, strict=True)]
        print(f"{'mean of the sources':<30}", *(f"{f:>17.3f}" for f in means))


def answers(path: Path) -> dict[str, list[tuple[Row, str, int]]]:
    """Give the labelled answers by source."""
    groups = defaultdict(list)
    for row in rows(path):
        groups[row["source"]].append((row, row["answer"], row["label"]))
    return groups


def key_terms(path: Path) -> dict[str, list[tuple[Row, str, int]]]:
    """Give the labelled key terms, each as an answer of its own."""
    items = [
        (row, term, label) for row in rows(path) for term, label in row["keywords"]
    ]
    return {"uhgeval key terms": items}


def print_folds(groups: dict[str, list[tuple[Row, str, int]]]) -> None:
    """Print AUROC of sources for which the constants were chosen on the others.

    Five folds of sources; from a grid the constants with the best mean over the
    sources outside a fold are tried on those inside.
    """
    found = {
        source: [(_parts(text, row), label) for row, text, label in items]
        for source, items in groups.items()
    }
    grid = list(product((0.0, 0.5, 1.0), (0.3, 0.5, 0.7, 1.0), (0.5, 0.7, 0.9, 1.0)))
    table = {
        source: [
            auroc([_figure(one, *c) for one, _ in items], [y for _, y in items])
            for c in grid
        ]
        for source, items in found.items()
    }
    sources, unseen = sorted(table), []
    for fold in range(FOLDS):
        inside = sources[fold::FOLDS]
        outside = [table[source] for source in sources if source not in inside]
        best = max(range(len(grid)), key=lambda c: sum(one[c] for one in outside))
        unseen += [table[source][best] for source in inside]
    print(f"lexical_grounding, five-fold split by source: mean {fmean(unseen):.3f}")


def _parts(answer: str, row: Row) -> Parts:
    passages = tuple(Passage(text=text) for text in row["contexts"])
    found = parts(answer, passages, row.get("question") or "")
    return Parts(NEUTRAL, NEUTRAL, 0, 0) if isinstance(found, Unscored) else found


def _figure(one: Parts, root: float, foreign: float, negated: float) -> float:
    penalty = foreign**one.foreign * negated**one.negated
    return float(one.held * one.weakest**root * penalty)


def print_marks(groups: Iterable[list[tuple[Row, str, int]]]) -> None:
    """Print how many answers fall below a mark, supported and not."""
    items = [item for group in groups for item in group]
    found = [(scored(lexical_grounding, text, row), y) for row, text, y in items]
    print("\nlexical_grounding below", "supported", "unsupported", sep="\t")
    for mark in (0.2, 0.3, 0.4, 0.5, 0.6):
        shares = [
            fmean(score < mark for score, label in found if label == wanted)
            for wanted in (1, 0)
        ]
        print(f"{mark:>23}", *(f"{share:.3f}" for share in shares), sep="\t")


def print_refusals(path: Path) -> None:
    """Print precision, recall and F1 of refusals by source, borderline rows apart.

    The last column is F1 on the half of the questions whose errors were not read while
    the rules were written.
    """
    groups = defaultdict(list)
    for row in rows(path):
        source = row["source"] + (" (borderline)" if row["borderline"] else "")
        pair = declines(row["answer"]), bool(row["is_refusal"])
        groups[source].append((pair, _unread(row)))
    for source, pairs in sorted(groups.items()):
        figures = [
            *_rates([pair for pair, _ in pairs]),
            _rates([pair for pair, unread in pairs if unread])[2],
        ]
        print(f"{source:<36}{len(pairs):>6}", *(f"{value:>10.3f}" for value in figures))


def _unread(row: Row) -> bool:
    text = (row["question"] + row["source"]).encode()
    return md5(text, usedforsecurity=False).digest()[-1] % 2 == 1


def _rates(pairs: list[tuple[bool, bool]]) -> tuple[float, float, float]:
    hits = sum(said and true for said, true in pairs)
    said, true = sum(said for said, _ in pairs), sum(true for _, true in pairs)
    precision, recall = hits / said if said else 0.0, hits / true if true else 0.0
    return precision, recall, 2 * hits / (said + true) if said + true else 0.0


def main() -> None:
    """Print every table."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    given = sys.argv[1:] or [os.environ.get("RAG_EVAL_SHARED", str(beside))]
    folder = Path(given[0])
    data = folder / "data" if (folder / "data").is_dir() else folder
    if not (data / "faithfulness_en.jsonl").exists():
        raise SystemExit(f"no labelled data in {data}: name its folder")
    english = answers(data / "faithfulness_en.jsonl")
    chinese = answers(data / "faithfulness_zh.jsonl")
    print_grounding("English, AUROC", english)
    print_folds(english)
    print_grounding("Chinese, AUROC", chinese)
    print_grounding("Chinese, AUROC", key_terms(data / "keywords_zh_uhgeval.jsonl"))
    print_marks([*english.values(), *chinese.values()])
    print(
        f"\n{'Refusals':<36}{'rows':>6}{'precision':>11}{'recall':>11}{'F1':>11}{'unread':>11}"
    )
    for name in ("refusal_en", "refusal_zh"):
        print_refusals(data / f"{name}.jsonl")


if __name__ == "__main__":
    main()
