"""What a reader is told in each state of a run; the layout is in tests/golden."""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import get_args

import pytest

from runner import render
from runner.advice import ADVICE
from runner.diagnosis._rules import RULES
from runner.model import (
    LAYERS,
    Comparison,
    Delta,
    GateResult,
    Record,
    ServiceCause,
    Summary,
)
from runner.report import FailedCase, LayerCount, Report, Totals
from runner.templating import report_environment
from tests.golden import reports

TEMPLATES = Path(__file__).parents[2] / "templates"
ENVIRONMENT = report_environment(TEMPLATES, render.FILTERS)


def run(**fields) -> Report:
    """Give a report of a run that passed, without gates."""
    known = {
        "name": "helpdesk",
        "verdict": "passed",
        "totals": Totals(cases=80, passed=80),
        "layers": {layer: LayerCount() for layer in LAYERS},
        "summaries": {"recall@5": share("retrieval", mean=0.9, scored=80)},
    }
    return Report.model_validate({**known, **fields})


def share(layer: str | None, **fields) -> Summary:
    return Summary.model_validate({"layer": layer, "better": "higher", **fields})


def gate(outcome: str, **fields) -> GateResult:
    known = {"metric": "recall@5", "rule": "min", "limit": 0.85, "value": 0.9}
    return GateResult.model_validate({**known, "outcome": outcome, **fields})


def comment(report: Report) -> str:
    return render.comment(report, ENVIRONMENT)


def headline(report: Report) -> str:
    return comment(report).split("\n")[0].removeprefix("## ")


HELD = gate("passed")
BROKEN = gate("failed", value=0.8)
DROP = gate("no_baseline", rule="max_drop", limit=0.02)
FLIPS = Comparison(pairs=9, regressed=("a",), fixed=("b", "c"), worse=1, better=2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"gates": (HELD,)}, "✅ … 1 of 1 gate passed", id="passed"),
        pytest.param(
            {"gates": (HELD,), "comparison": Comparison(pairs=9)},
            "✅ … 1 of 1 gate passed · no regressions",
            id="nothing flipped",
        ),
        pytest.param(
            {"gates": (HELD,), "comparison": FLIPS},
            "✅ … 1 of 1 gate passed · 1 case regressed · 2 fixed",
            id="passed with flips",
        ),
        pytest.param(
            {
                "gates": (HELD,),
                "comparison": Comparison(pairs=9, regressed=("a", "b", "c"), worse=1),
            },
            "✅ … 1 of 1 gate passed · 1 case regressed · 2 new errors",
            id="flips and failed calls",
        ),
        pytest.param(
            {
                "gates": (HELD,),
                "comparison": Comparison(pairs=9, regressed=("a", "b")),
            },
            "✅ … 1 of 1 gate passed · 2 new errors",
            id="failed calls alone",
        ),
        pytest.param(
            {"gates": (HELD, gate("failed", level="warn"), gate("inconclusive"))},
            "⚠️ … passed with 2 warnings",
            id="warnings",
        ),
        pytest.param(
            {"gates": (HELD, DROP), "baseline": "x"},
            "✅ … 1 of 1 gate passed · no baseline yet",
            id="no baseline",
        ),
        pytest.param(
            {"gates": (HELD, DROP)},
            "✅ … 1 of 1 gate passed · 1 without a baseline",
            id="no baseline that the spec names",
        ),
        pytest.param(
            {"gates": (HELD,), "baseline": "x", "baseline_unread": "it is dark"},
            "✅ … 1 of 1 gate passed · baseline not read",
            id="baseline not read",
        ),
        pytest.param(
            {
                "gates": (HELD,),
                "comparison": Comparison(pairs=0, not_comparable=("the whole run: x",)),
            },
            "✅ … 1 of 1 gate passed · baseline not comparable",
            id="not comparable",
        ),
        pytest.param(
            {
                "gates": (HELD,),
                "comparison": Comparison(
                    pairs=0,
                    not_comparable=("accuracy: x",),
                    deltas={"mrr": Delta(now=1, baseline=1, delta=0, pairs=1)},
                ),
            },
            "✅ … 1 of 1 gate passed · what passes is not comparable with the baseline",
            id="other marks",
        ),
        pytest.param(
            {},
            "⚠️ … passed, but nothing gates: the spec has no thresholds",
            id="no gates",
        ),
        pytest.param(
            {"verdict": "failed", "gates": (HELD, BROKEN, gate("unmeasured"))},
            "❌ … 2 of 3 gates failed",
            id="failed",
        ),
        pytest.param(
            {"verdict": "error", "totals": Totals(cases=80, errors=80)},
            "🚫 … not evaluated",
            id="nobody answered",
        ),
        pytest.param(
            {"verdict": "error", "totals": Totals(cases=120, passed=108, errors=12)},
            "🚫 … 12 of 120 cases could not be evaluated",
            id="partly measured",
        ),
        pytest.param(
            {"verdict": "error", "totals": Totals(cases=9, passed=2, not_asked=7)},
            "🚫 … 7 of 9 cases not asked",
            id="cancelled",
        ),
        pytest.param(
            {
                "verdict": "error",
                "totals": Totals(cases=9, passed=2, errors=3, not_asked=4),
            },
            "🚫 … 3 of 9 cases could not be evaluated · 4 not asked",
            id="gave up",
        ),
        pytest.param(
            {"verdict": "skipped", "totals": Totals(cases=0)}, "➖ … skipped", id="fork"
        ),
    ],
)
def test_the_headline_says_the_verdict(fields, expected):
    assert headline(run(**fields)) == expected.replace("…", "RAG eval helpdesk:")


