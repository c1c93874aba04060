import json

import jsonschema
import pytest

from runner.errors import InputError, Place
from runner.model import Comparison, GateResult, Summary
from runner.report import (
    FailedCase,
    LayerCount,
    Report,
    Totals,
    broken_layer,
    json_schema,
    mapped,
    read,
    shortened,
)

PLACE = Place("results.json")


def report(**fields) -> Report:
    return Report(
        **{"name": "helpdesk", "verdict": "failed", "totals": Totals(cases=9), **fields}
    )


def layers(**firsts: int) -> dict[str, LayerCount]:
    return {layer: LayerCount(first=first) for layer, first in firsts.items()}


def gate(metric: str, **fields) -> GateResult:
    given = {"metric": metric, "rule": "min", "outcome": "failed", **fields}
    return GateResult.model_validate(given)


def summary(layer: str | None) -> Summary:
    return Summary.model_validate({"layer": layer, "better": "higher"})


def test_a_report_reads_back_as_it_was():
    whole = report(
        summaries={"recall@5": summary("retrieval")},
        gates=(gate("recall@5", limit=0.85, value=0.8),),
        layers=layers(retrieval=2),
        failures=(FailedCase(id="qa-1", retrieved=("a", None)),),
        comparison=Comparison(pairs=3, regressed=("qa-1",)),
    )

    assert read(whole.model_dump_json(), PLACE) == whole


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no JSON"),
        ('{"format_version": 1, "name": "x"', "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        ("[]", "format_version is missing"),
        ('{"verdict": "passed"}', "format_version is missing"),
        ('{"format_version": 2}', "has format_version 2; this version reads 1"),
        ('{"format_version": true}', "has format_version True"),
        ('{"format_version": 1, "totals": {}}', "results.json name: Field required"),
        (
            '{"format_version": 1, "name": "x", "verdict": "green", "totals": {}}',
            "results.json verdict: Input should be",
        ),
        (report().model_dump_json().replace('n_s":null', 'n_s":NaN'), "is no JSON"),
    ],
)
def test_what_is_no_report_says_where_why_and_what_to_do(text, says):
    with pytest.raises(InputError) as caught:
        read(text, PLACE)

    assert str(caught.value).startswith("results.json")
    assert says in str(caught.value)
    assert "run the evaluation again" in str(caught.value)


def test_a_report_fits_its_schema():
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(report(layers=layers(answer=1)).model_dump_json())

    assert list(jsonschema.Draft202012Validator(schema).iter_errors(data)) == []


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", ""),
        ("abcd", "abcd"),
        ("abcdef", "abcd… (2 characters more)"),
        ("退款政策说明", "退款政策… (2 characters more)"),
    ],
)
def test_an_excerpt_says_how_much_is_missing(text, cut):
    assert shortened(text, 4) == cut


@pytest.mark.parametrize("word", ["retrieval", "higher", "failed", "summaries", "path"])
def test_the_words_of_the_format_are_never_mapped(word):
    before = report(summaries={"mrr": summary("retrieval")}, layers=layers(retrieval=1))

    assert mapped(before, lambda text: text.replace(word, "***")) == before


def test_every_text_is_mapped_and_no_number_or_absence():
    before = report(
        notices=("a",),
        summaries={"mrr": summary("retrieval")},
        failures=(FailedCase(id="a", retrieved=("a", None), line=3),),
        fingerprints={"a": "a"},
    )
    after = mapped(before, lambda text: text.replace("a", "b"))

    assert after == before.model_copy(
        update={
            "notices": ("b",),
            "failures": (FailedCase(id="b", retrieved=("b", None), line=3),),
            "fingerprints": {"b": "b"},
        }
    )


RED_LINE = gate("tag=x", rule="red_line", cases=("qa-1",), layer="refusal")


