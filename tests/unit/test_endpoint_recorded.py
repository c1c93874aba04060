"""Replaying recorded responses: by case, in one shape, without holding the traffic."""

import json
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runner.cases import case_hash
from runner.endpoints.recorded import LONGEST_LINE, RecordedEndpoint
from runner.errors import InputError
from runner.model import Case, Failure, Passage, Response
from runner.spec import CitationMap, ContextMap, ResponseMap

FULL = {
    "case_id": "qa-1",
    "trial": 1,
    "response": {
        "answer": "Within 30 days [1].",
        "contexts": [
            {"id": "r#3", "text": "30 days.", "score": 0.8, "document": "r"},
            {"id": 7, "tenant": "a"},
        ],
        "citations": ["r#3"],
        "refused": False,
        "usage": {"tokens": 9},
    },
    "latency_s": 0.84,
    "attempts": 1,
    "at": "2026-11-30T09:41:07Z",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "responses.jsonl"


def write(file: Path, *lines: Any) -> Path:
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(text) + "\n", encoding="utf-8", newline="")
    return file


def replay(file: Path, case: str = "qa-1", **spec: Any) -> Response | Failure:
    endpoint = RecordedEndpoint(file, ResponseMap(**spec), file="replay.jsonl")
    try:
        return endpoint.ask(Case(case, "q"))
    finally:
        endpoint.close()


def test_a_record_gives_the_response_that_was_recorded(file):
    assert replay(write(file, FULL)) == Response(
        answer="Within 30 days [1].",
        passages=(
            Passage("r#3", "30 days.", 0.8, "r", None),
            Passage("7", None, None, None, "a"),
        ),
        citations=("r#3",),
        refused=False,
        usage={"tokens": 9},
        latency=0.84,
    )


def test_case_id_and_response_alone_suffice(file):
    write(file, {"case_id": "qa-1", "response": {"answer": "a"}})

    assert replay(file) == Response(answer="a")


def test_the_reply_to_another_question_is_not_replayed(file):
    now = case_hash(Case("qa-1", "q"))
    write(file, {**FULL, "case_hash": now})
    assert isinstance(replay(file), Response)

    write(file, {**FULL, "case_hash": case_hash(Case("qa-1", "an earlier q"))})
    what = "replay.jsonl holds the reply to another question of this case"
    assert replay(file) == Failure("service.not_recorded", f"{what}; ask it again")


@pytest.mark.parametrize("said", [-1, -0.001, 1e10, 10**40, "3", True, None, [1]])
def test_a_time_that_no_clock_shows_is_none(file, said):
    write(file, {"case_id": "qa-1", "response": {"answer": "a"}, "latency_s": said})

    assert replay(file).latency is None


def test_records_that_nobody_asks_for_are_counted(file):
    lines = [("a", 1), ("a", 2), ("b", 1), ("c", 1)]
    for name, trial in lines:
        line = {"case_id": name, "trial": trial, "response": {"answer": "x"}}
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"{json.dumps(line)}\n")
    endpoint = RecordedEndpoint(file, ResponseMap())
    cases = [Case("a", "q"), Case("b", "q"), Case("z", "q")]

    found = [endpoint.count_unasked(cases, trials) for trials in (1, 2)]
    endpoint.close()

    assert found == [2, 1]


def test_a_hash_in_the_log_of_another_system_says_nothing_of_the_question(file):
    write(file, {**FULL, "hash": "d41d8cd98f00"})

    assert isinstance(replay(file), Response)


def test_a_recorded_failure_is_that_failure(file):
    failure = {"cause": "service.timeout", "message": "no reply within 30 s"}
    write(file, {"case_id": "qa-1", "trial": 1, "failure": failure, "latency_s": 30.0})

    assert replay(file) == Failure(*failure.values(), latency=30.0)


def test_a_case_without_record_is_said_to_have_none(file):
    failure = replay(write(file, FULL), "qa-2")

    assert failure == Failure(
        "service.not_recorded", "replay.jsonl holds no reply for this case"
    )


