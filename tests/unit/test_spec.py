from pathlib import Path

import jsonschema
import pytest

from runner.errors import InputError, MissingVariable, Problems
from runner.files import read_document
from runner.files._yaml import parse_yaml
from runner.metrics import registry
from runner.model import Measure
from runner.spec import (
    DEFAULT_MARKS,
    DEFAULT_METRICS,
    BaselineSource,
    CitationMap,
    Limit,
    Selector,
    bind,
    json_schema,
    parse,
    warnings,
)
from runner.units import Amount

ROOT = Path(__file__).parents[2]
NEEDS_ONE = "needs one of path, branch, artifact, results, endpoint"
BASE = """\
endpoint:
  url: http://localhost:9000/rag
  body: {query: "{{ question }}"}
cases: cases.json
"""
WHOLE = """\
name: helpdesk
endpoint:
  url: ${RAG_URL:-http://localhost:9000}/rag
  method: POST
  headers: {Authorization: "Bearer ${RAG_TOKEN}"}
  query: {}
  body: {query: "{{ question }}", tenant_id: "{{ tenant }}", top_k: 8}
  response:
    answer: answer
    contexts: contexts
    context: {id: id, text: text, score: score, document: document, tenant: tenant}
    citations: {pattern: '\\[(\\d+)\\]', first: 1}
    refused: null
    error: null
    usage: usage
    scope: retrieved
    strip: ['<think>.*?</think>']
  match: chunk
  shared_tenants: [public, 7]
  concurrency: ${WORKERS:-4}
  rate_limit: 20/s
  timeout: 30s
  retries: 2
  stop_after: 20
  max_response: 10MiB
  wait_for: {url: "${RAG_URL:-http://localhost:9000}/health", timeout: 1m}
  start: {command: "python -m app --port 9000", cwd: "."}
cases:
  - cases/facts.json
  - path: cases/policy.csv
    fields: {question: query, expected_doc_ids: gold_ids}
    defaults: {type: policy, tags: [nightly]}
metrics:
  - recall@5
  - ndcg: {k: 10}
  - mrr:
pass: {key_points: 50%, recall@5: 1, citation_validity: null}
thresholds:
  recall@5:      {min: 0.85, max_drop: 0.02}
  mrr:           {min: 65%, max_drop: 5%}
  accuracy:      {min: 0.80, slices: {type=policy: {min: 0.75}}}
  refusal:       {min: 0.85, owner: "@safety", min_coverage: 90%}
  latency_p95:   [{max: 3s, level: warn}, {max: 8s}]
red_lines: [{tag: cross-tenant}, {id: 12}]
diagnosis: {buried: 5, unsupported: 40%}
baseline: {path: .rag-eval/baseline}
"""
TOKEN = {"RAG_TOKEN": "s3cret-token"}


@pytest.fixture
def document(tmp_path):
    """Gives the document of a spec's text."""

    def read(text):
        path = tmp_path / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        return read_document(path, root=tmp_path)

    return read


@pytest.fixture
def spec(document):
    """Gives the spec of a text, in an environment."""

    def read(text, **environ):
        return parse(document(text), registry=registry, environ=environ)

    return read


@pytest.fixture
def told(spec):
    """Gives what is said about a spec that is wrong."""

    def read(text, **environ):
        with pytest.raises(InputError) as caught:
            spec(text, **environ)
        return str(caught.value).split("\n")

    return read


@pytest.fixture(scope="module")
def validator():
    schema = json_schema(registry)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def labels(spec):
    return [measure.label for measure in spec.measures]


def test_every_key_is_read(spec):
    found = spec(WHOLE, **TOKEN)

    endpoint = found.endpoint
    assert (found.name, found.file, found.baseline) == (
        "helpdesk",
        "spec.yaml",
        BaselineSource("path", ".rag-eval/baseline"),
    )
    assert endpoint.url == "${RAG_URL:-http://localhost:9000}/rag"
    assert endpoint.wait_for.url == "http://localhost:9000/health"
    assert (endpoint.timeout, endpoint.wait_for.timeout) == (30.0, 60.0)
    assert (endpoint.rate_limit, endpoint.max_response) == (20.0, 10 * 2**20)
    assert (endpoint.concurrency, endpoint.shared_tenants) == (4, ("public", "7"))
    assert endpoint.response.citations == CitationMap(pattern=r"\[(\d+)\]", first=1)
    assert endpoint.response.refused is None
    assert [(source.path, source.place.line) for source in found.cases] == [
        ("cases/facts.json", 29),
        ("cases/policy.csv", 30),
    ]
    assert found.cases[1].defaults == {"type": "policy", "tags": ["nightly"]}
    assert found.red_lines == (
        Selector("tag", "cross-tenant", 44),
        Selector("id", "12", 44),
    )
    assert (found.diagnosis.buried, found.diagnosis.unsupported) == (5, 0.4)
    assert found.diagnosis.noisy == 0.2


