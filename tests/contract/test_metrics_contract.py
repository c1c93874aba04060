"""What every metric keeps, whoever adds it: its test, its page, its bounds."""

import re
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runner.metrics
from runner.advice import ADVICE
from runner.docs import fill, generate
from runner.metrics import INPUTS, registry
from runner.metrics._declare import metric
from runner.model import (
    RUN_LEVEL,
    Case,
    Explained,
    Failed,
    Measure,
    Passage,
    Response,
    split_statistic,
)
from runner.scores import Scope, Scorer
from tests.judging import ByRule

FOLDER = Path(runner.metrics.__file__).parent
FILES = sorted(f.stem for f in FOLDER.glob("*.py") if not f.stem.startswith("_"))
ROW = 90  # characters of a summary that a table shows without a break


def test_the_registry_is_the_folder():
    assert sorted(registry) == FILES


@pytest.mark.parametrize("name", FILES)
def test_its_function_has_the_name_of_its_file(name):
    declared = registry[name].function

    assert (declared.__name__, declared.__module__) == (name, f"runner.metrics.{name}")


@pytest.mark.parametrize("name", FILES)
def test_it_has_a_test(name, root):
    assert (root / f"tests/metrics/test_{name}.py").is_file()


@pytest.mark.parametrize("name", FILES)
def test_it_has_a_page(name, root):
    assert (root / f"docs/metrics/{name}.md").is_file()


@pytest.mark.parametrize("name", FILES)
def test_its_first_line_is_a_row_of_a_table(name):
    summary = registry[name].summary

    assert re.fullmatch(rf"[A-Z0-9][^|\n]{{10,{ROW}}}\.", summary)


@pytest.mark.parametrize("name", FILES)
def test_it_ends_with_an_example(name):
    _, _, examples = registry[name].function.__doc__.partition(">>>")

    assert examples.strip()
    assert "\n\n" not in examples.strip()


@pytest.mark.parametrize("name", FILES)
def test_its_version_counts_from_one(name):
    assert registry[name].version >= 1


@pytest.mark.parametrize("name", FILES)
def test_its_name_is_free_of_run_level_words(name):
    assert (name in RUN_LEVEL, split_statistic(name)) == (False, (name, None))


@pytest.mark.parametrize("name", FILES)
def test_its_options_say_what_they_mean(name):
    described = [f.description for f in registry[name].options.model_fields.values()]

    assert all(described)


@pytest.mark.parametrize("name", FILES)
def test_its_layer_rules_out_a_missing_bound_on_shares(name):
    declared = registry[name]

    assert declared.unit or declared.bounds == (0.0, 1.0)


def test_an_unknown_input_is_a_type_error():
    def fresh(colour: str) -> float:  # noqa: ARG001  never called
        return 0.0

    with pytest.raises(TypeError, match="fresh: unknown input colour"):
        metric(layer="answer")(fresh)


def test_an_option_without_default_is_a_type_error():
    def fresh(answer: str, *, k: int) -> float:  # noqa: ARG001  never called
        return 0.0

    with pytest.raises(TypeError, match="fresh: option k has no default"):
        metric(layer="answer")(fresh)


@pytest.mark.parametrize("name", ["recall", "accuracy"])
def test_a_taken_name_is_a_type_error(name):
    def fresh(answer: str) -> float:  # noqa: ARG001  never called
        return 0.0

    fresh.__name__ = name

    with pytest.raises(TypeError, match=f"metric {name} is declared twice"):
        metric(layer="answer")(fresh)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "5"])
def test_a_cutoff_is_a_whole_number_from_one(value):
    with pytest.raises(ValueError, match="k"):
        registry["recall"].options(k=value)


def test_the_generated_files_are_current(root):
    stale = [
        str(path)
        for path, text in generate(root).items()
        if not (root / path).is_file() or (root / path).read_text("utf-8") != text
    ]

    assert stale == [], "run `make docs`"


def test_no_page_is_left_of_a_metric_that_is_gone(root):
    assert sorted(f.stem for f in (root / "docs/metrics").glob("*.md")) == FILES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a <!-- x:start -->\n<!-- x:end --> b",
            "a <!-- x:start -->\nN\n<!-- x:end --> b",
        ),
        ("no marks", "no marks"),
        ("<!-- x:start --> left open", "<!-- x:start --> left open"),
        ("<!-- y:start --><!-- y:end -->", "<!-- y:start --><!-- y:end -->"),
    ],
)
def test_only_what_is_between_marks_is_filled(text, expected):
    assert fill(text, {"x": "N"}) == expected


CUT = [
    Measure(f"{n}@3", m, {"k": 3})
    for n, m in registry.items()
    if "k" in m.options.model_fields
]
PRICED = Measure(
    "cost(...)", registry["cost"], {"input_per_million": 3, "output_per_million": 15}
)
MEASURES = [*(Measure(name, m) for name, m in registry.items()), *CUT, PRICED]

