import json
import math
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.endpoints.recorded import RecordedEndpoint
from runner.errors import InputError, Place, Unavailable
from runner.model import Case, Exchange, Failure, Passage, Record, Response, Turn
from runner.publish._claim import lock
from runner.publish.artifacts import ResultsFolder, retire
from runner.redact import Redactor
from runner.report import FailedCase, Report, Totals, read
from runner.spec import ResponseMap
from tests.hostile import obeyed

SECRET = "s3cr3t-token"  # noqa: S105  made up
REPORT = Report(
    name="helpdesk",
    verdict="passed",
    totals=Totals(cases=1, passed=1),
    failures=(FailedCase(id="qa-1", answer=f"the key is {SECRET}"),),
)


def folder(root: Path, out: str = "out", **options) -> ResultsFolder:
    return ResultsFolder(root / out, root=root, redactor=Redactor([SECRET]), **options)


@pytest.fixture
def results(tmp_path: Path) -> Iterator[ResultsFolder]:
    with folder(tmp_path) as made:
        yield made


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def record(name: str, **fields) -> Record:
    return Record(name, "passed", "h", "l", fields.pop("scores", {}), **fields)


def test_a_response_is_on_disk_at_once_and_replays(tmp_path, results):
    passage = Passage("d#3", "text", 0.81, None, "a")
    reply = Response(
        answer="30 days",
        raw_answer="30 days [1]",
        passages=(passage,),
        citations=("d#3",),
        refused=False,
        usage={"input_tokens": 7},
        latency=0.84,
    )
    results.response(Case("qa-1", "q"), Exchange(0, reply, at="2026-11-30T09:41:07Z"))
    assert lines(tmp_path / "out/responses.jsonl") == [
        {
            "case_id": "qa-1",
            "trial": 1,
            "response": {
                "answer": "30 days [1]",
                "contexts": [
                    {
                        "id": "d#3",
                        "text": "text",
                        "score": 0.81,
                        "document": None,
                        "tenant": "a",
                    }
                ],
                "citations": ["d#3"],
                "refused": False,
                "usage": {"input_tokens": 7},
            },
            "latency_s": 0.84,
            "attempts": 1,
            "case_hash": "5ba0f7b894a5",
            "at": "2026-11-30T09:41:07Z",
        }
    ]


def test_a_streamed_reply_has_the_time_to_its_first_token(tmp_path, results):
    reply = Response(answer="30 days", latency=0.84, time_to_first_token=0.2)
    results.response(Case("qa-1", "q"), Exchange(0, reply))

    [line] = lines(tmp_path / "out/responses.jsonl")
    assert (line["time_to_first_token_s"], line["latency_s"]) == (0.2, 0.84)


def test_a_failure_has_its_cause_and_no_response(tmp_path, results):
    failure = Failure("service.timeout", f"Bearer {SECRET} timed out", latency=30.0)
    results.response(Case("qa-1", "q"), Exchange(0, failure, attempts=3))

    assert lines(tmp_path / "out/responses.jsonl") == [
        {
            "case_id": "qa-1",
            "trial": 1,
            "failure": {
                "cause": "service.timeout",
                "message": "Bearer *** timed out",
            },
            "latency_s": 30.0,
            "attempts": 3,
            "case_hash": "5ba0f7b894a5",
            "at": None,
        }
    ]


@pytest.mark.parametrize(
    "result",
    [
        Response("30 days", (Passage("d#3", "x", 0.8, "d", "a"),), ("d#3",), False),
        Response("b", turns=(Turn("user", "Hello?"), Turn("assistant", "b."))),
        Failure("service.timeout", "no reply in 30 s", latency=30.0),
        Failure("service.malformed", "no answer", shown=Response(None, ())),
        Failure(
            "service.http_error",
            "in turn 2",
            shown=Response("", turns=(Turn("assistant", "b."),)),
        ),
    ],
)
def test_what_came_replays_to_the_same(tmp_path, results, result):
    case = Case("qa-1", "Why?")
    results.response(case, Exchange(0, result))

    recording = RecordedEndpoint(tmp_path / "out/responses.jsonl", ResponseMap())

    assert recording.ask(case) == result
    recording.close()


@pytest.mark.parametrize("secret", ["answer", "case_id", '"},"citations', "passed"])
def test_a_secret_that_looks_like_a_key_breaks_no_line(tmp_path, secret):
    out, redactor = tmp_path / "out", Redactor([secret])
    reply = Response(answer=f"it is {secret}", usage={secret: 1})
    with ResultsFolder(out, root=tmp_path, redactor=redactor) as results:
        results.response(Case("qa-1", "q"), Exchange(0, reply))
        results.case(0, record("qa-1", type=f"a {secret}"))
    reply_line = lines(tmp_path / "out/responses.jsonl")[0]["response"]

    assert (reply_line["answer"], reply_line["usage"]) == ("it is ***", {"***": 1})
    assert lines(tmp_path / "out/cases.jsonl")[0]["type"] == "a ***"