def test_every_rule_of_a_threshold_is_a_limit_with_its_line(spec):
    assert spec(WHOLE, **TOKEN).limits == (
        Limit("recall@5", "min", Amount(0.85), line=39),
        Limit("recall@5", "max_drop", Amount(0.02), line=39),
        Limit("mrr", "min", Amount(0.65), line=40),
        Limit("mrr", "max_drop", Amount(0.05, percent=True), line=40),
        Limit("accuracy", "min", Amount(0.8), line=41),
        Limit("accuracy", "min", Amount(0.75), slice="type=policy", line=41),
        Limit(
            "refusal",
            "min",
            Amount(0.85),
            owner="@safety",
            min_coverage=0.9,
            line=42,
        ),
        Limit("latency_p95", "max", Amount(3.0), level="warn", line=43),
        Limit("latency_p95", "max", Amount(8.0), line=43),
    )


def test_what_thresholds_and_marks_name_is_measured_once_and_in_order(spec):
    assert labels(spec(WHOLE, **TOKEN)) == [
        "recall@5",
        "ndcg@10",
        "mrr",
        "refusal",
        "latency",
        "leakage",
        "forbidden_content",
        "over_refusal",
        "key_points",
        "key_point_grounding",
    ]


def test_a_slice_takes_over_level_owner_and_coverage(spec):
    text = """\
thresholds:
  accuracy:
    level: warn
    owner: "@a"
    min_coverage: 0.5
    slices:
      tag=x: {min: 0.5}
      tag=y: {min: 0.5, level: fail, owner: "@b", min_coverage: 0}
"""

    assert spec(BASE + text).limits == (
        Limit("accuracy", "min", Amount(0.5), "warn", "tag=x", "@a", 0.5, 11),
        Limit("accuracy", "min", Amount(0.5), "fail", "tag=y", "@b", 0.0, 12),
    )


def test_marks_are_added_to_the_defaults_replaced_and_removed(spec):
    expected = {**DEFAULT_MARKS, "key_points": 0.5, "recall@5": 1.0}
    del expected["citation_validity"]

    assert spec(WHOLE, **TOKEN).marks == expected


def test_what_is_left_out_has_the_defaults(spec):
    found = spec(BASE)

    assert found.name == "spec"
    assert found.marks == DEFAULT_MARKS
    assert labels(found)[: len(DEFAULT_METRICS)] == list(DEFAULT_METRICS)
    assert (found.limits, found.red_lines, found.baseline) == ((), (), None)
    assert found.leakage_level == "fail"


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("body: {q: x}", "POST"),
        ("query: {q: x}", "GET"),
        ("body: {q: x}\n  method: put", "PUT"),
        ("method: POST", "POST"),
    ],
)
def test_the_method_is_that_of_a_body(spec, endpoint, expected):
    text = f"endpoint:\n  url: http://x\n  {endpoint}\ncases: a.json\n"

    assert spec(text).endpoint.method == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("cases: a.json", ["a.json"]),
        ("cases: {path: a.json}", ["a.json"]),
        ("cases: [a.json, {path: b.csv}]", ["a.json", "b.csv"]),
    ],
)
def test_cases_have_short_forms(spec, written, expected):
    found = spec(f"endpoint: {{url: http://x}}\n{written}\n")

    assert [source.path for source in found.cases] == expected


@pytest.mark.parametrize(
    ("thresholds", "level", "limits"),
    [
        ("{level: warn}", "warn", 0),
        ("{level: warn, owner: '@a'}", "warn", 0),
        ("{max: 0, level: warn}", "fail", 1),
        ("{max: 0}", "fail", 1),
        ("[{level: warn}, {max: 10%}]", "warn", 1),
    ],
)
def test_only_a_bare_warning_relaxes_the_implicit_red_line(
    spec, thresholds, level, limits
):
    found = spec(f"{BASE}thresholds: {{leakage: {thresholds}}}\n")

    assert (found.leakage_level, len(found.limits)) == (level, limits)
    assert "leakage" in labels(found)


def test_leakage_is_measured_though_it_is_no_mark(spec):
    assert "leakage" in labels(spec(f"{BASE}pass: {{leakage: null}}\nmetrics: [mrr]\n"))


