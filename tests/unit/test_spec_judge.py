import jsonschema
import pytest
import yaml

from runner.errors import Document, MissingVariable, Problems
from runner.metrics import registry
from runner.metrics._declare import metric
from runner.model import Frozen, Judge, Task
from runner.spec import json_schema, parse

BASE = {"endpoint": {"url": "http://localhost:9000/rag"}, "cases": "cases.json"}
FIVE_LINES = """\
judge:
  url: https://api.openai.com/v1
  model: gpt-4o-mini
  api_key: ${OPENAI_API_KEY}
thresholds: {judged: {min: 0.9}}
"""
KEY = "sk-a-made-up-key"


class Verdict(Frozen):
    share: float


SHARE = Task("share", 1, Verdict)


@metric(layer="answer", tasks=(SHARE,))
def judged(answer: str, judge: Judge) -> float:
    """Give what the judge says."""
    return judge.rate(SHARE, answer=answer).share


METRICS = {**registry, "judged": registry.pop("judged")}


def read(text: str, **environ: str):
    data = {**BASE, **yaml.safe_load(text)}
    document = Document(data, {}, "spec.yaml")
    return parse(document, registry=METRICS, environ=environ)


def problems(text: str, **environ: str) -> list[str]:
    with pytest.raises(Problems) as caught:
        read(text, **environ)
    return [str(problem) for problem in caught.value]


def test_five_lines_are_enough():
    spec = read(FIVE_LINES, OPENAI_API_KEY=KEY)

    assert spec.judge.url == "https://api.openai.com/v1"
    assert spec.judge.identity == {"model": "gpt-4o-mini", "temperature": 0.0}
    assert (spec.judge.when, spec.judge.uncalibrated) == ("passed", "warn")
    assert (spec.judge.min_kappa, spec.judge.drift) == (0.6, 0.05)
    assert KEY in spec.secrets


def test_a_missing_key_is_named():
    with pytest.raises(Problems) as caught:
        read(FIVE_LINES)

    assert [type(problem) for problem in caught.value] == [MissingVariable]
    assert "OPENAI_API_KEY is missing or empty" in str(caught.value)


@pytest.mark.parametrize("pasted", [f"{KEY}\n", f" {KEY}\r\n"])
def test_a_key_is_read_without_what_was_pasted_around_it(pasted):
    spec = read(FIVE_LINES, OPENAI_API_KEY=pasted)

    assert spec.judge.api_key == KEY
    assert KEY in spec.secrets


@pytest.mark.parametrize("key", ["api_key: '${K}'", "headers: {x-key: '${K}'}"])
def test_what_no_header_can_hold_is_refused_and_not_shown(key):
    block = f"judge: {{url: 'http://x/v1', model: m, {key}}}"
    (said,) = problems(block, K=f"{KEY}\nX-Evil: 1")

    assert "a header holds one line of printable ASCII characters" in said
    assert KEY not in said


def test_a_key_that_is_written_in_the_spec_is_a_secret_too():
    spec = read(f"judge: {{url: http://localhost:1/v1, model: m, api_key: {KEY}}}")

    assert KEY in spec.secrets


def test_what_needs_a_judge_says_so_where_there_is_none():
    assert problems("thresholds: {judged: {min: 0.9}}") == [
        "spec.yaml metrics: judged needs a judge (write judge: {url: ..., model: ...})"
    ]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("{model: m}", "needs url, or recorded"),
        ("{url: 'http://x/v1'}", "model"),
        ("{url: x.example/v1, model: m}", "must begin with http:// or https://"),
        ("{url: 'http://x/v1', model: m, temprature: 0}", "did you mean temperature?"),
        ("{url: 'http://x/v1', model: m, temperature: 3}", "judge.temperature"),
        ("{url: 'http://x/v1', model: m, temperature: true}", "judge.temperature"),
        (
            "{url: 'http://x/v1', model: m, temperature: 1e400}",
            "must be a finite number",
        ),
        ("{url: 'http://x/v1', model: m, timeout: 30}", "30 has no unit"),
        ("{url: 'http://x/v1', model: m, min_kappa: 6}", "no share"),
        ("{url: 'http://x/v1', model: m, when: never}", "passed"),
        ("{url: 'http://x/v1', model: m, body: {stream: true}}", "may not hold stream"),
        ("{url: 'http://x/v1', model: m, budget: {max_calls: 0}}", "max_calls"),
        ("{url: 'http://x/v1', model: m, budget: {max_usd: 1}}", "needs price"),
        (
            "{url: 'http://x/v1', model: m, embeddings: {url: x, model: e}}",
            "must begin with http:// or https://",
        ),
    ],
)
def test_what_is_wrong_with_a_judge_is_told(block, expected):
    (said,) = problems(f"judge: {block}")

    assert expected in said


def test_a_judge_may_be_a_file_alone():
    spec = read("judge: {recorded: judgements.jsonl, model: m}")

    assert (spec.judge.url, spec.judge.host) == (None, "")


def test_what_compares_embeddings_needs_a_model_that_embeds():
    measured = "metrics: [answer_relevancy]"
    block = "{url: 'http://x/v1', model: m%s}"

    (said,) = problems(f"judge: {block % ''}\n{measured}")
    assert said == (
        "spec.yaml metrics: answer_relevancy compares texts by their embeddings "
        "(write judge.embeddings: {model: ...})"
    )
    assert read(f"judge: {block % ', embeddings: {model: e}'}\n{measured}").judge


def test_what_is_wrong_with_a_judge_is_told_once():
    (said,) = problems("judge: {model: m}\nmetrics: [faithfulness]")

    assert "needs url, or recorded" in said


def test_further_fields_of_a_request_are_part_of_what_a_judge_is():
    block = "{url: 'http://x/v1', model: m, body: {top_p: 1, max_tokens: 900}}"
    spec = read(f"judge: {block}")

    assert spec.judge.identity["body"] == '{"max_tokens": 900, "top_p": 1}'


def test_the_embeddings_are_part_of_what_a_judge_is():
    url = "url: 'http://a:b@x:8000/v1', model: m"
    spec = read(f"judge: {{{url}, embeddings: {{model: e}}}}")

    assert spec.judge.identity["embeddings"] == "e"
    assert spec.judge.host == "x:8000"


@pytest.mark.parametrize(
    "block",
    [
        {"url": "http://x/v1", "model": "m", "concurrency": "${N:-4}"},
        {
            "url": "http://x/v1",
            "model": "m",
            "price": {"input": 0.15, "output": 1},
            "budget": {"max_usd": 2.5, "max_minutes": 10, "max_calls": 100},
            "embeddings": {"model": "e"},
            "temperature": "${T:-0}",
        },
    ],
)
def test_what_is_read_fits_the_schema(block):
    spec = {**BASE, "judge": block}

    jsonschema.validate(spec, json_schema(METRICS))
    assert read(yaml.safe_dump({"judge": block})).judge is not None
