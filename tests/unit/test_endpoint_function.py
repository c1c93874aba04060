"""A Python function as the endpoint: how it is found, called, and how it can fail."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Timer

import pytest

from runner.endpoints.function import FunctionEndpoint
from runner.errors import InputError
from runner.model import Case, Failure
from runner.spec import EndpointSpec

CASE = Case("qa-1", "退货期限是多少天？", meta={"lang": "zh"})


@pytest.fixture
def function(tmp_path, request):
    """Give what makes an endpoint of code; each test has modules of its own name."""
    number = abs(hash(request.node.nodeid))
    opened = []

    def made(code, name="answer", *, secrets=(), folders=None, **keys):
        module = f"rag_{number}"
        (tmp_path / f"{module}.py").write_text(code, "utf-8")
        spec = EndpointSpec(python=f"{module}:{name}", **keys)
        folders = [tmp_path] if folders is None else folders
        opened.append(FunctionEndpoint(spec, {}, folders=folders, secrets=secrets))
        return opened[-1]

    yield made
    for each in opened:
        each.close()


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("def answer(question):\n return {'answer': question}", CASE.question),
        ("def answer(question, case):\n return {'answer': case['id']}", "qa-1"),
        ("def answer(q, case=None):\n return {'answer': case['id']}", "qa-1"),
        ("def answer(q, top_k=5):\n return {'answer': str(top_k)}", "5"),
        ("def answer(*words):\n return {'answer': str(len(words))}", "1"),
        ("answer = lambda q: {'answer': q}", CASE.question),
        ("async def answer(q):\n return {'answer': q}", CASE.question),
        (
            (
                "import asyncio\nasync def answer(q, case):\n"
                " await asyncio.sleep(0.01)\n return {'answer': case['meta']['lang']}"
            ),
            "zh",
        ),
        (
            (
                "from typing import NamedTuple\nfrom dataclasses import dataclass\n"
                "@dataclass\nclass Reply:\n answer: str\n"
                "def answer(q):\n return Reply('as a dataclass')"
            ),
            "as a dataclass",
        ),
        (
            (
                "import pydantic\nclass Reply(pydantic.BaseModel):\n answer: str\n"
                "def answer(q):\n return Reply(answer='as a model')"
            ),
            "as a model",
        ),
    ],
)
def test_it_is_called_with_the_question_or_with_question_and_case(
    function, code, answer
):
    result = function(code).ask(CASE)

    assert result.answer == answer
    assert result.latency > 0


def test_a_method_of_an_object_is_a_function(function):
    code = "class Rag:\n def ask(self, q):\n  return {'answer': q}\nrag = Rag()"

    assert function(code, "rag.ask").ask(CASE).answer == CASE.question


def test_a_text_alone_is_mapped_as_one(function):
    mapped = {"answer": "@", "contexts": None, "citations": None, "usage": None}
    code = "def answer(q):\n return 'yes'"

    assert function(code, response=mapped).ask(CASE).answer == "yes"


@pytest.mark.parametrize(
    ("code", "cause", "words"),
    [
        pytest.param(
            "def answer(q):\n raise KeyError('s3cr3t-key')",
            "service.crashed",
            "raised KeyError: '***', at rag_",
            id="an exception",
        ),
        pytest.param(
            "async def answer(q):\n raise OSError('no index')",
            "service.crashed",
            "raised OSError: no index, at rag_",
            id="an exception in a coroutine",
        ),
        pytest.param(
            "def answer(q):\n raise TimeoutError('upstream')",
            "service.crashed",
            "raised TimeoutError: upstream",
            id="a time-out of its own",
        ),
        pytest.param(
            "class Odd(Exception):\n def __str__(self):\n  raise ValueError\n"
            "def answer(q):\n raise Odd",
            "service.crashed",
            "Odd: <exception str() failed>, at rag_",
            id="an exception without a text",
        ),
        pytest.param(
            "import sys\ndef answer(q):\n sys.exit(3)",
            "service.crashed",
            "raised SystemExit: 3",
            id="an exit",
        ),
        pytest.param(
            "def answer(q):\n return {'answer': object()}",
            "service.malformed",
            "is no JSON",
            id="what is no JSON",
        ),
        pytest.param(
            "def answer(q):\n return {'answer': 'a', 'contexts': [{'score': "
            "float('nan')}]}",
            "service.malformed",
            "is no JSON",
            id="no number",
        ),
        pytest.param(
            "def answer(q):\n x = []\n x.append(x)\n return x",
            "service.malformed",
            "is no JSON",
            id="a circle",
        ),
        pytest.param(
            "def answer(q):\n return None",
            "service.malformed",
            "the reply is null",
            id="nothing",
        ),
        pytest.param(
            "def answer(q):\n return 'x' * 3000",
            "service.malformed",
            "larger than endpoint.max_response",
            id="too much",
        ),
    ],
)
def test_a_call_without_a_reply_says_why(function, code, cause, words):
    found = function(code, secrets=["s3cr3t-key"], max_response="2KiB").ask(CASE)

    assert isinstance(found, Failure)
    assert (found.cause, found.retryable) == (cause, False)
    assert words in found.message


@pytest.mark.parametrize(
    "code",
    [
        "import time\ndef answer(q):\n time.sleep(3 if q == 'slow' else 0)\n return ok",
        (
            "import asyncio\nasync def answer(q):\n"
            " await asyncio.sleep(3 if q == 'slow' else 0)\n return ok"
        ),
    ],
    ids=["thread", "coroutine"],
)
def test_one_that_takes_too_long_is_a_time_out_and_the_next_is_asked(function, code):
    with closing(function(f"ok = {{'answer': 'a'}}\n{code}", timeout="300ms")) as each:
        started = time.monotonic()
        late = each.ask(CASE._replace(question="slow"))
        then = each.ask(CASE)

    assert time.monotonic() - started < 2
    assert late.cause == "service.timeout"
    assert "within 0.3 s (endpoint.timeout)" in late.message
    assert then.answer == "a"


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_closing_waits_for_no_call(function, kind):
    wait = "time.sleep(9)" if kind == "def" else "await asyncio.sleep(9)"
    each = function(f"import asyncio, time\n{kind} answer(q):\n {wait}")
    Timer(0.3, each.close).start()
    started = time.monotonic()

    assert isinstance(each.ask(CASE), Failure)
    assert time.monotonic() - started < 3


def test_threads_call_it_at_once(function):
    code = (
        "import threading\nall_of_them = threading.Barrier(8)\n"
        "def answer(q):\n all_of_them.wait(20)\n return {'answer': q}"
    )
    cases = [Case(f"qa-{n}", f"Question {n}?") for n in range(8)]
    with closing(function(code)) as each, ThreadPoolExecutor(8) as pool:
        answers = [found.answer for found in pool.map(each.ask, cases)]

    assert answers == [case.question for case in cases]


def test_what_it_keeps_for_a_thread_is_kept_and_coroutines_share_a_loop(function):
    code = (
        "import asyncio, threading\nkept = threading.local()\nloops = set()\n"
        "def answer(q):\n kept.count = getattr(kept, 'count', 0) + 1\n"
        " return {'answer': str(kept.count)}\n"
        "async def later(q):\n loops.add(asyncio.get_running_loop())\n"
        " return {'answer': str(len(loops))}"
    )
    plain, coroutine = function(code), function(code, "later")

    assert [plain.ask(CASE).answer for _ in range(3)] == ["1", "2", "3"]
    with ThreadPoolExecutor(4) as pool:
        found = {r.answer for r in pool.map(coroutine.ask, [CASE] * 8)}
    assert found == {"1"}


@pytest.mark.parametrize(
    ("code", "name", "told"),
    [
        ("import no_such_package", "answer", "ModuleNotFoundError: No module named"),
        ("1 / 0", "answer", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit('set KEY')", "answer", "SystemExit: set KEY"),
        ("def anwser(q): pass", "answer", "did you mean anwser?"),
        ("answer = 3", "answer", "is no function"),
        ("class answer: pass", "answer", "is no function"),
        ("def answer(): pass", "answer", "cannot be called with a question"),
        ("def answer(a, b, c): pass", "answer", "missing a required argument: 'c'"),
    ],
)
def test_one_that_cannot_be_had_ends_the_run(function, code, name, told):
    with pytest.raises(InputError) as caught:
        function(code, name)

    assert told in str(caught.value)
    assert str(caught.value).startswith("endpoint.python: ")


def test_a_package_with_the_name_of_ours_says_so(tmp_path):
    spec = EndpointSpec(python="runner.my_rag:answer")

    with pytest.raises(InputError, match="runner is the package of rag-eval itself"):
        FunctionEndpoint(spec, {}, folders=[tmp_path])


def test_a_module_that_is_not_there_says_where_it_was_looked_for(tmp_path):
    spec = EndpointSpec(python="no_such_rag:answer")

    with pytest.raises(InputError, match="there is no module no_such_rag") as caught:
        FunctionEndpoint(spec, {}, folders=[tmp_path])

    assert f"looked in {tmp_path}" in str(caught.value)