@pytest.mark.parametrize(
    ("text", "options", "label", "kept"),
    [
        ("recall@5", {}, "recall@5", {"k": 5}),
        ("recall", {"k": 5}, "recall@5", {"k": 5}),
        ("recall", {"k": None}, "recall", {}),
        ("mrr", {}, "mrr", {}),
    ],
)
def test_a_label_carries_its_options(text, options, label, kept):
    assert bind(text, registry, options) == Measure(
        label, registry[label.split("@")[0]], kept
    )


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("recal@5", {}, "did you mean recall?"),
        ("nothing_like_it", {}, r"nothing_like_it \(`rag-eval metrics` lists all\)"),
        ("hit@5", {}, r"unknown metric hit@5 \(write hit_rate@5\)"),
        ("Recall_at_10", {}, "write recall@10"),
        ("NDCG@10", {}, "write ndcg@10"),
        ("meanReciprocalRank", {}, "write mrr"),
        ("contains-all", {}, "write key_points"),
        ("p95", {}, "write latency_p95"),
        ("Groundedness", {}, "write faithfulness; it needs a judge, lexical_ground"),
        ("AnswerRelevancy", {}, "write answer_relevancy; .* answer_similarity need"),
        ("ContextualPrecisionMetric", {}, r"\(write context_precision; it needs a jud"),
        ("NoiseSensitivity", {}, "not yet; near are lexical_grounding and number_supp"),
        ("accuracy", {}, "accuracy is counted over the run, always; limit it in thre"),
        (
            "latency_p95",
            {},
            "counted over the run; list latency, and limit latency_p95",
        ),
        ("", {}, "unknown metric"),
        ("recall@", {}, "no whole number"),
        ("recall@-1", {}, "no whole number"),
        ("recall@5", {"k": 3}, "cutoff twice"),
        ("recall@0", {}, "at least 1"),
        ("recall@05", {}, "no whole number"),
        ("latency@5", {}, "has no cutoff"),
        ("recall", {"cutoff": 5}, "unknown key"),
        ("recall", {"k": "five"}, "whole number"),
    ],
)
def test_a_name_that_is_none_says_so(text, options, expected):
    with pytest.raises(ValueError, match=expected):
        bind(text, registry, options)


@pytest.mark.parametrize("name", [n for n, m in registry.items() if m.judged])
def test_another_spelling_of_what_needs_a_judge_names_what_needs_none(name):
    with pytest.raises(ValueError, match=rf"write {name}; it needs a judge, .* none"):
        bind(name.replace("_", "-").title(), registry)


@pytest.mark.parametrize(
    ("thresholds", "expected"),
    [
        ("recall@5: {min: 90}", "write 90% or 0.90"),
        ("recall@5: {min: 1.01}", "above 1"),
        ("recall@5: {min: -0.1}", "below 0"),
        ("recall@5: {min: 101%}", "above 1"),
        ("recall@5: {min: 3s}", "is a time"),
        ("recall@5: {min: .nan}", "is no limit"),
        ("recall@5: {min: true}", "is no limit"),
        ("recall@5: {min: null}", "is no limit"),
        ("recall@5: {min: 0.9, max: 0.8}", "nothing can pass"),
        ("recall@5: {max_drop: 2}", "2% a share of the baseline"),
        ("recall@5: {max_drop: 101%}", "more than recall@5 can lose"),
        ("recall@5: {max_drop: -0.1}", "a drop is 0 or more"),
        ("recall@5: {max_drop: 3s}", "is a time"),
        ("latency: {max: 90%}", "is a percentage"),
        ("tokens: {max: 3s}", "is a time"),
        ("latency: {max: -1}", "below 0"),
        ("latency_p95: {max: 2000}", "2000 has no unit: write 2000s or 2000ms"),
        ("latency_p95: {max: '3'}", "3 has no unit: write 3s or 3ms"),
        ("latency: {max_drop: 0.5}", "0.5 has no unit: write 0.5s or 0.5ms or 0.5%"),
        ("time_to_first_token: {min: 2}", "2 has no unit"),
        ("accuracy: {slices: {type=a: {min: 2000000}}}", "2000000 is above 1"),
        ("recall@5: {}", "has no limit"),
        ("recall@5: {owner: '@a'}", "has no limit"),
        ("recall@5: {level: warn}", "has no limit"),
        ("recall@5: []", "is empty"),
        ("recall@5: 0.9", "write {min: 0.9} or {max: 0.9}"),
        ("recall@5: '>= 90%'", "(write {min: 90%})"),
        ("latency_p95: <2s", "(write {max: 2s})"),
        ("recall@5: high", "(write {min: 0.8})"),
        ("recall@5: {minimum: 0.9}", "did you mean min?"),
        ("recall@5: {min: 0.9, level: error}", "may be fail, warn"),
        ("recall@5: {min: 0.9, min_coverage: 95}", "write 95% or 0.95"),
        ("recall@5: {min: 0.9, slices: {policy: {min: 0.9}}}", "written type=x"),
        ("recall@5: {min: 0.9, slices: {type=: {min: 0.9}}}", "written type=x"),
        ("recall@5: {min: 0.9, slices: {type=a: {}}}", "has no limit"),
        ("recall@5: {min: 0.9, slices: {type=a: {min: 9}}}", "above 1"),
        ("latency_p95: {slices: {type=a: {max: 1s}}}", "not kept by slice"),
        ("coverage: {slices: {type=a: {min: 0.9}}}", "not kept by slice"),
        ("recall_p95: {min: 0.9}", "is a share, and has no p95"),
        ("latency_p97: {max: 1s}", "did you mean latency_p9"),
        ("acuracy: {min: 0.9}", "did you mean accuracy?"),
        ("recall@5: {min: 0.9, confident: true}", "unknown key (it belongs in max_dro"),
        ("recall@5: {max_drop: {confident: true}}", "points: is missing"),
        ("recall@5: {max_drop: {points: 2}}", "2% a share of the baseline"),
        ("recall@5: {max_drop: {points: x}}", "write it like 0.85, 5% or 3s"),
        (
            "latency_p95: {max_drop: {points: 5%, confident: true}}",
            "confident needs a value for each case, and latency_p95 has none",
        ),
        ("Accuracy: {min: 0.9}", "write accuracy"),
        ("pass_rate: {min: 0.9}", "write accuracy"),
        ("faithfulness: {min: 0.9}", "faithfulness needs a judge"),
    ],
)
def test_a_threshold_that_could_not_hold_is_an_error(told, thresholds, expected):
    said = told(f"{BASE}thresholds: {{{thresholds}}}\n")

    assert [line for line in said if line.startswith("spec.yaml:5 thresholds.")] == said
    assert expected in said[0]