FAILED = {"verdict": "failed", "totals": Totals(cases=9, passed=2, failed=7)}
COUNTS = {
    "retrieval": LayerCount(first=5, causes={"retrieval.missed": 4, "x": 1}),
    "answer": LayerCount(first=2),
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param(
            {**FAILED, "layers": COUNTS, "gates": (BROKEN,)},
            "**Retrieval broke first.** recall@5 is 0.80 (gate ≥ 0.85). 5 of 7 failing "
            "cases fail here first, most often `retrieval.missed`: no relevant passage "
            "came.",
            id="gate and cases",
        ),
        pytest.param(
            {**FAILED, "gates": (gate("unmeasured", message="recall@5 was not"),)},
            "**Retrieval could not be measured.** recall@5 was not.",
            id="not measured",
        ),
        pytest.param(
            {
                **FAILED,
                "gates": (
                    gate(
                        "failed",
                        metric="tag=x",
                        rule="red_line",
                        cases=("qa 1",),
                        layer="refusal",
                    ),
                ),
            },
            "**Refusal broke first.** **Red line broken:** `tag=x` by `qa 1`.",
            id="red line",
        ),
        pytest.param(
            {**FAILED, "verdict": "passed", "layers": COUNTS},
            "Where to look first: retrieval. 5 of 7 failing cases fail here first, "
            "most often `retrieval.missed`: no relevant passage came.",
            id="passed",
        ),
        pytest.param({}, "No case fails.", id="nothing fails"),
    ],
)
def test_the_line_below_says_which_layer_broke_first(fields, expected):
    assert comment(run(**fields)).split("\n")[1] == expected


def test_a_run_without_any_reply_shows_no_table_of_zeros():
    text = comment(reports.endpoint_error())

    assert "| Layer | Metric |" not in text
    assert "connection refused at http://localhost:9000/rag" in text


def test_numbers_beside_failed_calls_are_called_not_final():
    totals = Totals(cases=120, passed=108, errors=12)

    assert "not final" in comment(run(verdict="error", totals=totals))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"filters": ("--tag a", "--limit 3")}, "evaluated: `--tag a`, `--limit 3`"),
        ({"baseline": ".b"}, "`rag-eval baseline save RESULTS --to .b`"),
        ({"baseline": "../b", "spec": "evals/rag.yaml"}, "RESULTS --to b`"),
        ({"baseline": "b", "spec": "evals/rag.yaml"}, "RESULTS --to evals/b`"),
        ({"baseline": "/b", "spec": "evals/rag.yaml"}, "RESULTS --to b`"),
        (
            {"baseline": "data", "baseline_kind": "branch"},
            "The action makes one in the branch `data` when it runs on the default",
        ),
        (
            {"baseline": "runs", "baseline_kind": "artifact"},
            "makes one where it uploads its results folder as the artifact `runs`",
        ),
        (
            {"baseline": "b", "baseline_kind": "results", "spec": "evals/rag.yaml"},
            "A step before this one has to bring results to `evals/b`.",
        ),
        (
            {"baseline": "b", "baseline_unread": "GitHub is down"},
            "The baseline could not be read: GitHub is down.",
        ),
        (
            {"comparison": Comparison(pairs=1, not_comparable=("a", "b", "c", "d"))},
            "> Not comparable with the baseline: a; b; c and 1 more",
        ),
        (
            {
                "totals": Totals(cases=80, passed=80),
                "comparison": Comparison(
                    pairs=67,
                    changed=tuple(f"qa-{n}" for n in range(12)),
                    not_comparable=(
                        "mrr: measured only now",
                        *(f"qa-{n}: the labels changed" for n in range(12)),
                        "qa-99: in quarantine now",
                    ),
                ),
            },
            (
                "> - 12 of 80 cases changed since the baseline and are not compared: "
                "`qa-0`: the labels changed; `qa-1`: the labels changed; "
                "`qa-2`: the labels changed and 9 more\n"
                "> - Not comparable with the baseline: mrr: measured only now; "
                "`qa-99`: in quarantine now"
            ),
        ),
        (
            {
                "totals": Totals(cases=80, passed=78, failed=2),
                "comparison": Comparison(
                    pairs=80, worse=2, better=1, p=1.0, commit="8c02d77" * 5
                ),
            },
            "2 regressed, 1 fixed since `8c02d77`: within noise",
        ),
        ({"notices": tuple(f"n {n}" for n in range(12))}, "> - 2 more in results.json"),
    ],
)
def test_what_must_be_read_with_the_numbers_stands_above_them(fields, said):
    above, _, _ = comment(run(**fields)).partition("| Layer |")

    assert said in above


