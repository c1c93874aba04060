"""What is quoted from a source is never held against the source, on real texts."""

import json

from runner.text import numbers, readings, sentences


def rows(path):
    return map(json.loads, path.read_text("utf-8").splitlines())


def labelled(folder):
    """Give passages and answers of the labelled data."""
    for name in ("faithfulness_en", "faithfulness_zh", "keywords_zh_uhgeval"):
        for row in rows(folder / f"{name}.jsonl"):
            yield from (*row["contexts"], row.get("answer", ""))
    for name in ("cases/nomiracl_en", "cases/nomiracl_zh", "runs/mtrag_en"):
        for row in rows(folder / f"{name}.jsonl"):
            yield from (passage["text"] for passage in row["contexts"])
            yield from (reply["answer"] for reply in row.get("responses", ()))


def test_a_sentence_quoted_from_its_source_is_backed_by_it(shared):
    unbacked = [
        (quoted, missing)
        for text in sorted(set(labelled(shared / "data")))
        for quoted in (text, *sentences(text))
        if (missing := set(numbers(quoted)) - readings(text))
    ]

    assert unbacked == []
