"""A whole run against a server that streams: its verdict, and what it is told."""

import json

import pytest
from click.testing import CliRunner

from runner.cli import commands
from runner.errors import InputError
from tests.streaming import PAUSE, oddly, replaying

CASES = [
    {
        "id": f"days-{number}",
        "question": "How many days?",
        "expected_doc_ids": ["r#3"],
        "must_include": ["30 days"],
    }
    for number in range(3)
]
BODY = (
    b'data: {"answer": "Within 30 "}\n\ndata: {"answer": "days."}\n\n'
    b'data: {"docs": [{"id": "r#3", "text": "Paid within 30 days."}]}\n\n'
)
MAPPING = {
    "stream": "sse",
    "answer": "join('', events[].data.answer)",
    "contexts": "events[].data.docs[]",
}


@pytest.fixture
def run(tmp_path):
    with replaying() as server:
        server.cut, server.body = oddly, BODY

        def ran(*words, **mapping):
            spec = {
                "endpoint": {
                    "url": server.url,
                    "body": {"q": "{{ question }}"},
                    "retries": 0,
                    "response": {**MAPPING, **mapping},
                },
                "cases": "cases.json",
                "metrics": [
                    *("recall@5", "key_points"),
                    *("time_to_first_token", "tokens_per_second"),
                ],
                "thresholds": {
                    "recall@5": {"min": 1},
                    "accuracy": {"min": 1},
                    "time_to_first_token_p95": {"max": "5s"},
                },
            }
            (tmp_path / "cases.json").write_text(json.dumps(CASES))
            (tmp_path / "spec.yaml").write_text(json.dumps(spec))
            out = tmp_path / "out"
            call = ["run", str(tmp_path / "spec.yaml"), "--out", str(out), "--quiet"]
            done = CliRunner().invoke(
                commands,
                [*call, *words],
                env={"GITHUB_WORKSPACE": str(tmp_path)},
                standalone_mode=False,
                catch_exceptions=False,
            )
            results = json.loads((out / "results.json").read_text())
            return done.return_value or 0, results, out

        yield server, ran


def test_a_run_is_judged_and_gives_the_same_verdict_when_it_is_replayed(run, tmp_path):
    _, ran = run
    status, results, out = ran()
    kept = tmp_path / "replies.jsonl"
    kept.write_bytes((out / "responses.jsonl").read_bytes())

    again, replayed, _ = ran("--replay", str(kept))

    assert (status, again) == (0, 0)
    assert (results["verdict"], replayed["verdict"]) == ("passed", "passed")
    for found in (results, replayed):
        assert found["summaries"]["time_to_first_token"]["scored"] == 3


def test_tokens_a_second_are_those_that_the_stream_states_by_its_time(run):
    server, ran = run
    parts = [
        b'data: {"answer": "30 days. "}\n\n',
        b'data: {"usage": {"output": 41}}\n\n',
    ]
    waits = {"slow": [parts[0], *[PAUSE] * 30, parts[1]], "at once": [b"".join(parts)]}
    found = {}
    for name, pieces in waits.items():
        server.cut = lambda _, pieces=pieces: pieces
        _, results, _ = ran(contexts=None, usage="events[].data.usage | [0]")
        found[name] = results["summaries"]["tokens_per_second"]

    assert found["slow"]["scored"] == 3
    assert 40 < found["slow"]["mean"] < 40 / 0.09
    assert found["at once"]["absent"] == 3
    assert found["at once"]["reasons"] == {"the answer came in one piece": 3}


def test_a_stream_that_breaks_off_is_an_error_and_no_answer(run):
    server, ran = run
    server.whole = False

    status, results, out = ran()

    assert status != 0
    assert results["totals"]["errors"] == 3
    assert "until then it had answered: Within 30 days." in (
        (out / "responses.jsonl").read_text()
    )


def test_an_answer_that_no_event_holds_ends_the_run_with_what_they_hold(run):
    _, ran = run

    with pytest.raises(InputError, match=r"the events hold data\.answer; data\.docs"):
        ran(answer="join('', events[].data.answr)")