def test_numbers_that_json_lacks_become_null(tmp_path, results):
    reply = Response(answer="a", usage={"cost": math.nan}, latency=math.inf)
    results.response(Case("qa-1", "q"), Exchange(0, reply))
    results.case(0, record("qa-1", scores={"recall@5": math.nan, "mrr": 0.5}))
    results.close()
    text = (tmp_path / "out/responses.jsonl").read_text()

    assert "NaN" not in text
    assert "Inf" not in text
    assert lines(tmp_path / "out/cases.jsonl")[0]["scores"] == {
        "recall@5": None,
        "mrr": 0.5,
    }


def test_half_a_surrogate_pair_loses_no_line(tmp_path, results):
    results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a\ud800b")))
    report = REPORT.model_copy(update={"notices": ("a\ud800b",)})
    results.finish(report, {})

    assert lines(tmp_path / "out/responses.jsonl")[0]["response"]["answer"] == "a?b"


def test_cases_stand_in_case_order_whatever_order_they_come_in(tmp_path, results):
    path = tmp_path / "out/cases.jsonl"
    for position in (2, 0, 1, 4):
        results.case(position, record(f"qa-{position}"))
    results.close()

    assert [line["id"] for line in lines(path)] == ["qa-0", "qa-1", "qa-2", "qa-4"]


def test_a_case_line_has_the_keys_of_the_format_in_their_order(tmp_path):
    with folder(tmp_path) as results:
        results.case(0, record("qa-0"))
        results.case(1, record("qa-1", failed=("recall@5",), absent=("tokens",)))
    first, second = lines(tmp_path / "out/cases.jsonl")

    assert " ".join(first) == (
        "id type tags outcome layer cause also lucky retrieved scores hash labels"
    )
    assert (second["failed"], second["absent"]) == (["recall@5"], ["tokens"])


def test_the_report_is_masked_before_anything_shows_it(tmp_path, results):
    shown = results.finish(REPORT, {"comment.md": lambda r: str(r.failures[0].answer)})
    text = (tmp_path / "out/results.json").read_text("utf-8")

    assert (tmp_path / "out/comment.md").read_text() == "the key is ***"
    assert shown == read(text, Place("results.json"))
    assert SECRET not in text


def test_the_keys_of_the_format_come_first(tmp_path):
    folder(tmp_path).finish(REPORT, {})
    keys = list(json.loads((tmp_path / "out/results.json").read_text()))

    assert " ".join(keys[:14]) == (
        "format_version name verdict reasons totals summaries gates layers comparison "
        "failures fingerprints commit started duration_s"
    )


def test_nothing_of_an_earlier_run_is_left(tmp_path):
    with folder(tmp_path) as results:
        results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
        results.case(0, record("qa-1"))
        results.finish(REPORT, {"comment.md": str})
    (tmp_path / "out/mine.txt").write_text("mine")
    folder(tmp_path)

    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def finished(root: Path) -> Path:
    """Give the folder of a run that was finished."""
    with folder(root) as results:
        results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
        results.case(0, record("qa-1"))
        results.finish(REPORT, {"comment.md": str, "report.html": str})
    return root / "out"


def test_a_verdict_is_retired_and_what_cannot_be_had_again_stays(tmp_path):
    out = finished(tmp_path)
    (out / "mine.txt").write_text("mine")

    assert [retire(out, tmp_path), retire(out, tmp_path)] == [True, False]
    assert names(out) == ["cases.jsonl", "mine.txt", "responses.jsonl"]


@pytest.mark.parametrize("name", ["results.json", "cases.jsonl", "responses.jsonl"])
def test_nothing_is_retired_beside_a_file_that_no_run_wrote(tmp_path, name):
    out = finished(tmp_path)
    (out / name).write_text("{}")
    before = names(out)

    assert not retire(out, tmp_path)
    assert names(out) == before


def test_a_page_of_others_is_not_retired(tmp_path):
    out = tmp_path / "docs"
    out.mkdir()
    (out / "report.html").write_text("<html>")

    assert not retire(out, tmp_path)
    assert names(out) == ["report.html"]


def test_the_verdict_of_a_run_at_work_and_what_is_outside_are_not_retired(tmp_path):
    out = finished(tmp_path)
    claim = lock(out)

    assert not retire(out, tmp_path)
    os.close(claim)
    assert not retire(out, tmp_path / "elsewhere")
    assert not retire(tmp_path / "never", tmp_path)
    assert "results.json" in names(out)


