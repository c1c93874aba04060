"""Prices all text metrics of a response in tokenising passes over the same text.

    python bench/tokenising.py

One pass is ``tokens(normalise(text))`` of the answer and every passage, each text
new to the process. The metrics are given the same texts, equally new, with a question,
a reference, key points, forbidden strings and citations, as the scorer hands them over.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runner.metrics import registry
from runner.model import Case, Passage, Response
from runner.text import declines, normalise, tokens

RESPONSES = 300
ROUNDS = 7  # the least disturbed one counts
PASSAGES = 10
LIMIT = 4.0
ENGLISH = """
the refund of an opened item takes days after it arrives and our team has checked what
you sent back to them customers with business plan can raise this limit by writing to
support before their contract ends on Monday in Berlin or Tokyo where Acme Cloud keeps
data centre copies for every region which is not billed until usage exceeds
"""
CHINESE = "企业版支持并发会话可按需扩容退款在收到商品后的工作日内到账如需上限请联系客服"
Texts = tuple[str, tuple[Passage, ...], str]


def english(rng: random.Random, size: int) -> str:
    """Give sentences of common words with a number here and there."""
    words, length = ENGLISH.split(), 0
    said = []
    while length < size:
        word = str(rng.randrange(2000)) if rng.random() < 0.03 else rng.choice(words)
        said.append(word + "." if rng.random() < 0.07 else word)
        length += len(said[-1]) + 1
    return " ".join(said)


def chinese(rng: random.Random, size: int) -> str:
    """Give the same in Chinese; a character counts three bytes."""
    said = []
    for _ in range(size // 3):
        said.append(rng.choice(CHINESE))
        if rng.random() < 0.08:
            said.append(rng.choice(("，", "。", "500 个", "十天")))
    return "".join(said)


def responses(write: Callable[[random.Random, int], str], seed: int) -> list[Texts]:
    """Give responses of 3 KB: an answer, ten passages, and a reference."""
    rng = random.Random(seed)
    made = []
    for _ in range(RESPONSES):
        passages = tuple(
            Passage(id=f"d#{rank}", text=write(rng, 240)) for rank in range(PASSAGES)
        )
        made.append((write(rng, 600), passages, write(rng, 300)))
    return made


def one_pass(made: list[Texts]) -> None:
    """Normalise and tokenise every text once."""
    for answer, passages, _ in made:
        tokens(normalise(answer))
        for passage in passages:
            tokens(normalise(passage.text or ""))


def every_metric(made: list[Texts]) -> None:
    """Give each text metric its inputs, and ask whether the answer declines."""
    case = Case("bench", "How long does a refund take for 30 items?")
    measures = [
        (metric.function, metric.inputs)
        for metric in registry.values()
        if {"answer", "citations"} & set(metric.inputs)
        and not {"walls", "judge"} & set(metric.inputs)
    ]
    for answer, passages, reference in made:
        response = Response(answer=answer, passages=passages, citations=("d#1", "d#9"))
        declines(answer)
        inputs = {
            "question": case.question,
            "answer": answer,
            "passages": passages,
            "reference": reference,
            "citations": response.citations,
            "marks": (),
            "key_points": (("30 days", "thirty days"), ("500 个",), ("Acme Cloud",)),
            "forbidden": ("45 days", "unlimited"),
            "declined": False,
            "expect_refusal": False,
        }
        for function, names in measures:
            function(*(inputs[name] for name in names))


def seconds(work: Callable[[list[Texts]], None], made: list[Texts]) -> float:
    """Give the processor time of one run over texts that are new."""
    start = process_time()
    work(made)
    return process_time() - start


def main() -> int:
    """Print the price by language; fail above the limit."""
    worst = 0.0
    for name, write in (("English", english), ("Chinese", chinese)):
        passes, scored = [], []
        for turn in range(ROUNDS):
            passes.append(seconds(one_pass, responses(write, 2 * turn)))
            scored.append(seconds(every_metric, responses(write, 2 * turn + 1)))
        one, every = min(passes) / RESPONSES, min(scored) / RESPONSES
        worst = max(worst, every / one)
        print(
            f"{name}: a pass {one * 1e6:.0f} us, all text metrics {every * 1e6:.0f} us:"
            f" {every / one:.2f} passes (limit {LIMIT:.0f})"
        )
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
