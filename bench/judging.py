"""How a judge's faithfulness agrees with people, beside what needs no judge.

    python -m bench.judging [JUDGE.yaml] [--limit N]

JUDGE.yaml holds a ``judge:`` block as a spec has it, and a ``cache`` that it names is
beside it; at most N answers of each source are rated (50). The labelled data is looked
for as in tests/README.md; without it, the rows of bench/labelled.jsonl are rated, which
are our own.

Without JUDGE.yaml the judge is a recording that is made here by rule, and no model: a
claim is a sentence, and is supported where one passage holds three fifths of its words
and all its numbers. Its figures show that the bench works, and what such a rule is
worth; they say nothing of any model.

A run is the program's own, ``rag-eval run --replay``. An AUROC of 0.5 is chance. Kappa
is of *every claim is supported* and the label, with its 95 % interval; that of the best
lexical signal is at the mark that is best in hindsight.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from processes import python

from runner.agreement import Contingency, auroc, tally
from runner.errors import Place
from runner.judges._meter import Meter
from runner.judges.judging import Judging, Sources
from runner.judges.recorded import Recording
from runner.metrics import content
from runner.metrics.faithfulness import faithfulness
from runner.model import Passage
from runner.spec import JudgeSpec
from runner.templating import Prompt
from runner.text import numbers, sentences

ROOT = Path(__file__).resolve().parents[1]
LEXICAL = ("lexical_grounding", "token_support", "number_support")
COLUMNS = ("faithfulness", *LEXICAL)
UNASKED = "What do the passages say?"  # where the data have no question
NEUTRAL = 1.0  # where a signal does not apply, nothing speaks against the answer
HELD = 0.6  # share of a claim's words that one passage holds, for the rule
BY_RULE = {"model": "a rule and no model", "recorded": "recorded.jsonl"}

Row = dict[str, Any]

_BLOCK = re.compile(
    r"<([a-z]+)(?: \d+)? ([0-9a-f]{12})>\n(.*?)\n</\1(?: \d+)? \2>", re.DOTALL
)

SPEC = """\
name: bench-judge
endpoint: {{url: "http://127.0.0.1:9/", body: {{q: "{{{{ question }}}}"}}}}
cases: cases.jsonl
metrics: [{metrics}]
judge: {judge}
"""


class ByRule:
    """Says what the rule says of the texts in a prompt, in the place of a model."""

    def say(self, prompt: Prompt, *_: object) -> str:
        """Give the reply to a prompt for claims, or for what supports them."""
        texts = defaultdict(list)
        for name, _, text in _BLOCK.findall(prompt.data):
            texts[name].append(text)
        if "claims" not in texts:
            return json.dumps({"claims": sentences(texts["text"][0])})
        claims = [line.partition(". ")[2] for line in texts["claims"][0].split("\n")]
        found = [_bearers(claim, texts["passage"]) for claim in claims]
        verdicts = [
            {"number": n, "reason": "by rule", "passages": on, "supported": bool(on)}
            for n, on in enumerate(found, 1)
        ]
        return json.dumps({"verdicts": verdicts})

    def notices(self) -> tuple[str, ...]:
        """Give nothing."""
        return ()

    def close(self) -> None:
        """Do nothing."""


def _bearers(claim: str, passages: Sequence[str]) -> list[int]:
    """Give the numbers of the passages that hold a claim's words and its numbers."""
    words, figures = content(claim), set(numbers(claim))
    return [
        number
        for number, text in enumerate(passages, 1)
        if figures.issubset(numbers(text))
        and sum(map(set(content(text)).__contains__, words)) >= HELD * len(words)
    ]


def record(rows: Sequence[Row], path: Path) -> None:
    """Write the recording of the rule's replies to what the metric asks."""
    spec = JudgeSpec.model_validate(BY_RULE)
    cache = Recording(path, Place("cache"), writable=True, hide=str)
    sources = Sources(cache=cache, chat=ByRule())  # type: ignore[arg-type]
    folder = ROOT / "templates/judge"
    judge = Judging(spec, folder, sources, Meter(spec, time.monotonic), str).judge()
    for row in rows:
        passages = tuple(Passage(text=text) for text in row["contexts"])
        faithfulness(row["question"], row["answer"], passages, judge)
    cache.close()


class Rated(NamedTuple):
    """What a run made of the rows."""

    scores: Mapping[str, Mapping[str, float | None]]
    """By row, then by metric."""
    report: Mapping[str, Any]