def test_replies_that_are_scored_again_stay_as_they_are(tmp_path):
    own = tmp_path / "out/responses.jsonl"
    own.parent.mkdir()
    own.write_text("recorded\n")
    results = folder(tmp_path, replayed=own)
    results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
    results.close()

    assert own.read_text() == "recorded\n"


def test_a_link_in_the_folder_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "out").mkdir()
    for name in ("results.json", "responses.jsonl", ".results.json.part"):
        (tmp_path / "out" / name).symlink_to(victim)
    results = folder(tmp_path)
    results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
    results.finish(REPORT, {})

    assert victim.read_text() == "precious"
    assert not (tmp_path / "out/results.json").is_symlink()


def _make(root: Path) -> None:
    (root / "file").write_text("")
    (root / "docs").mkdir()
    (root / "docs/summary.md").write_text("the team's own")
    (root / "evals").mkdir()
    (root / "evals/cases.jsonl").write_text("the team's own")
    (root / "logs").mkdir()
    (root / "logs/responses.jsonl").write_text('{"case_id": "a", "response": {}}')
    (root / "other").mkdir()
    (root / "other/results.json").write_text('{"numTotalTests": 5}')
    (root / "way-out").symlink_to(root.parent)


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("file", "this is a file"),
        ("file/below", "this is a file"),
        (".", "a folder of their own inside the workspace"),
        ("..", "a folder of their own inside the workspace"),
        ("../beside", "a folder of their own inside the workspace"),
        ("way-out/x", "a folder of their own inside the workspace"),
        ("docs", "holds summary.md, which no run wrote"),
        ("logs", r"holds responses\.jsonl, which no run wrote"),
        ("other", r"holds results\.json, which no run wrote"),
        ("a" * 300, "File name too long"),
        ("evals", r"holds cases\.jsonl, which no run wrote"),
    ],
)
def test_a_folder_that_is_not_ours_to_write_is_refused(tmp_path, out, says):
    root = tmp_path / "workspace"
    root.mkdir()
    _make(root)

    with pytest.raises(InputError, match=says):
        folder(root, out)


def test_a_disk_that_takes_no_more_is_said(tmp_path, results):
    (tmp_path / "out").rmdir()

    with pytest.raises(Unavailable, match=r"responses\.jsonl: cannot be written"):
        results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))


@pytest.mark.parametrize("left", [("responses",), ("cases",), ("responses", "cases")])
def test_what_a_killed_run_left_goes(tmp_path, left):
    killed = folder(tmp_path)
    if "responses" in left:
        killed.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
    if "cases" in left:
        killed.case(0, record("qa-1"))
    killed.close()
    del killed

    folder(tmp_path)

    assert list((tmp_path / "out").iterdir()) == []


def test_two_runs_do_not_write_to_one_folder(tmp_path, results):
    results.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))

    with pytest.raises(InputError, match="another run is writing"):
        folder(tmp_path)

    assert lines(tmp_path / "out/responses.jsonl")


def test_a_run_that_has_ended_keeps_no_other_out(tmp_path):
    with folder(tmp_path) as first:
        first.response(Case("qa-1", "q"), Exchange(0, Response(answer="a")))
    with folder(tmp_path):
        left = list((tmp_path / "out").iterdir())

    assert left == []


def test_a_line_that_cannot_be_flushed_at_the_end_is_said(tmp_path):
    with folder(tmp_path) as results:
        results.case(0, record("qa-1"))
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limit[1]))
        try:
            with pytest.raises(Unavailable, match=r"cases\.jsonl: cannot be written"):
                results.close()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)


def test_no_line_of_json_is_a_command_when_a_workflow_prints_it(tmp_path, results):
    text = "x ##[error]y\n::error::z"
    results.response(
        Case("a", "q"), Exchange(0, Response(text, (Passage("##[d", text),)))
    )
    results.case(0, record("##[group]a"))
    report = Report(name=text, verdict="passed", totals=Totals(cases=1))
    results.finish(report, {})

    names = ("results.json", "cases.jsonl", "responses.jsonl")
    files = {name: (tmp_path / "out" / name).read_text("utf-8") for name in names}
    assert [obeyed(written) for written in files.values()] == [[], [], []]
    assert json.loads(files["results.json"])["name"] == text
    assert lines(tmp_path / "out/cases.jsonl")[0]["id"] == "##[group]a"
    [reply] = lines(tmp_path / "out/responses.jsonl")
    assert reply["response"]["answer"] == text
