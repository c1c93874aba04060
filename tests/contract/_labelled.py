"""Real questions, passages and answers with people's labels, as cases and replies.

**mtrag** are real RAG runs over several turns. The passages that people gave with a
question are its relevant ones; beside them the system "found" the passages of other
questions that share most words with this one, up to five in all. The healthy answer is
the one that people scored best among those they called faithful and complete (a mean
of 3 or more of 4 in both), a model's rather than the reference where both are as good.

Its key points are what the reference says, a relevant passage says, *every* answer
that people called complete says, and the question does not: numbers first, then names,
then phrases of two to four content words, at most four that do not overlap. So a point
is required by all the people and systems that got it right, in one wording.

**nomiracl** are questions with ten passages that people judged. Which of them is
relevant is not written down, but the relevant ones stand first (in 35 of the 75
English answerable rows the question was even made from the very first passage): so the
first is the one labelled. They come in the order of the words they share with the
question, as a plain search would give them. The healthy answer is extracted: of the
relevant passage the sentence that shares most with the question, and the next one. Its
key points are numbers, names and, in Chinese, short terms of that answer which the
question does not hold. Where no passage answers, declining is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from zlib import crc32

from runner.metrics._words import content
from runner.text import sentences, tokens
from tests.contract._points import is_chinese, key_points

DEPTH = 5  # passages that come for a question of mtrag
TOP = 3  # ranks near the top
SENTENCE = 5  # words of a sentence; fewer are a heading
RIGHT = 3.0  # people's mean from which an answer is faithful, or complete

ENGLISH_REFUSAL = "I could not find any information about this in the documents."
CHINESE_REFUSAL = "资料中没有与该问题相关的信息。"

Json = dict[str, Any]


class Pair(NamedTuple):
    """A case as a row of a case file, and what a healthy system replied."""

    case: Json
    reply: Json

    @property
    def id(self) -> str:
        """The case's id."""
        return str(self.case["id"])

    @property
    def gold(self) -> list[Json]:
        """The relevant passages."""
        wanted = self.case.get("expected_doc_ids", ())
        return [p for p in self.reply["contexts"] if p["id"] in wanted]

    @property
    def others(self) -> list[Json]:
        """The passages that came beside them."""
        wanted = self.case.get("expected_doc_ids", ())
        return [p for p in self.reply["contexts"] if p["id"] not in wanted]

    @property
    def on_top(self) -> bool:
        """Whether a relevant passage is near the top."""
        return any(p in self.gold for p in self.reply["contexts"][:TOP])

    @property
    def points(self) -> list[str]:
        """The key points; none where the right behaviour is to decline."""
        return list(self.case.get("must_include", ()))

    def with_(self, **reply: Any) -> Pair:
        """Give the same case with another reply."""
        return Pair(self.case, {**self.reply, **reply})


def collections(shared: Path) -> dict[str, list[Pair]]:
    """Give every collection by its name."""
    data = shared / "data"
    return {
        "mtrag-en": list(mtrag(data / "runs/mtrag_en.jsonl")),
        "nomiracl-en": list(nomiracl(data / "cases/nomiracl_en.jsonl")),
        "nomiracl-zh": list(nomiracl(data / "cases/nomiracl_zh.jsonl")),
    }


def dice(*what: object) -> int:
    """Give a number that is the same in every run."""
    return crc32(ascii(what).encode())


