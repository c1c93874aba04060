"""Replies in the shapes of real servers give what the endpoint reference says."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.endpoints._mapping import ReplyMap
from runner.model import Failure, Response
from runner.spec import ResponseMap

LATER = {"stream-events", "stream-prefixed", "steps"}
UNMAPPED = dict.fromkeys(["answer", "contexts", "citations", "refused", "usage"])


def test_every_blocking_sample_gives_its_expected_result(shared: Path):
    folder = shared / "data/endpoint-samples"
    mappings = json.loads((folder / "mappings.json").read_text(encoding="utf-8"))
    wrong = {}
    for name, mapping in mappings.items():
        if not mapping["file"].endswith(".json") or LATER & set(mapping["needs"]):
            continue
        block = mapping["response"]
        block = mappings[block["same_as"]]["response"] if "same_as" in block else block
        reply = json.loads((folder / mapping["file"]).read_text(encoding="utf-8"))
        expected = (folder / f"{name}.expected.json").read_text(encoding="utf-8")
        found = ReplyMap(ResponseMap.model_validate(UNMAPPED | block)).read(reply)
        if _plain(found) != json.loads(expected):
            wrong[name] = found

    assert len(mappings) > 60
    assert wrong == {}


def _plain(found: Response | Failure) -> dict[str, Any]:
    if isinstance(found, Failure):
        return {"error": found.message.removeprefix("the reply states an error: ")}
    passages = found.passages or ()
    return {
        "answer": found.answer,
        "contexts": [{"id": p.id, "text": p.text, "score": p.score} for p in passages],
        "citations": None if found.citations is None else list(found.citations),
        "refused": found.refused,
    }


OWN = [
    pytest.param(
        {"error": "code != `0` && message", "answer": "data.answer"},
        {"code": 102, "message": "no such dataset"},
        {"error": "no such dataset"},
        id="error with HTTP 200",
    ),
    pytest.param(
        {
            "answer": "choices[0].message.content",
            "contexts": "sources[].zip(document,metadata,distances)[]",
            "context": {
                "id": "join('#',[[1].file,to_string([1].start)])",
                "text": "[0]",
                "score": "[2]",
            },
            "citations": {"pattern": r"\[(\d+)\]", "first": 1, "of": "sources[].id"},
        },
        {
            "choices": [{"message": {"content": "Ten days [1]."}}],
            "sources": [
                {
                    "id": "file-1",
                    "document": ["Paid within ten days."],
                    "metadata": [{"file": "f", "start": 64}],
                    "distances": [0.9],
                }
            ],
        },
        {
            "answer": "Ten days.",
            "contexts": [{"id": "f#64", "text": "Paid within ten days.", "score": 0.9}],
            "citations": ["file-1"],
            "refused": None,
        },
        id="parallel arrays and marks over another list",
    ),
    pytest.param(
        {"contexts": "@", "context": {"id": "index", "score": "score"}},
        [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}],
        {
            "answer": None,
            "contexts": [
                {"id": "1", "text": None, "score": 0.9},
                {"id": "0", "text": None, "score": 0.1},
            ],
            "citations": None,
            "refused": None,
        },
        id="a bare list from a reranker",
    ),
]


@pytest.mark.parametrize(("block", "reply", "expected"), OWN)
def test_typical_shapes_are_mapped(block, reply, expected):
    found = ReplyMap(ResponseMap.model_validate(UNMAPPED | block)).read(reply)

    assert _plain(found) == expected