def rows(report: Report) -> list[list[str]]:
    """Give the table of the summary, which holds all of it."""
    lines = render.summary(report, ENVIRONMENT).split("\n")
    table = [line for line in lines if re.match(r"\| (\d&nbsp;\w+|run) \|", line)]
    table = [line.replace("&nbsp;", " ") for line in table]
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in table]


def test_every_layer_has_a_row_in_causal_order():
    layers = [row[0] for row in rows(run(layers={"retrieval": LayerCount()}))]
    states = [row[-1] for row in rows(run(layers={"retrieval": LayerCount()}))]

    assert layers == [f"{place} {name}" for place, name in enumerate(LAYERS, 1)]
    assert states == ["➖", "➖", "", "➖", "➖", "➖", "➖"]


def test_an_undetermined_layer_says_what_is_missing():
    text = comment(run(layers={}))

    assert "isolation is undetermined, not healthy: it needs cases with tenant" in text


def test_a_gate_shows_also_where_its_layer_is_undetermined():
    layers = {"retrieval": LayerCount(undetermined=True)}
    unmeasured = run(
        layers=layers,
        summaries={"recall@5": share("retrieval"), "mrr": share("retrieval")},
        gates=(gate("unmeasured", value=None),),
    )

    assert [row[1:] for row in rows(unmeasured) if row[0] == "3 retrieval"] == [
        ["recall@5", "–", "≥ 0.85 (not measured)", "❌"],
        ["no evidence", "–", "–", "➖"],
    ]


def test_a_metric_that_is_only_a_red_line_is_shown_as_such():
    line = gate("passed", metric="leakage", rule="red_line", limit=0, value=0)
    tag = gate("failed", metric="tag=x", rule="red_line", limit=0, value=2)
    table = rows(
        run(
            summaries={"leakage": share("isolation", mean=0.0, scored=9)},
            gates=(line, tag),
        )
    )

    assert ["2 isolation", "leakage", "0.00", "red line", "✅"] in table
    assert ["run", "`tag=x`", "**2 failed**", "red line", "❌"] in table


def test_several_gates_on_one_number_are_one_row_and_a_slice_is_its_own():
    part = gate("failed", slice="type=policy", limit=0.75, value=0.7499)
    table = rows(run(gates=(BROKEN, DROP, part)))

    assert [row[1:] for row in table if row[0] == "3 retrieval"] == [
        ["recall@5", "**0.80**", "≥ 0.85, drop ≤ 0.02 (no baseline)", "❌"],
        ["recall@5 · `type=policy`", "**0.7499**", "≥ 0.75", "❌"],
    ]


def test_a_comment_shows_what_is_gated_and_a_row_for_each_layer_and_folds_the_rest():
    summaries = {
        "recall@5": share("retrieval", mean=0.9, scored=9),
        "mrr": share("retrieval", mean=0.8, scored=9),
        "key_points": share("answer", mean=0.7, scored=9),
        "answer_similarity": share("answer", mean=0.6, scored=9),
    }
    text = comment(run(summaries=summaries, gates=(gate("passed", metric="mrr"),)))
    seen, _, folded = text.partition("<details><summary>All measurements (9)")

    assert [name for name in summaries if f"| {name} |" in seen] == [
        "mrr",
        "key_points",
    ]
    assert [name for name in summaries if f"| {name} |" in folded] == list(summaries)