def test_the_spec_strips_and_finds_marks_anew(file):
    record = json.loads(json.dumps(FULL))
    record["response"]["answer"] = "<think>[2]</think> Within 30 days [1]."

    response = replay(
        write(file, record),
        answer="data.text",
        context=ContextMap(id="data.id"),
        strip=("<think>.*?</think>",),
        citations=CitationMap(pattern=r"\[(\d)\]", first=1),
    )

    assert (response.answer, response.citations) == ("Within 30 days.", ("r#3",))
    assert response.raw_answer == record["response"]["answer"]


def test_marks_over_another_list_leave_the_answer_and_the_recorded_ids_hold(file):
    citations = CitationMap(pattern=r"\[(\d)\]", first=1, of="sources[].id")

    response = replay(write(file, FULL), citations=citations)

    assert (response.answer, response.citations) == ("Within 30 days.", ("r#3",))


def test_what_the_mapping_ignores_is_ignored_in_a_record_too(file):
    spec = dict.fromkeys(["answer", "contexts", "citations", "refused", "usage"])

    assert replay(write(file, FULL), **spec) == Response(latency=0.84)


@pytest.mark.parametrize(
    ("head", "case"),
    [
        ('{"case_id":"x",', "x"),
        ('  { "case_id" : "x" , "trial" : 1 ,', "x"),
        ('\ufeff{"case_id": "x",', "x"),
        ('{"case_id": "退货\\u0021", "trial": 1,', "退货!"),
        ('{"case_id": "退货", "trial": 1,', "退货"),
        ('{"case_id": 7,', "7"),
        ('{"at": "2026", "trial": 1, "case_id": "x",', "x"),
    ],
)
def test_a_record_is_found_however_it_begins(file, head, case):
    write(file, head + '"response": {"answer": "a"}}\r', "  ", "")

    assert replay(file, case) == Response(answer="a")


def test_another_trial_is_another_record(file):
    late = '{"case_id": "qa-1", "response": {"answer": "b"}, "trial": 2}'
    write(file, late, FULL, {**FULL, "trial": 3})

    assert replay(file).answer == "Within 30 days [1]."


def test_closing_twice_closes_nothing_else(file):
    endpoint = RecordedEndpoint(write(file, FULL), ResponseMap())
    endpoint.close()

    with file.open("rb") as other:
        endpoint.close()
        assert other.read(1) == b"{"


def test_threads_may_share_it(file):
    rows = [{"case_id": f"c{n}", "response": {"answer": "a" * n}} for n in range(500)]
    endpoint = RecordedEndpoint(write(file, *rows), ResponseMap())

    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(
            lambda n: endpoint.ask(Case(f"c{n}", "q")).answer, range(500)
        )

    assert [len(answer) for answer in answers] == list(range(500))
    endpoint.close()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([FULL, {**FULL}], r"replay.jsonl:2: 'qa-1' has a record in line 1 already"),
        ([FULL, "", {"id": 1}], r"replay.jsonl:3: case_id is missing"),
        ([FULL, {"case_id": True}], r"replay.jsonl:2: case_id is a boolean"),
        ([{"case_id": "a", "trial": "x"}], r"replay.jsonl:1: trial is \"x\", not a"),
        ([{"case_id": "a", "trial": True}], r"replay.jsonl:1: trial is true, not a"),
        ([FULL, '{"case_id":'], r"replay.jsonl:2: no JSON: .*EOF"),
        ([FULL, "[1]"], r"replay.jsonl:2: a list, not a record"),
        ([FULL, "a,b"], r"replay.jsonl:2: no JSON"),
    ],
)
def test_a_line_that_is_no_record_is_an_error_at_its_line(file, lines, message):
    with pytest.raises(InputError, match=message):
        RecordedEndpoint(write(file, *lines), ResponseMap(), file="replay.jsonl")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"case_id": "qa-1", "response": {"answer": NaN}}', "no JSON"),
        ('{"case_id": "qa-1", "response": {"answer": "cut', "no JSON"),
        ('{"case_id": "qa-1", "response": {}, "case_id": "b"}', "stands there twice"),
        ('{"case_id": "qa-1", "failure": null}', "no response and no failure"),
        ('{"case_id": "qa-1", "failure": {"cause": "x"}}', "is one of service.unreach"),
        ('{"case_id": "qa-1", "response": ' + "[" * 9999 + "}", "no JSON"),
    ],
)
def test_a_broken_record_is_an_error_at_its_line_when_it_is_asked_for(
    file, record, message
):
    write(file, {**FULL, "case_id": "other"}, record)

    with pytest.raises(InputError, match=rf"^replay\.jsonl:2: .*{message}"):
        replay(file)


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b"\x00\x01", b'"\xe4"'])
def test_a_file_that_is_no_utf_8_is_an_input_error(file, content):
    file.write_bytes(content)

    with pytest.raises(InputError, match="no JSON"):
        RecordedEndpoint(file, ResponseMap())