def test_all_mistakes_of_all_parts_are_told_at_once_in_the_order_of_the_file(told):
    said = told(
        "endpoint: {url: http://x, timeot: 3s}\n"
        "cases: []\n"
        "metrics: [recal@5]\n"
        "thresholds:\n"
        "  recall@5: {minimum: 0.9}\n"
        "  mrr: {min: 90}\n"
        "pass: {acuracy: 1}\n"
        "red_lines: [{tags: x}]\n"
        "stages: []\n"
    )

    assert [line.partition(": ")[0].removeprefix("spec.yaml:") for line in said] == [
        "1 endpoint.timeot",
        "2 cases",
        "3 metrics[0]",
        "5 thresholds.recall@5.minimum",
        "6 thresholds.mrr.min",
        "7 pass.acuracy",
        "8 red_lines[0].tags",
        "9 stages",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "red_lines: {tag: x}",
            "red_lines: must be a list, and is a mapping (put it in",
        ),
        (
            "metrics: mrr",
            "metrics: must be a list, and is the text 'mrr' (put it in [ ])",
        ),
    ],
)
def test_one_where_a_list_stands_is_told_how_to_be_one(told, text, expected):
    assert told(f"{BASE}{text}\n")[0].startswith(f"spec.yaml:5 {expected}")


def test_a_key_one_level_too_high_is_told_where_it_belongs(told):
    said = told(
        "url: http://x\nendpoint: {url: http://x, answer: data.text}\ncases: a.json\n"
    )

    assert said == [
        "spec.yaml:1 url: unknown key (it belongs in endpoint)",
        "spec.yaml:2 endpoint.answer: unknown key (it belongs in response)",
    ]


def test_no_message_is_pydantics_own(told):
    said = "\n".join(told("endpoint: {url: 3, body: x, retries: []}\ncases: 5\n"))

    assert "pydantic" not in said
    assert "Input should" not in said
    assert "errors.pydantic.dev" not in said


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("${A}", {"A": "http://a"}, {"A": "http://a"}),
        ("${A:-http://b}", {"A": ""}, {}),
        ("http://a/$${A}", {}, {}),
        ("http://a/${A:-}", {}, {}),
    ],
)
def test_the_environment_is_read_for_the_templates(spec, url, environ, expected):
    text = f"endpoint: {{url: '{url}'}}\ncases: a.json\n"
    found = spec(text, OTHER="x", **environ)

    assert (found.endpoint.url, found.variables) == (url, expected)


def test_where_nobody_is_asked_no_variable_has_to_be_set(document):
    text = (
        "endpoint: {url: '${RAG_URL}/rag', match: document, headers: {A: '${KEY}'}}\n"
        "judge: {url: '${JUDGE_URL}', model: m, api_key: '${KEY}'}\n"
        "cases: a.json\nmetrics: [faithfulness]\n"
    )

    found = parse(document(text), registry=registry, environ={}, asking=False)

    assert found.endpoint.match == "document"
    assert "faithfulness" in [measure.label for measure in found.measures]


@pytest.mark.parametrize("environ", [{}, {"RAG_URL": ""}])
def test_a_variable_that_is_missing_or_empty_is_named(spec, environ):
    with pytest.raises(Problems) as caught:
        spec("endpoint: {url: '${RAG_URL}'}\ncases: a.json\n", **environ)

    (problem,) = caught.value.problems
    assert isinstance(problem, MissingVariable)
    assert "RAG_URL is missing or empty" in str(problem)
    assert problem.exit_code == 2


