"""Replies in the shapes of real servers, over HTTP and however they are cut."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.endpoints.http import HttpEndpoint
from runner.model import Case, Failure, Response
from runner.spec import EndpointSpec
from tests.streaming import bytewise, haltingly, oddly, replaying

CASE = Case("qa-1", "退货期限是多少天?")
LABELLED = {"application/json": ("json",), "text/event-stream": ("txt",)}


@pytest.mark.parametrize("cut", [bytewise, oddly, haltingly])
def test_every_sample_gives_its_expected_result_over_http(shared: Path, cut):
    folder = shared / "data/endpoint-samples"
    mappings = json.loads((folder / "mappings.json").read_text(encoding="utf-8"))
    wrong, streamed = {}, 0
    with replaying() as server:
        server.cut = cut
        for name, mapping in mappings.items():
            block = mapping["response"]
            if "same_as" in block:
                block = mappings[block["same_as"]]["response"]
            server.body = (folder / mapping["file"]).read_bytes()
            found = asked(server.url, block)
            expected = (folder / f"{name}.expected.json").read_text(encoding="utf-8")
            if plain(found) != json.loads(expected):
                wrong[name] = found
            if "stream" in block and isinstance(found, Response):
                streamed += 1
                assert 0 < found.time_to_first_token <= found.latency, name

    assert wrong == {}
    assert streamed > 20


def asked(url: str, block: dict[str, Any]) -> Response | Failure:
    unmapped = dict.fromkeys(["answer", "contexts", "citations", "refused", "usage"])
    spec = EndpointSpec(
        url=url, body={"query": "{{ question }}"}, response=unmapped | block
    )
    endpoint = HttpEndpoint(spec, {})
    try:
        return endpoint.ask(CASE)
    finally:
        endpoint.close()


def plain(found: Response | Failure) -> dict[str, Any]:
    if isinstance(found, Failure):
        stated = found.message.removeprefix("the reply states an error: ")
        return {"error": stated.partition("; until then it had answered: ")[0]}
    passages = found.passages or ()
    return {
        "answer": found.answer,
        "contexts": [{"id": p.id, "text": p.text, "score": p.score} for p in passages],
        "citations": None if found.citations is None else list(found.citations),
        "refused": found.refused,
    }