def test_a_file_that_is_not_there_is_an_input_error(file):
    with pytest.raises(InputError, match="No such file"):
        RecordedEndpoint(file, ResponseMap())


def test_a_line_of_50_mb_is_refused_without_being_held(file):
    with file.open("w", encoding="utf-8") as lines:
        lines.write(json.dumps(FULL) + "\n" + '{"case_id": "big", "response": "')
        for _ in range(50):
            lines.write("x" * 2**20)
        lines.write('"}\n')
    tracemalloc.start()

    with pytest.raises(InputError, match=r":2: the line is longer than 32 MiB"):
        RecordedEndpoint(file, ResponseMap())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 3 * LONGEST_LINE


def test_a_record_of_another_shape_is_a_malformed_reply(file):
    failure = replay(write(file, {"case_id": "qa-1", "response": {"text": "a"}}))

    assert failure.cause == "service.malformed"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_cannot_be_read_twice_is_refused_at_once(file, make):
    make(file)

    with pytest.raises(InputError, match=r"replay\.jsonl: is no regular file"):
        RecordedEndpoint(file, ResponseMap(), file="replay.jsonl")


def test_an_id_that_is_no_utf_8_is_an_error_at_its_line(file):
    file.write_bytes(b'{"case_id": "a\xff", "response": {}}\n')

    with pytest.raises(InputError, match=r"replay\.jsonl:1: no JSON"):
        RecordedEndpoint(file, ResponseMap(), file="replay.jsonl")


def test_a_key_that_no_record_has_is_told_of_the_file_and_not_of_the_spec(file):
    write(file, {"case_id": "qa-1", "response": {"text": "a"}})
    endpoint = RecordedEndpoint(file, ResponseMap(answer="data.text"), file="r.jsonl")

    endpoint.ask(Case("qa-1", "q"))
    endpoint.close()

    told = "r.jsonl: `answer` found nothing in 1 reply; the reply has the keys text"
    assert str(endpoint.missing()).startswith(told)


def test_it_knows_whether_any_case_was_recorded(file):
    endpoint = RecordedEndpoint(write(file, FULL), ResponseMap())
    endpoint.close()

    assert endpoint.holds_any([Case("other", "q"), Case("qa-1", "q")])
    assert not endpoint.holds_any([Case("other", "q")])


def test_the_time_to_the_first_token_is_recorded_too(file):
    found = replay(write(file, {**FULL, "time_to_first_token_s": 0.2}))

    assert found.time_to_first_token == 0.2


def test_a_streamed_reply_replays_without_its_events(file):
    spec = {
        "stream": "sse",
        "answer": "join('', events[].data.answer)",
        "contexts": "events[].data.contexts[]",
        "citations": {"pattern": r"\[(\d)\]", "first": 1},
    }

    found = replay(write(file, FULL), **spec)

    assert (found.answer, found.citations) == ("Within 30 days.", ("r#3",))
    assert [passage.id for passage in found.passages] == ["r#3", "7"]