def test_what_a_missing_variable_left_is_no_second_mistake(spec):
    text = (
        "endpoint:\n  url: 'http://a'\n  timeout: ${LONG}\n  retries: ${A}\n"
        "  wait_for: {url: '${B}/health', timeout: '${C}'}\ncases: a.json\n"
    )
    with pytest.raises(Problems) as caught:
        spec(text, LONG="soon")

    told = [(type(each), each.where.line) for each in caught.value.problems]
    missing = [(MissingVariable, 4), (MissingVariable, 5), (MissingVariable, 5)]
    assert told == [(InputError, 3), *missing]


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("url: 'http://x/${{ secrets.A }}'", "pass it through env:"),
        ("url: 'http://x/${A'", "not closed or has no name"),
        ("url: 'http://x/${}'", "not closed or has no name"),
        ("url: 'http://x/${9A}'", "not closed or has no name"),
        ("url: 'http://x/${GITHUB_TOKEN}'", "GITHUB_TOKEN may not be read"),
        ("url: 'http://x/${GITHUB_TOKEN:-x}'", "GITHUB_TOKEN may not be read"),
        ("url: 'http://x/${ACTIONS_RUNTIME_TOKEN}'", "may not be read"),
        ("url: 'http://x/${INPUT_SPEC}'", "may not be read"),
        ("url: '${HOST}'", "must begin with http:// or https:// (look at what HOST"),
        ("url: 'file:///etc/passwd'", "must begin with http"),
        ("url: $RAG_URL/ask", "must begin with http:// or https:// (write ${RAG_URL})"),
        ("url: http://x, wait_for: {url: localhost}", "wait_for.url: must begin"),
        ("url: localhost:9000/ask", "or https:// (write http://localhost:9000/ask)"),
    ],
)
def test_a_variable_or_an_address_that_is_none_says_so(told, endpoint, expected):
    text = f"endpoint: {{{endpoint}}}\ncases: a.json\n"
    secret = {"GITHUB_TOKEN": "ghs_x", "ACTIONS_RUNTIME_TOKEN": "y", "INPUT_SPEC": "z"}

    assert expected in told(text, HOST="rag:9000", **secret)[0]


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("body: {q: x}", "needs one of url, steps, command, python"),
        ("url: http://x, command: ask", "has url and command, and needs one of them"),
        ("command: ask, python: 'a:b'", "has command and python, and needs one"),
        ("command: ask, headers: {A: b}", "has command, and headers belongs to url"),
        ("command: ask, method: POST", "has command, and method belongs to url"),
        ("python: 'a:b', wait_for: {url: http://x}", "and wait_for belongs to url"),
        ("python: 'a:b', start: {command: x}", "has python, and start belongs to url"),
        ("url: http://x, cwd: app", "and cwd belongs to command and python"),
        ("python: 'a:b', response: {stream: sse, answer: a}", "gives no stream"),
        ("python: app.rag", "'app.rag' names no function (write module:function)"),
        ("python: 'app/rag.py:ask'", "names no function (write module:function)"),
        ("command: ''", "command: is empty"),
        ("command: [python, ask.py]", "command: must be text, and is a list"),
    ],
)
def test_an_endpoint_is_asked_in_one_way(told, endpoint, expected):
    [said] = told(f"endpoint: {{{endpoint}}}\ncases: a.json\n")

    assert expected in said


def test_a_program_has_no_rival_that_is_asked_as_it_is(told):
    [said] = told(
        "endpoint: {command: x}\ncases: a.json\nbaseline: {endpoint: {url: http://x}}\n"
    )

    assert said == (
        "spec.yaml:3 baseline.endpoint: is as endpoint says but for its url, and that "
        "has none (leave it out)"
    )


def test_a_program_gets_all_that_templates_read_and_a_body_is_still_doubted(doubted):
    whole = "endpoint: {command: python ask.py}\ncases: a.json\n"
    part = "endpoint: {command: python ask.py, body: {q: what}}\ncases: a.json\n"

    assert doubted(whole) == []
    assert "nothing in the request reads {{ question }}" in doubted(part)[0]


def test_variables_stand_in_endpoint_and_judge_only(told):
    said = told(f"{BASE}name: ${{NAME}}\nbaseline: {{path: '${{DIR:-x}}'}}\n", NAME="x")

    assert said == [
        f"spec.yaml:{line} {key}: a variable is read in endpoint and judge only "
        "(write the value itself)"
        for line, key in ((5, "name"), (6, "baseline.path"))
    ]


def test_what_headers_and_telling_names_hold_is_secret(spec):
    names = ("MY_TOKEN", "IN_HEADER", "IN_BODY", "db_password", "PLAIN", "UNUSED_TOKEN")
    environ = {name: f"value-of-{name}" for name in names}

    found = spec(
        "endpoint:\n"
        "  url: http://x/${PLAIN}/${MY_TOKEN}\n"
        "  headers: {A: 'Bearer ${IN_HEADER}'}\n"
        "  body: {api_key: '${IN_BODY}', other: '${db_password}'}\n"
        "cases: a.json\n",
        **environ,
    )

    assert found.secrets == tuple(environ[name] for name in names[:4])


@pytest.mark.parametrize(
    "text",
    [
        "thresholds: {recall@5: {min: 0.1}}\n",
        "name: other\n",
        "red_lines: [{tag: x}]\n",
        "metrics: [recall@3]\n",
        "baseline: {path: x}\n",
        "diagnosis: {buried: 9}\n",
        "pass: {key_points: 1}\n",
    ],
)
def test_nothing_that_people_edit_in_review_moves_the_fingerprint(spec, text):
    assert spec(BASE + text).fingerprint == spec(BASE).fingerprint


