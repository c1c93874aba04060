"""A program as the endpoint: what it is given, and every way in which it can fail."""

import json
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from runner.endpoints.command import CommandEndpoint
from runner.errors import InputError
from runner.model import Case, Failure
from runner.spec import EndpointSpec
from tests.program import alive

CASE = Case("qa-1", "退货期限是多少天？", tenant="acme", meta={"lang": "zh"})
ECHO = (
    "import sys, json; asked = json.load(sys.stdin);"
    "print(json.dumps({'answer': asked['question'], 'contexts': [{'id': asked['id']}],"
    "'usage': asked}))"
)


def endpoint(folder: Path, code: str, *, secrets=(), words=None, **keys):
    command = shlex.join(words or [sys.executable, "-c", code])
    spec = EndpointSpec(command=command, **keys)
    return CommandEndpoint(spec, {}, folder=folder, secrets=secrets)


def failure(folder: Path, code: str, **keys) -> Failure:
    result = endpoint(folder, code, **keys).ask(CASE)
    assert isinstance(result, Failure)
    assert not result.retryable
    return result


CHILD = (
    "import subprocess, sys, time\n"
    "waits = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
    "open('child', 'w').write(str(subprocess.Popen(waits).pid))\n"
)
"""Starts something else, and writes down what."""


def test_it_reads_the_case_and_its_output_is_mapped(tmp_path):
    result = endpoint(tmp_path, ECHO).ask(CASE)

    assert result.answer == CASE.question
    assert result.passages[0].id == "qa-1"
    assert result.latency > 0
    given = result.usage
    assert len(given.pop("uuid")) == 32
    assert (given["tenant"], given["meta"]) == ("acme", {"lang": "zh"})
    assert "reference" not in given
    assert "expected_doc_ids" not in given


def test_a_body_says_what_it_reads_instead(tmp_path):
    code = "import sys; print('{\"answer\": ' + sys.stdin.read() + '}')"
    mapped = {"answer": "answer.q", "contexts": None}

    result = endpoint(
        tmp_path, code, body={"q": "{{ question }}", "k": 3}, response=mapped
    ).ask(CASE)

    assert result.answer == CASE.question


def test_it_runs_in_its_folder(tmp_path):
    (tmp_path / "here.json").write_text('{"answer": "from a file"}')

    assert endpoint(tmp_path, "", words=["cat", "here.json"]).ask(CASE).answer


def test_one_that_reads_nothing_is_no_failure(tmp_path):
    long = CASE._replace(question="x" * 500_000)

    assert endpoint(tmp_path, 'print(\'{"answer": "a"}\')').ask(long).answer == "a"


def test_output_as_large_as_it_may_be_comes_whole(tmp_path):
    code = "import sys; sys.stderr.write('e' * 10**6); print('{\"answer\": \"%s\"}' % "
    code += "('a' * 3 * 10**6))"

    assert len(endpoint(tmp_path, code).ask(CASE).answer) == 3 * 10**6


@pytest.mark.parametrize(
    ("code", "cause", "words"),
    [
        pytest.param(
            "import sys; print('{\"answer\": 1}'); sys.exit('no model: s3cr3t-key')",
            "service.crashed",
            "ended with status 1; its standard error ends with: no model: ***",
            id="a status that is not 0",
        ),
        pytest.param(
            "raise ValueError('no index')",
            "service.crashed",
            "ValueError: no index",
            id="an exception",
        ),
        pytest.param(
            "import os; os.kill(os.getpid(), 9)",
            "service.crashed",
            "died of signal 9",
            id="a signal",
        ),
        pytest.param("", "service.malformed", "is empty", id="no output"),
        pytest.param(
            "print('The answer is 30.')",
            "service.malformed",
            "is no JSON: expected value at line 1 column 1; it begins with: The",
            id="words",
        ),
        pytest.param(
            "print('loading'); print('{\"answer\": \"a\"}')",
            "service.malformed",
            "it begins with: loading",
            id="more than the reply",
        ),
        pytest.param(
            'print(\'{"answr": "a"}\')',
            "service.malformed",
            "did you mean answr?",
            id="another key",
        ),
        pytest.param(
            "print('x' * 3000)",
            "service.malformed",
            "larger than endpoint.max_response",
            id="too much",
        ),
    ],
)
def test_a_run_without_a_reply_says_why(tmp_path, code, cause, words):
    found = failure(tmp_path, code, secrets=["s3cr3t-key"], max_response="2KiB")

    assert found.cause == cause
    assert words in found.message
    assert "s3cr3t" not in found.message