def run(rows: Sequence[Row], block: Mapping[str, Any], folder: Path) -> Rated:
    """Score the rows by the program itself, in a process of its own."""
    if block == BY_RULE:
        record(rows, folder / "recorded.jsonl")
    judge = json.dumps({**block, "when": "always", "drift": 0, "calibration": None})
    spec = SPEC.format(metrics=", ".join(COLUMNS), judge=judge)
    (folder / "spec.yaml").write_text(spec, "utf-8")
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(
                json.dumps({"id": row["id"], "question": row["question"]}) + "\n"
            )
    with (folder / "replies.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            contexts = [
                {"id": str(n), "text": text} for n, text in enumerate(row["contexts"])
            ]
            reply = {"answer": row["answer"], "contexts": contexts}
            file.write(json.dumps({"case_id": row["id"], "response": reply}) + "\n")
    here = folder.name
    replay = ("--replay", f"{here}/replies.jsonl", "--out", f"{here}/out", "--quiet")
    python(("-m", "runner", "run", f"{here}/spec.yaml", *replay), folder.parent)
    lines = (folder / "out/cases.jsonl").read_text("utf-8").splitlines()
    found = {case["id"]: case["scores"] for case in map(json.loads, lines)}
    return Rated(found, json.loads((folder / "out/results.json").read_text("utf-8")))


def sampled(path: Path, most: int) -> Iterator[Row]:
    """Give so many rows of each source, of both labels as it has them; 0 gives all."""
    groups = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            groups[row["source"]].append(row)
    for group in groups.values():
        group.sort(key=itemgetter("label"))
        kept = min(most or len(group), len(group))
        for at in range(kept):
            row = group[at * len(group) // kept]
            yield {**row, "question": row.get("question") or UNASKED}


def line(name: str, rows: Sequence[Row], rated: Rated) -> str:
    """Give a source's figures: AUROC of each column, kappa of judge and best signal."""
    ours = [row for row in rows if _score(rated, row, "faithfulness") is not None]
    good = [row["label"] == 1 for row in ours]
    columns = {
        name: [
            NEUTRAL if (s := _score(rated, row, name)) is None else s for row in ours
        ]
        for name in COLUMNS
    }
    areas = [auroc(scores, good) for scores in columns.values()]
    shown = "".join(f"{'-' if a is None else f'{a:.3f}':>19}" for a in areas)
    judged = tally(zip((s == 1 for s in columns["faithfulness"]), good, strict=True))
    best = max(_marked(columns[name], good) for name in LEXICAL)
    counts = f"{len(ours):>5} of {len(rows):<5}"
    return f"{name:<24}{counts}{shown}{_kappa(judged):>22}{best:>9.2f}"


def _score(rated: Rated, row: Row, name: str) -> float | None:
    return rated.scores[row["id"]].get(name)


def _marked(scores: Sequence[float], good: Sequence[bool]) -> float:
    """Give the best kappa that some mark on these scores has."""
    tables = (
        tally(zip((score >= mark for score in scores), good, strict=True))
        for mark in set(scores)
    )
    return max((table.kappa or 0.0 for table in tables), default=0.0)


def _kappa(table: Contingency) -> str:
    if table.kappa is None or table.interval is None:
        return "-"
    low, high = table.interval
    return f"{table.kappa:.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    """Rate the rows and print a line for each source, then what that took."""
    parser = ArgumentParser(prog="bench.judging")
    parser.add_argument("judge", nargs="?", type=Path)
    parser.add_argument("--limit", type=int, default=50)
    given = parser.parse_args()
    block = _block(given.judge) if given.judge else BY_RULE
    shared = Path(os.environ.get("RAG_EVAL_SHARED") or ROOT.parent / "shared") / "data"
    files = [shared / f"faithfulness_{language}.jsonl" for language in ("en", "zh")]
    if not files[0].exists():
        files = [ROOT / "bench/labelled.jsonl"]
    rows = [row for path in files for row in sampled(path, given.limit)]
    beside = given.judge.resolve().parent if given.judge else None
    with tempfile.TemporaryDirectory(prefix="bench-judge-", dir=beside) as folder:
        rated = run(rows, block, Path(folder))
    by_source = defaultdict(list)
    for row in rows:
        by_source[row["source"]].append(row)
    if block == BY_RULE:
        print("The judge is a recording made by rule, and no model.\n")
    print(
        f"{'source':<24}{'rated':>14}",
        *(f"{c:>18}" for c in COLUMNS),
        f"{'kappa':>21}{'lexical':>9}",
    )
    for name, group in [*by_source.items(), ("all", rows)]:
        print(line(name, group, rated))
    print(f"\n{spent(rated.report)}")


def _block(path: Path) -> Mapping[str, Any]:
    """Give the judge of a file; the files that it names are beside that."""
    block = yaml.safe_load(path.read_text("utf-8"))["judge"]
    files = {key: f"/{block[key]}" for key in ("cache", "recorded") if key in block}
    return {**block, **files}


def spent(report: Mapping[str, Any]) -> str:
    """Say what the judge took, and what failed."""
    account = report["judge"]
    usd = account["usd"]
    said = [
        f"{account['model']}: {account['calls']:,} requests",
        f"{account['rated']:,} replies, {account['stored']:,} of them stored",
        f"{account['input_tokens']:,} + {account['output_tokens']:,} tokens",
        "no price" if usd is None else f"{usd:.4f} USD",
        f"{account['failed']:,} failed",
    ]
    reasons = report["summaries"]["faithfulness"].get("reasons", {})
    return "\n".join(
        [", ".join(said), *(f"  {n} x {why}" for why, n in reasons.items())]
    )


if __name__ == "__main__":
    main()