@pytest.mark.parametrize(
    "text",
    [
        BASE + "pass: {key_points: 0.5}\n",
        BASE + "pass: {recall@5: 0.5}\n",
        BASE + "pass: {key_points: null}\n",
        BASE.replace("  body", "  match: document\n  body"),
        BASE.replace("  body", "  response: {answer: text}\n  body"),
    ],
)
def test_what_makes_runs_incomparable_moves_the_fingerprint(spec, text):
    assert spec(text).fingerprint != spec(BASE).fingerprint


HELD = "baseline: {path: b}\n"


@pytest.fixture
def doubted(document):
    """Gives what is doubted in a spec's text."""

    def read(text, environ=None, **known):
        found = document(text)
        parsed = parse(found, registry=registry, environ=environ or {})
        lines = warnings(parsed, found.place, **known)
        assert all(line.startswith("warning: spec.yaml:") for line in lines)
        return [line.removeprefix("warning: spec.yaml:") for line in lines]

    return read


@pytest.mark.parametrize(
    ("thresholds", "expected"),
    [
        ("recall@5: {min: 0.8}", None),
        ("recall@5: {min: 0}", ".min: 0 can never be missed"),
        ("over_refusal: {max: 1}", ".max: 1 can never be missed"),
        ("over_refusal: {min: 0.5}", "lower is better, so min alone"),
        ("accuracy: {max: 0.5}", "higher is better, so max alone"),
        ("accuracy: {min: 0.5, max: 0.9}", None),
        ("accuracy: {min: 0.5, slices: {type=x: {min: 0}}}", ".slices.type=x.min: 0"),
        ("latency_p95: {max: 3s}", None),
        ("latency_p95: {min: 3s}", "lower is better"),
        ("mrr: {max_drop: 0.1}", None),
        ("mrr: {max_drop: 1}", ".max_drop: 1 can never be missed"),
        ("mrr: {max_drop: 100%}", ".max_drop: 100% can never be missed"),
        ("latency: {max_drop: 100%}", None),
    ],
)
def test_a_limit_that_holds_nothing_up_is_doubted(doubted, thresholds, expected):
    lines = doubted(f"{BASE}thresholds: {{{thresholds}}}\n{HELD}")

    assert len(lines) == (expected is not None)
    assert all(line.startswith("5 thresholds.") and expected in line for line in lines)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("key_points: 0", ["5 pass.key_points: every case meets 0"]),
        ("over_refusal: 1", ["5 pass.over_refusal: every case meets 1"]),
        ("recall@5: 0%, key_points: 0.5", ["5 pass.recall@5: every case meets 0"]),
        ("latency: 3s, leakage: 0", []),
    ],
)
def test_a_pass_mark_that_every_case_meets_is_doubted(doubted, written, expected):
    assert doubted(f"{BASE}pass: {{{written}}}\n") == expected


def test_a_drop_without_a_baseline_is_doubted_unless_one_is_given(doubted):
    text = f"{BASE}thresholds: {{mrr: {{max_drop: 5%}}}}\n"
    (line,) = doubted(text)

    assert line.startswith("5 thresholds.mrr.max_drop: there is no baseline")
    assert doubted(text, compared=True) == doubted(text + HELD) == []


@pytest.mark.parametrize("kind", ["path", "branch", "artifact", "results"])
def test_a_baseline_is_at_one_place(spec, kind):
    found = spec(f"{BASE}baseline:\n  {kind}: here\n  removed: fail\n")

    assert found.baseline == BaselineSource(kind, "here")
    assert found.removed == ("fail", found.removed.line)
    assert (BASE.count("\n") + 3) == found.removed.line


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{}", NEEDS_ONE),
        ("{removed: fail}", NEEDS_ONE),
        ("{path: a, branch: b}", "has path and branch, and needs one of them"),
        ("{endpoint: x}", "baseline.endpoint: must be a mapping"),
        ("{endpoint: {}}", "baseline.endpoint.url: is missing"),
        ("{endpoint: {url: localhost}}", "must begin with http:// or https://"),
        ("{endpoint: {url: http://x, body: {}}}", "unknown key"),
        ("{path: ''}", "baseline.path: is empty"),
        ("{branch: a b}", "baseline.branch: no branch can be called 'a b'"),
        ("{branch: a..b}", "no branch can be called 'a..b'"),
        ("{branch: -a}", "no branch can be called '-a'"),
        ("{branch: a.lock}", "no branch can be called 'a.lock'"),
        ("{artifact: a/b}", "baseline.artifact: no artifact has '/' in its name"),
        ("{path: a, removed: no}", "may be fail, warn"),
    ],
)
def test_a_baseline_that_is_nowhere_or_twice_is_refused(told, written, said):
    assert said in "\n".join(map(str, told(f"{BASE}baseline: {written}\n")))


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("body: {query: what}", "endpoint.body"),
        ("query: {q: '{{ tenant }}'}", "endpoint.url"),
        ("body: {query: '{{ question }}'}", None),
        ("query: {q: '{{ question | trim }}'}", None),
        ("headers: {X-Q: '{{question}}'}", None),
        ("body: {a: [{b: '{% if question %}x{% endif %}'}]}", None),
        ("body: {case: '{{ id }}'}", None),
        ("body: '{{ meta.prompt }}'", None),
    ],
)
def test_a_request_that_asks_every_case_the_same_is_doubted(
    doubted, request_, expected
):
    text = f"endpoint:\n  url: http://x\n  {request_}\ncases: a.json\n"
    lines = doubted(text)

    assert [line.partition(":")[0].partition(" ")[2] for line in lines] == [
        *([expected] if expected else [])
    ]
    assert all("{{ question }}" in line for line in lines)
    assert doubted(text, asked=False) == []