def test_a_long_standard_error_is_cut_from_its_beginning(tmp_path):
    code = "import sys; sys.exit('\\n'.join(f'line {n}' for n in range(10**5)))"

    found = failure(tmp_path, code)

    assert "line 99999" in found.message
    assert len(found.message) < 500


@pytest.mark.parametrize("behind", [0, 290, 8180, 8192, 9000])
def test_a_secret_that_is_cut_in_two_is_not_shown(tmp_path, behind):
    code = f"import sys; sys.exit('s3cr3t-key-of-some-length' + 'x' * {behind})"

    found = failure(tmp_path, code, secrets=["s3cr3t-key-of-some-length"])

    assert "length" not in found.message
    assert len(found.message) < 450


def test_at_the_time_out_all_that_it_started_is_ended(tmp_path):
    waits = "print('waiting for the model', file=sys.stderr, flush=True)\n"
    code = f"{CHILD}{waits}time.sleep(60)"
    started = time.monotonic()

    found = failure(tmp_path, code, timeout="800ms")

    assert time.monotonic() - started < 5
    assert found.cause == "service.timeout"
    assert "within 0.8 s (endpoint.timeout) and was ended" in found.message
    assert "waiting for the model" in found.message
    assert not alive(int((tmp_path / "child").read_text()))


def test_what_it_leaves_behind_does_not_hold_it_up(tmp_path):
    code = f'{CHILD}print(\'{{"answer": "a"}}\')'
    started = time.monotonic()

    assert endpoint(tmp_path, code).ask(CASE).answer == "a"
    assert time.monotonic() - started < 5
    assert not alive(int((tmp_path / "child").read_text()))


def test_closing_ends_what_runs_and_nothing_begins_after(tmp_path):
    slow = endpoint(tmp_path, "import time; time.sleep(60)")
    Timer(0.5, slow.close).start()
    started = time.monotonic()

    assert slow.ask(CASE).cause == "service.crashed"
    assert slow.ask(CASE).cause == "service.crashed"
    assert time.monotonic() - started < 5


def test_many_are_run_at_once_each_with_its_own_case(tmp_path):
    cases = [Case(f"qa-{n}", f"Question {n}?") for n in range(24)]
    with closing(endpoint(tmp_path, ECHO)) as each, ThreadPoolExecutor(6) as pool:
        answers = [found.answer for found in pool.map(each.ask, cases)]

    assert answers == [case.question for case in cases]


def test_output_in_pieces_is_a_stream_that_is_timed(tmp_path):
    code = (
        "import json, time\n"
        "for piece in ('Within ', '30 ', 'days.'):\n"
        "    print(json.dumps({'delta': piece}), flush=True)\n"
        "    time.sleep(0.1)"
    )
    mapped = {"stream": "ndjson", "answer": "join('', events[].data.delta)"}

    result = endpoint(tmp_path, code, response=mapped).ask(CASE)

    assert result.answer == "Within 30 days."
    assert result.time_to_first_token < result.latency - 0.15


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-program"], "no-such-program cannot be started: No such file"),
        (["./notes.txt"], "notes.txt cannot be started: Permission denied"),
    ],
)
def test_a_program_that_is_not_there_ends_the_run(tmp_path, words, told):
    (tmp_path / "notes.txt").write_text("x")

    with pytest.raises(InputError, match="there is no shell") as caught:
        endpoint(tmp_path, "", words=words).ask(CASE)

    assert str(caught.value).startswith("endpoint.command: ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("command", "told"), [("python 'x", "No closing quotation"), (" ", "no word")]
)
def test_a_command_that_cannot_be_split_is_told(tmp_path, command, told):
    with pytest.raises(InputError, match=told):
        CommandEndpoint(EndpointSpec(command=command), {}, folder=tmp_path)


def test_it_is_given_plain_ascii_json_whatever_the_question(tmp_path):
    code = "import sys, json; data = sys.stdin.buffer.read(); data.decode('ascii');"
    code += "print(json.dumps({'answer': json.loads(data)['question']}))"
    odd = CASE._replace(question='"quoted"\n\t\\ é 漢 \U0001f600')

    assert endpoint(tmp_path, code).ask(odd).answer == odd.question


def test_json_is_one_line(tmp_path):
    code = "import json; print(json.dumps({'answer': json.loads(input())['id']}))"

    assert endpoint(tmp_path, code).ask(CASE).answer == json.loads('"qa-1"')