def test_latency_shows_its_median_its_95th_and_what_is_gated():
    latency = Summary(
        layer="service",
        better="lower",
        mean=1,
        scored=9,
        unit="s",
        percentiles={"p50": 0.5, "p90": 2, "p95": 3, "p99": 9, "max": 9.25},
    )
    slow = gate("failed", metric="latency_max", rule="max", limit=8, value=9.25)

    table = rows(run(summaries={"latency": latency}, gates=(slow,)))

    assert [row[1:4] for row in table if row[0] == "1 service"] == [
        ["latency_p50", "0.50 s", "–"],
        ["latency_p95", "3.0 s", "–"],
        ["latency_max", "**9.2 s**", "≤ 8 s"],
    ]


def test_beside_a_baseline_the_table_has_seven_columns():
    deltas = {"recall@5": Delta(now=0.8, baseline=0.91, delta=-0.11, pairs=70)}
    compared = run(gates=(BROKEN,), comparison=Comparison(pairs=9, deltas=deltas))

    assert [row[1:] for row in rows(compared) if row[1] == "recall@5"] == [
        ["recall@5", "**0.80**", "0.91", "**−0.11**", "≥ 0.85", "❌"]
    ]


@pytest.mark.parametrize(
    ("outcome", "fields", "said"),
    [
        ("passed", {}, "≥ 0.85"),
        ("passed", {"owner": "@search"}, "≥ 0.85"),
        ("failed", {"owner": "@search"}, "≥ 0.85 (`@search`)"),
        ("failed", {"owner": "@search", "level": "warn"}, "≥ 0.85 (only warns)"),
        ("unmeasured", {"owner": "@search"}, "≥ 0.85 (not measured, `@search`)"),
        ("inconclusive", {"level": "warn"}, "≥ 0.85 (inconclusive, only warns)"),
    ],
)
def test_what_is_special_about_a_gate_stands_in_one_bracket(outcome, fields, said):
    table = rows(run(gates=(gate(outcome, **fields),)))

    assert [row[3] for row in table if row[1] == "recall@5"] == [said]


def many(cases: int, text: str) -> Report:
    """Give a report with long texts wherever there can be many."""
    failures = tuple(
        FailedCase(
            id=f"{number} {text}"[:400],
            layer="answer",
            cause=text[:400],
            question=text,
            answer=text,
            evidence=text,
        )
        for number in range(cases)
    )
    labels = [f"{number} {text}"[:400] for number in range(300)]
    return run(
        verdict="failed",
        name=text,
        reasons=(text,) * 50,
        notices=(text,) * 50,
        filters=(text,) * 50,
        totals=Totals(cases=500, failed=500),
        summaries={label: share("answer", mean=0.5, scored=2) for label in labels},
        gates=tuple(
            gate("failed", metric=label, slice=part, owner=text, message=text)
            for label in labels
            for part in (None, text[:400], text[:399], text[:398])
        ),
        layers={"answer": LayerCount(first=500, causes={text: 500})},
        failures=failures,
        failures_left_out=500 - cases,
        comparison=Comparison(
            pairs=3,
            regressed=tuple(case.id for case in failures),
            not_comparable=(text,) * 50,
            deltas={labels[0]: Delta(now=0.5, baseline=0.6, delta=-0.1, pairs=3)},
        ),
    )


@pytest.mark.parametrize("text", ["word " * 500, "`" * 3_000, "🎉" * 3_000, "|`" * 999])
def test_a_comment_and_a_summary_always_fit(text):
    report = many(200, text)
    whole = comment(report)

    assert len(whole.encode("utf-16-le")) / 2 <= 65_536
    assert len(whole.encode()) <= 262_144
    assert len(render.summary(report, ENVIRONMENT).encode()) <= 1_048_576
    assert "gates failed" in whole
    assert re.search(r"Showing 30 of [\d,]+ rows\.", whole)
    assert "Showing 0 of 500 failing cases." in whole


def test_a_long_comment_gives_up_texts_before_cases():
    report = many(200, "word " * 30).model_copy(
        update={"gates": (BROKEN,), "summaries": {}, "comparison": None}
    )
    whole = comment(report)
    short = comment(many(200, "word " * 30))

    assert "Showing 20 of 500 failing cases." in whole
    assert "Showing 0 of 500 failing cases." in short