def read(path: Path) -> list[Json]:
    """Give the rows of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def mtrag(path: Path) -> Iterator[Pair]:
    """Give the answerable tasks that some answer got right and that have key points."""
    rows = read(path)
    found = _search(rows)
    for row in rows:
        right = judged_right(row)
        points = _shared_points(row, [answer["answer"] for answer in right])
        if points:
            best = max(right, key=_standing)
            yield _pair(row, _gold(row), points, found(row), best["answer"])


def mtrag_right(path: Path) -> Iterator[Pair]:
    """Give every answer that people called right, whoever gave it, without points."""
    rows = read(path)
    found = _search(rows)
    for row in rows:
        for answer in judged_right(row):
            pair = _pair(row, _gold(row), [], found(row), answer["answer"])
            pair.case["id"] += f" {answer['model']}"
            yield pair


def _search(rows: list[Json]) -> Callable[[Json], list[Json]]:
    pool = {p["id"]: p for row in rows for p in row["contexts"]}

    def found(row: Json) -> list[Json]:
        gold = _gold(row)
        strangers = [p for name, p in pool.items() if name not in gold]
        near = by_words_shared(row["question"], strangers)
        return [*row["contexts"], *near][: max(DEPTH, len(gold))]

    return found


def _gold(row: Json) -> list[str]:
    return [passage["id"] for passage in row["contexts"]]


def judged_right(row: Json) -> list[Json]:
    """Give the answers of an answerable task that people called right."""
    if row["answerability"] != ["ANSWERABLE"]:
        return []
    return [
        answer
        for answer in row["responses"]
        if min(
            mean(answer["human"][score]) for score in ("faithfulness", "completeness")
        )
        >= RIGHT
    ]


def _standing(answer: Json) -> tuple[float, bool]:
    scores = answer["human"].values()
    return sum(map(mean, scores)), answer["model"] != "reference"


def nomiracl(path: Path) -> Iterator[Pair]:
    """Give the answerable questions that have key points, and all the others."""
    for row in read(path):
        contexts = by_words_shared(row["question"], row["contexts"])
        if not row["answerable_from_contexts"]:
            chinese = is_chinese(row["question"])
            answer = CHINESE_REFUSAL if chinese else ENGLISH_REFUSAL
            case = {"id": row["id"], "question": row["question"], "type": "refusal"}
            reply = {"answer": answer, "contexts": contexts, "citations": []}
            yield Pair(case, reply)
            continue
        gold = row["contexts"][0]
        answer = extract(row["question"], [gold])
        if points := list(key_points(row["question"], answer, [gold["text"], answer])):
            yield _pair(row, [gold["id"]], points, contexts, answer)


def _pair(
    row: Json, gold: list[str], points: list[str], contexts: list[Json], answer: str
) -> Pair:
    case = {
        "id": row["id"],
        "question": row["question"],
        "type": "fact",
        "expected_doc_ids": gold,
        "must_include": points,
    }
    return Pair(case, {"answer": answer, "contexts": contexts, "citations": gold})


def by_words_shared(question: str, passages: Iterable[Json]) -> list[Json]:
    """Give passages as a plain search ranks them."""
    wanted = set(content(question))

    def rank(passage: Json) -> tuple[float, int]:
        words = set(content(passage["text"]))
        return -len(wanted & words) / len(words) ** 0.25, dice(passage["id"])

    return sorted((p for p in passages if content(p["text"])), key=rank)


def extract(question: str, passages: list[Json]) -> str:
    """Answer from passages: the sentence nearest to the question, and the next one."""
    wanted = set(content(question))
    spans = [
        (said[at : at + 2])
        for passage in passages
        for said in [whole_sentences(passage["text"])]
        for at in range(len(said))
    ]
    best = max(spans, key=lambda span: len(wanted & set(content(span[0]))))
    return " ".join(best)


def whole_sentences(text: str) -> list[str]:
    """Give the sentences of a passage, without its title and what was cut off."""
    body = re.sub(r"^[^.。\n]{1,80}?: ", "", text)
    said = [s for s in sentences(body) if len(tokens(s)) >= SENTENCE] or [body]
    complete = said[:-1] if len(said) > 1 and said[-1][-1] not in ".。!?！？" else said
    return [sentence[:400] for sentence in complete]


def _shared_points(row: Json, right: list[str]) -> list[str]:
    if not right:
        return []
    read = "\n".join(passage["text"] for passage in row["contexts"])
    return list(key_points(row["question"], row["reference_answer"], [read, *right]))