def test_a_variable_without_braces_is_doubted_with_its_place(doubted):
    text = (
        "endpoint:\n"
        "  url: http://x/{{ question }}?a=$ACME_URL_2&b=$${RAW}&c=${SET}&d=costs $5\n"
        "  headers: {A: Bearer $ACME_KEY}\n"
        "cases: a.json\n"
    )

    assert doubted(text, {"SET": "a$SECRET"}) == [
        "2 endpoint.url: $ACME_URL_2 is sent as it stands (write ${ACME_URL_2})",
        "3 endpoint.headers.A: $ACME_KEY is sent as it stands (write ${ACME_KEY})",
    ]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        BASE,
        (ROOT / "specs/quickstart.yaml").read_text("utf-8"),
        (ROOT / "templates/init/evals/rag.yaml").read_text("utf-8"),
        "endpoint: {command: python ask.py, cwd: /}\ncases: a.json\n",
        "endpoint: {python: 'app.rag:ask'}\ncases: a.json\n",
        BASE + "metrics: [{recall: {k: 3}, mrr: null}, tokens, hit_rate@1]\n",
        BASE + "thresholds: {tokens_max: {max: 900}, leakage: {level: warn}}\n",
    ],
    ids=[
        "whole",
        "base",
        "quickstart",
        "init",
        "program",
        "function",
        "metrics",
        "thresholds",
    ],
)
def test_the_schema_accepts_what_the_program_accepts(spec, document, validator, text):
    spec(text, **TOKEN)

    assert [error.message for error in validator.iter_errors(document(text).data)] == []


@pytest.mark.parametrize(
    "text",
    [
        "tresholds: {}\n",
        "stages: []\n",
        "metrics: [recal@5]\n",
        "metrics: [recall@0]\n",
        "metrics: [latency@5]\n",
        "metrics: [{recall: {cutoff: 5}}]\n",
        "metrics: [{recall: {k: 0}}]\n",
        "metrics: recall@5\n",
        "thresholds: {recal@5: {min: 0.9}}\n",
        "thresholds: {recall_p95: {min: 0.9}}\n",
        "thresholds: {recall@5: {minimum: 0.9}}\n",
        "thresholds: {recall@5: {min: lots}}\n",
        "thresholds: {recall@5: 0.9}\n",
        "thresholds: {recall@5: {min: 0.9, level: error}}\n",
        "pass: {accuracy: 1}\n",
        "pass: {key_point: 1}\n",
        "red_lines: [{tags: x}]\n",
        "red_lines: {tag: x}\n",
        "diagnosis: {buried: 0}\n",
        "baseline: x\n",
        "baseline: {}\n",
        "baseline: {path: a, branch: b}\n",
        "baseline: {path: ''}\n",
        "baseline: {path: a, removed: ignore}\n",
        "name: 5\n",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(told, document, validator, text):
    assert told(BASE + text)

    assert not validator.is_valid(document(BASE + text).data)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "urll: x",
        "url: http://x, command: x",
        "url: http://x, method: HEAD",
        "url: http://x, retries: -1",
        "url: http://x, timeout: 30",
        "url: http://x, max_response: 10",
        "url: http://x, rate_limit: 20",
    ],
)
def test_the_schema_refuses_a_broken_endpoint(told, document, validator, endpoint):
    text = f"endpoint: {{{endpoint}}}\ncases: a.json\n"

    assert told(text)
    assert not validator.is_valid(document(text).data)


def test_the_schema_describes_every_key():
    schema = json_schema(registry)
    parts = {"": schema, **schema["$defs"]}

    bare = [
        (name, key)
        for name, part in parts.items()
        for key, value in part["properties"].items()
        if not value.get("description")
    ]

    assert bare == []


OWN = """\
endpoint:
  url: ${HERE}/rag
  headers: {A: "${KEY}"}
  body: {q: "{{ question }}"}
  wait_for: {url: http://here}
cases: a.json
baseline:
"""