def width(text: str) -> int:
    wide = {"W": 2, "F": 2}
    return sum(wide.get(unicodedata.east_asian_width(sign), 1) for sign in text)


def test_wide_characters_align_on_the_terminal():
    lines = render.console(reports.failing()).split("\n")
    causes = [
        re.match(r"(发票-货币|refund\S*|reset\S*) +(?=\w+\.)", line) for line in lines
    ]
    places = {width(found[0]) for found in causes if found}

    assert len(places) == 1


def test_the_terminal_has_colours_only_on_demand():
    report = reports.failing()
    plain = render.console(report)
    painted = render.console(report, colour=True)

    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", painted) == plain
    assert "\x1b[31mFAILED\x1b[0m" in painted


def test_the_terminal_tells_where_the_files_are():
    text = render.console(run(gates=(HELD,)), folder="out")

    assert text.endswith("\n\nResults: out/\nRAG eval helpdesk: 1 of 1 gate passed\n")


@pytest.mark.parametrize("name", ["failing", "passing", "endpoint_error", "truncated"])
def test_the_page_runs_nothing_and_loads_nothing(name):
    page = render.html(getattr(reports, name)(), ENVIRONMENT)

    assert "Content-Security-Policy\" content=\"default-src 'none'" in page
    assert not re.search(r"<script|<link|<img|src=|href=|url\(|\son\w+=", page)


def suites(text: str) -> dict[str, dict[str, str]]:
    root = ET.fromstring(text)  # noqa: S314  our own
    return {
        str(suite.get("name")).removeprefix("helpdesk: "): {
            str(case.get("name")): "".join(child.tag for child in case)
            for case in suite
        }
        for suite in root
    }


def test_junit_has_a_test_for_each_gate_and_each_failing_case():
    assert suites(render.junit(reports.failing(), ENVIRONMENT)) == {
        "gates": {
            "recall@5 min 0.85": "failure",
            "recall@5 max_drop 0.02": "",
            "recall@5 (type=policy) min 0.75": "failure",
            "latency_p95 max 2.00": "",
            "latency_p95 max 8.00": "",
            "leakage red_line": "",
            "tag=cross-tenant red_line": "failure",
            "accuracy max_drop 0.05": "",
            "error_rate max 0.02": "",
        },
        "service": {"sso-limit": "error"},
        "retrieval": {"refund-window-eu": "failure"},
        "refusal": {"reset-2fa": "failure"},
        "answer": {"发票-货币": "failure"},
    }


def test_junit_of_a_skipped_run_has_one_test_that_was_skipped():
    root = ET.fromstring(render.junit(reports.skipped(), ENVIRONMENT))  # noqa: S314  our own

    [test] = root.iter("testcase")
    assert (root.get("tests"), root.get("skipped")) == ("1", "1")
    assert "gets no secrets" in test.find("skipped").get("message")


def test_junit_has_every_case_where_the_records_are_at_hand():
    def record(name: str, outcome: str, **fields) -> Record:
        return Record(name, outcome, "h", "l", {}, **fields)

    records = [
        record("ok", "passed"),
        record("open", "undetermined"),
        record("cut", "not_asked"),
        record("reset-2fa", "failed", layer="refusal", cause="refusal.missed"),
        record("far-down", "failed", layer="answer", cause="answer.omission"),
    ]
    text = render.junit(reports.failing(), ENVIRONMENT, records)
    found = suites(text)
    root = ET.fromstring(text)  # noqa: S314  our own

    assert {name: found[name] for name in found if name != "gates"} == {
        "refusal": {"reset-2fa": "failure"},
        "answer": {"far-down": "failure"},
        "cases": {"ok": "", "open": "skipped", "cut": "skipped"},
    }
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == (
        "14",
        "5",
        "2",
    )


def test_every_cause_has_its_line_of_advice_and_no_other_has():
    marks = {f"{layer}.below_mark" for layer in LAYERS if layer != "answer"}
    known = {rule.cause for rule in RULES} | set(get_args(ServiceCause)) | marks
    known |= {"answer.incorrect", "answer.off_topic"}  # marks that metrics miss

    assert set(ADVICE) == known


def test_advice_is_plain_text_in_every_format():
    texts = [text for advice in ADVICE.values() for text in advice]

    assert [text for text in texts if re.search(r"[|`*<>\[\]#@$~\\]", text)] == []