ids = st.sampled_from(["d1", "d1#1", "d1#2", "d2#1", "d2#2", "d3", "e#1"])
texts = st.one_of(
    st.sampled_from(
        [
            "",
            "十天内可以退货，最多 500 元。",
            "Refunds take 10 days. Ask for “500 EUR” at most [1].",
            "抱歉，没有找到相关规定。",
            "I could not find that in the documents.",
        ]
    ),
    st.text(max_size=40),
)
names = st.sampled_from(["a", "b", "public"])
maybe = st.one_of


def record(kind, **fields):
    return st.fixed_dictionaries(fields).map(lambda known: kind(**known))


counts = st.dictionaries(
    st.sampled_from(["total_tokens", "input_tokens", "output_tokens", "cost"]),
    st.one_of(st.integers(-1, 10**9), st.floats(), st.text(max_size=3), st.none()),
)
cases = record(
    Case,
    id=st.just("c"),
    question=texts,
    qrels=st.dictionaries(ids, st.integers(0, 3), max_size=4),
    reference=maybe(st.none(), texts),
    key_points=st.lists(
        st.lists(texts, min_size=1, max_size=2).map(tuple), max_size=3
    ).map(tuple),
    must_not_include=st.lists(texts, max_size=2).map(tuple),
    expect_refusal=st.booleans(),
    forbidden_doc_ids=st.lists(ids, max_size=2).map(tuple),
    tenant=maybe(st.none(), names),
    canaries=st.lists(texts, max_size=2).map(tuple),
    anchors=st.lists(texts, max_size=3).map(tuple),
    intents=st.lists(texts, max_size=3).map(tuple),
)
passages = record(
    Passage,
    id=maybe(st.none(), ids),
    text=maybe(st.none(), texts),
    tenant=maybe(st.none(), names),
)
responses = record(
    Response,
    answer=maybe(st.none(), texts),
    passages=maybe(st.none(), st.lists(passages, max_size=6).map(tuple)),
    citations=maybe(st.none(), st.lists(ids, max_size=3).map(tuple)),
    refused=maybe(st.none(), st.booleans()),
    usage=maybe(st.none(), counts),
    latency=maybe(st.none(), st.floats(0, 100)),
    time_to_first_token=maybe(st.none(), st.floats(0, 100)),
    marks=st.lists(st.tuples(st.integers(0, 40), ids), max_size=2).map(tuple),
)
scopes = st.builds(
    Scope,
    st.sampled_from(["chunk", "document"]),
    st.just(("public",)),
    judge=st.sampled_from([None, ByRule()]),
)
widely = settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)


def scored(case, response, scope):
    scorer = Scorer(MEASURES, scope)
    labels = [measure.label for measure in MEASURES]
    return dict(zip(labels, scorer.row(scorer.asked(case, response)), strict=True))


@widely
@given(cases, responses, scopes)
def test_no_metric_fails_on_anything_that_may_come(case, response, scope):
    row = scored(case, response, scope)

    assert {label: s for label, s in row.items() if isinstance(s, Failed)} == {}


@widely
@given(cases, responses, scopes)
def test_every_number_is_finite_and_within_its_bounds(case, response, scope):
    row = scored(case, response, scope)

    outside = {
        measure.label: score
        for measure in MEASURES
        if isinstance(score := row[measure.label], float)
        and not (isfinite(score) and within(score, *measure.metric.bounds))
    }
    assert outside == {}


def within(score, low, high):
    return (low is None or score >= low) and (high is None or score <= high)


@widely
@given(cases, responses, scopes)
def test_what_a_score_tells_is_a_cause_of_its_layer_with_evidence(
    case, response, scope
):
    row = scored(case, response, scope)

    strange = {
        measure.label: (score.cause, score.evidence)
        for measure in MEASURES
        if isinstance(score := row[measure.label], Explained)
        and not (
            score.cause in ADVICE
            and score.cause.startswith(f"{measure.metric.layer}.")
            and score.evidence
            and score < 1
        )
    }
    assert strange == {}


@widely
@given(cases, responses, scopes)
def test_other_ids_with_the_same_places_give_the_same_scores(case, response, scope):
    case = case._replace(canaries=())  # which are looked for in cited ids as well

    assert scored(*renamed(case, response), scope) == scored(case, response, scope)


def renamed(case, response):
    """Write every id another way, each as different from the others as before."""

    def other(name):
        document, mark, chunk = (name or "").partition("#")
        return name and f"kb/{document[::-1]}{mark}{chunk}"

    case = case._replace(
        qrels={other(name): grade for name, grade in case.qrels.items()},
        forbidden_doc_ids=tuple(map(other, case.forbidden_doc_ids)),
    )
    found, cited = response.passages, response.citations
    return case, response._replace(
        passages=found and tuple(p._replace(id=other(p.id)) for p in found),
        citations=cited and tuple(map(other, cited)),
        marks=tuple((at, other(name)) for at, name in response.marks),
    )


def test_every_input_of_the_vocabulary_is_used():
    used = {name for declared in registry.values() for name in declared.inputs}

    assert used == set(INPUTS)