def test_another_endpoint_differs_by_its_address_and_headers_alone(spec):
    known = {"HERE": "http://here", "THERE": "http://there", "KEY": "secret-key"}

    alike = spec(
        f"{OWN}  endpoint: {{url: '${{THERE}}/rag', headers: {{A: '${{KEY}}'}}}}\n",
        **known,
    )
    other = spec(f"{OWN}  endpoint: {{url: http://x, headers: {{B: x}}}}\n", **known)

    assert alike.rival == alike.endpoint.model_copy(
        update={"url": "${THERE}/rag", "wait_for": None}
    )
    assert other.rival.headers == {"B": "x"}
    assert alike.baseline == BaselineSource("endpoint", "${THERE}/rag")
    assert alike.variables["THERE"] == "http://there"


def test_headers_without_a_secret_are_those_of_the_endpoint(spec):
    plain = BASE.replace("  url:", "  headers: {Accept: 'a/b', X: '$${x}'}\n  url:")

    found = spec(f"{plain}baseline: {{endpoint: {{url: http://x}}}}\n")

    assert found.rival.headers == {"Accept": "a/b", "X": "$${x}"}


def test_a_secret_goes_to_another_endpoint_only_where_that_is_written(told):
    [problem] = told(
        f"{OWN}  endpoint: {{url: http://x}}\n", HERE="http://here", KEY="secret-key"
    )

    assert str(problem).endswith(
        "baseline.endpoint.headers: is missing, and those of endpoint send KEY "
        "(say here what this address is to be sent; {} is nothing)"
    )


def test_a_secret_of_another_endpoint_is_one(spec):
    rival = "{url: http://x, headers: {A: '${K}'}}"

    found = spec(f"{BASE}baseline: {{endpoint: {rival}}}\n", K="the-value-of-k")

    assert "the-value-of-k" in found.secrets


def test_a_variable_that_another_endpoint_lacks_is_told_with_its_place(told):
    [problem] = told(f"{BASE}baseline: {{endpoint: {{url: '${{LIVE}}/rag'}}}}\n")

    assert "baseline.endpoint.url: the environment variable LIVE is missing" in (
        str(problem)
    )


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("steps: []", "needs one of url, steps, command, python"),
        ("steps: {name: a, url: http://x}", "endpoint.steps: must be a list"),
        ("url: http://x, steps: [{name: a, url: http://x}]", "has url and steps, and"),
        ("steps: [{name: a, url: http://x}], body: {q: x}", "has steps, and body bel"),
        ("steps: [{name: a, url: http://x}], method: GET", "has steps, and method"),
        ("steps: [{name: a, url: http://x}], cwd: app", "cwd belongs to command and"),
        ("steps: [{name: a, url: http://x}], until: x", "until: unknown key (it belo"),
        (
            "steps: [{name: a, url: http://x}], response: {stream: sse, answer: a}",
            "response.stream: has no effect beside steps (write it in the step that",
        ),
        (
            "steps: [{name: a, url: 'http://x/${A'}], response: {answer: a}",
            "not closed",
        ),
    ],
)
def test_steps_stand_alone_and_their_mapping_says_where_the_answer_is(
    told, endpoint, expected
):
    assert expected in told(f"endpoint: {{{endpoint}}}\ncases: a.json\n")[0]


def test_templates_of_steps_keep_their_variables_and_other_keys_take_them():
    text = (
        "endpoint:\n"
        "  timeout: ${WAIT:-5s}\n"
        "  steps:\n"
        "    - name: a\n"
        "      url: http://${HOST}/x\n"
        "      headers: {X-Key: '${PLAIN}'}\n"
        "      timeout: ${WAIT:-5s}\n"
        "  response: {answer: a.answer}\n"
        "cases: a.json\n"
    )
    environ = {"HOST": "rag:9000", "PLAIN": "s3cret-value", "WAIT": "7s"}
    spec = parse(parse_yaml(text, file="s.yaml"), registry=registry, environ=environ)
    [step] = spec.endpoint.requests

    assert (step.url, step.timeout) == ("http://${HOST}/x", 7.0)
    assert spec.variables == environ
    assert spec.secrets == ("s3cret-value",)
    assert spec.endpoint.response.contexts is None


def test_keys_are_secret_wherever_they_are_written():
    text = (
        "endpoint:\n"
        "  url: http://rag\n"
        "  auth:\n"
        "    aws_sigv4:\n"
        "      region: ${REGION}\n"
        "      service: bedrock\n"
        "      access_key_id: ${AWS_ACCESS_KEY_ID}\n"
        "      secret_access_key: written-in-the-spec\n"
        "      session_token: ${SESSION:-}\n"
        "baseline:\n"
        "  endpoint: {url: http://prod, auth: null}\n"
        "cases: a.json\n"
    )
    environ = {"REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"}
    spec = parse(parse_yaml(text, file="s.yaml"), registry=registry, environ=environ)

    assert set(spec.secrets) == {"AKIDEXAMPLE", "written-in-the-spec"}
    assert spec.endpoint.auth.aws_sigv4.region == "us-east-1"
    assert spec.rival.auth is None