@pytest.mark.parametrize(
    ("fields", "layer"),
    [
        pytest.param({}, None, id="nothing fails"),
        pytest.param({"layers": layers(retrieval=3, answer=5)}, "answer", id="most"),
        pytest.param({"layers": layers(retrieval=3, answer=3)}, "retrieval", id="tie"),
        pytest.param(
            {"layers": layers(retrieval=3, answer=5), "gates": (gate("recall@5"),)},
            "retrieval",
            id="a failed gate before it",
        ),
        pytest.param(
            {
                "layers": layers(retrieval=5),
                "gates": (gate("key_points", layer="retrieval"),),
            },
            "retrieval",
            id="the layer that a gate was traced to",
        ),
        pytest.param(
            {
                "layers": layers(retrieval=2, answer=3, grounding=3),
                "gates": (
                    gate("recall@5"),
                    gate("key_points"),
                    gate("number_support", layer="grounding"),
                ),
            },
            "grounding",
            id="of several failed gates, where most cases are charged",
        ),
        pytest.param(
            {
                "layers": layers(retrieval=2, refusal=2, grounding=1),
                "gates": (gate("number_support", layer="grounding"),),
            },
            "grounding",
            id="cases that no failed gate speaks of are tolerated",
        ),
        pytest.param(
            {
                "layers": layers(isolation=1, answer=60),
                "gates": (
                    gate("leakage", rule="red_line", layer="isolation"),
                    gate("key_points", layer="answer"),
                ),
            },
            "isolation",
            id="one leak outweighs any number of failing cases",
        ),
        pytest.param(
            {
                "layers": layers(service=1, isolation=9),
                "gates": (
                    gate("error_rate", rule="error_rate"),
                    gate("leakage", rule="red_line", layer="isolation"),
                ),
            },
            "service",
            id="failed calls come before leaks",
        ),
        pytest.param(
            {
                "layers": layers(answer=4),
                "gates": (gate("recall@5", outcome="unmeasured"), gate("key_points")),
            },
            "answer",
            id="what failed is known, what was not measured is not",
        ),
        pytest.param(
            {
                "layers": layers(answer=4),
                "gates": (gate("recall@5", outcome="unmeasured"),),
            },
            "retrieval",
            id="only unmeasured",
        ),
        pytest.param(
            {"gates": (gate("recall@5", level="warn"), gate("key_points"))},
            "answer",
            id="what only warns broke nothing",
        ),
        pytest.param(
            {"layers": layers(answer=2), "gates": (gate("accuracy"),)},
            "answer",
            id="accuracy has no layer",
        ),
        pytest.param(
            {"gates": (gate("error_rate", rule="error_rate"),)}, "service", id="calls"
        ),
        pytest.param({"gates": (gate("latency_p95"),)}, "service", id="a statistic"),
        pytest.param(
            {"gates": (RED_LINE,), "layers": layers(retrieval=3, refusal=1)},
            "refusal",
            id="the layer of the cases that broke a red line",
        ),
        pytest.param(
            {
                "layers": layers(retrieval=3, answer=9),
                "comparison": Comparison(pairs=9, layers={"answer": 9}),
            },
            "retrieval",
            id="to which most were added",
        ),
        pytest.param(
            {
                "layers": layers(answer=9),
                "comparison": Comparison(pairs=9, layers={"answer": 9}),
            },
            "answer",
            id="nothing was added",
        ),
    ],
)
def test_the_layer_to_look_at_first(fields, layer):
    known = {
        "recall@5": summary("retrieval"),
        "key_points": summary("answer"),
        "latency": summary("service"),
        "leakage": summary("isolation"),
        "accuracy": summary(None),
    }

    assert broken_layer(report(summaries=known, **fields)) == layer


def test_an_excerpt_shows_what_the_evidence_names():
    text = "a " * 3_000 + "it takes 37 days " + "b " * 3_000

    shown = shortened(text, 100, "37 is in no context")

    assert "it takes 37 days" in shown
    assert shown.startswith("…")
    assert shown.endswith("b … (11,918 characters more)")
    assert shortened(text, 100, "38 is in no context").startswith("a a a")
