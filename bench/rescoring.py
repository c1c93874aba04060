"""Re-scoring recorded replies: time and memory a case, at 10,000 and 100,000 cases.

Each run is a process of its own, and measured twice: *scoring* is a recording that
becomes scores and findings (found, read, mapped, scored, diagnosed), and *whole* is
``rag-eval run --replay`` from files to files, with the cases and their labels read and
hashed, ``cases.jsonl``, statistics and reports written. Beside them stand the floor of
parsing the same file, and two prices of one tokenising pass over its texts (question,
answer and passages), parsing left out:

- *a pass* is ``tokens(normalise(text))``: what a metric must do to hold texts of any
  language and typography against each other;
- *ASCII pass* is ``tokens(text)``, which lowers and splits a text of plain ASCII and
  does nothing else. It is the stricter measure: these texts happen to be ASCII.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import NamedTuple

from processes import Cost, least, python

ROUNDS = {10_000: 3, 100_000: 1}
PASSAGES = 10
ID_METRICS = "recall@5, precision@5, hit_rate@5, mrr, map, ndcg@10, context_relevance"
TEXT_METRICS = (
    "key_points, key_point_grounding, forbidden_content, number_support, "
    "token_support, lexical_grounding, citation_validity, citation_support, "
    "answer_similarity, refusal, over_refusal, leakage, context_efficiency"
)
SPEC = """\
name: rescoring
endpoint: {{url: "http://127.0.0.1:9/", body: {{q: "{{{{ question }}}}"}}}}
cases: cases.jsonl
metrics: [{metrics}]
pass: {passing}
thresholds: {{mrr: {{min: 0.01}}}}
"""
NO_MARKS = (
    "{leakage: null, forbidden_content: null, refusal: null, over_refusal: null, "
    "key_points: null, key_point_grounding: null, citation_validity: null, mrr: 0}"
)
WORDS = [
    *("refund", "policy", "customer", "account", "within", "days", "after", "order"),
    *("plan", "seats", "limit", "support", "ticket", "month", "invoice", "every"),
    *("the", "of", "and", "for", "a", "to", "in", "is", "may", "must", "not", "than"),
]


def write(folder: Path, size: int, metrics: str, passing: str) -> None:
    """Write a spec, cases and replies of about 3 KB each."""
    chance = random.Random(7)
    (folder / "spec.yaml").write_text(SPEC.format(metrics=metrics, passing=passing))
    cases, replies = folder / "cases.jsonl", folder / "replies.jsonl"
    with cases.open("w") as asked, replies.open("w") as came:
        for number in range(size):
            case, reply = _pair(number, chance)
            asked.write(json.dumps(case) + "\n")
            came.write(json.dumps(reply) + "\n")


def _pair(
    number: int, chance: random.Random
) -> tuple[dict[str, object], dict[str, object]]:
    ids = [
        f"doc-{chance.randrange(5000)}#{chance.randrange(9)}" for _ in range(PASSAGES)
    ]
    texts = [_text(chance, 38, number) for _ in ids]
    answer = f"You may return it within {number % 90 + 1} days. " + texts[0][:120]
    case: dict[str, object] = {
        "id": f"qa-{number:06}",
        "type": "fact",
        "question": f"How many days may I return order {number}?",
        "expected_doc_ids": chance.sample(ids, 2),
        "must_include": [f"{number % 90 + 1} days"],
        "must_not_include": ["no idea"],
        "reference": answer[:80],
    }
    contexts = [
        {"id": id_, "text": text, "score": 0.5}
        for id_, text in zip(ids, texts, strict=True)
    ]
    reply = {"answer": answer, "contexts": contexts, "citations": ids[:1]}
    return case, {"case_id": case["id"], "response": reply, "latency_s": 0.1}


def _text(chance: random.Random, words: int, number: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)) + f" {number % 90 + 1} days."


RUN = """
from runner.cli import commands
commands.main(
    ["run", "spec.yaml", "--replay", "replies.jsonl", "--out", "out", "--quiet"],
    standalone_mode=False,
)
"""
PLAN = """
from datetime import date
from pathlib import Path
from runner.diagnosis import Examiner
from runner.endpoints.recorded import RecordedEndpoint
from runner.pipeline import plan
from runner.scores import Scorer

plan = plan(Path("spec.yaml"), Path.cwd(), {}, today=date.min)
"""
SCORE = """
recorded = RecordedEndpoint(Path("replies.jsonl"), plan.spec.endpoint.response)
scorer = Scorer(plan.spec.measures)
examiner = Examiner(plan.spec.measures, plan.spec.marks, plan.spec.diagnosis)
for case in plan.cases:
    asked = scorer.asked(case, recorded.ask(case))
    examiner.diagnose(asked, scorer.row(asked))
"""
PARSE = """
from pydantic_core import from_json
for line in open("replies.jsonl", "rb"):
    from_json(line)
"""
TOKENISE = """
from pydantic_core import from_json
from runner.text import normalise, tokens
for asked, came in zip(open("cases.jsonl", "rb"), open("replies.jsonl", "rb")):
    tokens({form}(from_json(asked)["question"]))
    reply = from_json(came)["response"]
    tokens({form}(reply["answer"]))
    for context in reply["contexts"]:
        tokens({form}(context["text"]))
"""
IDLE = {
    RUN: "import runner.session, runner.endpoints.recorded",
    PLAN + SCORE: PLAN,
    PARSE: "import pydantic_core",
    TOKENISE: "import pydantic_core, runner.text",
}


class Figures(NamedTuple):
    """Microseconds of CPU a case, without the start of the process; peak in MB."""

    whole: float
    scoring: float
    parsing: float
    normalising: float
    splitting: float
    peak: float


def measured(folder: Path, size: int) -> Figures:
    """Run the program and its floors over the same files; the best of each counts."""

    def least_of(code: str, rounds: int) -> Cost:
        return least([python(["-c", code], folder) for _ in range(rounds)])

    def each(code: str, form: str = "") -> Cost:
        idle = least_of(IDLE[code], 5).cpu
        best = least_of(code.replace("{form}", form), ROUNDS[size])
        return best._replace(cpu=1e6 * (best.cpu - idle) / size)

    whole, scoring, parsing = each(RUN), each(PLAN + SCORE), each(PARSE)
    normalising, splitting = each(TOKENISE, "normalise"), each(TOKENISE)
    return Figures(
        whole.cpu,
        scoring.cpu,
        parsing.cpu,
        normalising.cpu - parsing.cpu,
        splitting.cpu - parsing.cpu,
        whole.peak,
    )


def main() -> None:
    """Print microseconds of CPU a case, beside the floors of the same run."""
    print(
        f"{'cases':>8} {'metrics':>8} {'scoring us':>11} {'whole us':>9} "
        f"{'parsing':>8} {'a pass':>7} {'ratio':>6} {'ASCII pass':>11} {'ratio':>6} "
        f"{'peak MB':>8}"
    )
    for size in ROUNDS:
        for name, metrics, passing in (
            ("ids", ID_METRICS, NO_MARKS),
            ("all", f"{ID_METRICS}, {TEXT_METRICS}", "{}"),
        ):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                write(folder, size, metrics, passing)
                found = measured(folder, size)
            whole, scoring, parsing, a_pass, bare, peak = found
            print(
                f"{size:>8} {name:>8} {scoring:>11.1f} {whole:>9.1f} {parsing:>8.1f} "
                f"{a_pass:>7.1f} {whole / a_pass:>6.2f} {bare:>11.1f} "
                f"{whole / bare:>6.2f} {peak:>8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
