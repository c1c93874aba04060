"""What a pull request does to its own bar is said in words, the looser first."""

from datetime import date

import pytest

from runner.errors import Document
from runner.metrics import registry
from runner.model import Case, Quarantine
from runner.spec import parse
from runner.yardstick import Yardstick, changes

HEAD = {"endpoint": {"url": "http://localhost/ask"}, "cases": "cases.jsonl"}


def yardstick(*cases, **keys):
    lines = {(): 1}
    document = Document({**HEAD, **keys}, lines, "spec.yaml")
    return Yardstick(parse(document, registry=registry, environ={}), cases)


def moved(now, then):
    return [
        (change.what, change.before, change.after, change.moved)
        for change in changes(now, then, registry)
    ]


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ({"path": "b"}, {"path": "b"}, []),
        (
            {"path": "b"},
            {"branch": "b"},
            [("baseline", "path b", "branch b", "changed")],
        ),
        ({"path": "b"}, None, [("baseline", "path b", "none", "loosened")]),
        (None, {"path": "b"}, []),
        (
            {"path": "b", "removed": "fail"},
            {"path": "b"},
            [("baseline removed", "fail", "warn", "loosened")],
        ),
        (
            {"path": "b"},
            {"path": "b", "removed": "fail"},
            [("baseline removed", "warn", "fail", "tightened")],
        ),
    ],
)
def test_another_baseline_is_told(then, now, expected):
    def held(baseline):
        return yardstick(**({"baseline": baseline} if baseline else {}))

    assert moved(held(now), held(then)) == expected


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        (
            {"recall@5": {"min": 0.85}},
            {"recall@5": {"min": 0.8}},
            ("recall@5 min", "0.85", "0.8", "loosened"),
        ),
        (
            {"recall@5": {"min": 0.8}},
            {"recall@5": {"min": "85%"}},
            ("recall@5 min", "0.8", "0.85", "tightened"),
        ),
        (
            {"latency_p95": {"max": "2s"}},
            {"latency_p95": {"max": "2500ms"}},
            ("latency_p95 max", "2", "2.5", "loosened"),
        ),
        (
            {"mrr": {"max_drop": 0.02}},
            {"mrr": {"max_drop": 0.05}},
            ("mrr max_drop", "0.02", "0.05", "loosened"),
        ),
        (
            {"mrr": {"max_drop": 0.02}},
            {"mrr": {"max_drop": "2%"}},
            ("mrr max_drop", "0.02", "2%", "changed"),
        ),
        (
            {"mrr": {"max_drop": 0.02}},
            {"mrr": {"max_drop": {"points": 0.02, "confident": True}}},
            ("mrr max_drop", "0.02", "0.02, confident", "loosened"),
        ),
        (
            {"mrr": {"min": 0.6}},
            {"mrr": {"min": 0.6, "level": "warn"}},
            ("mrr min", "0.6", "0.6, warns", "loosened"),
        ),
        (
            {"mrr": {"min": 0.6}},
            {"mrr": {"min": 0.7, "level": "warn"}},
            ("mrr min", "0.6", "0.7, warns", "loosened"),
        ),
        (
            {"mrr": {"min": 0.6}},
            {"mrr": {"min": 0.6, "min_coverage": 0.5}},
            ("mrr min", "0.6", "0.6, coverage 0.5", "loosened"),
        ),
        (
            {"mrr": {"max_drop": "2%"}},
            {"mrr": {"max_drop": 0.9}},
            ("mrr max_drop", "2%", "0.9", "loosened"),
        ),
        (
            {"mrr": {"min": 0.9}},
            {"mrr": {"min": 0.1, "min_coverage": 0.96}},
            ("mrr min", "0.9", "0.1, coverage 0.96", "loosened"),
        ),
        ({"mrr": {"min": 0.6}}, {}, ("mrr min", "0.6", "none", "loosened")),
        ({}, {"mrr": {"min": 0.6}}, ("mrr min", "none", "0.6", "tightened")),
        (
            {"mrr": {"slices": {"type=policy": {"min": 0.9}}}},
            {"mrr": {"slices": {"type=policy": {"min": 0.5}}}},
            ("mrr min on type=policy", "0.9", "0.5", "loosened"),
        ),
        (
            {},
            {"error_rate": {"max": "5%"}},
            ("error_rate max", "0", "0.05", "loosened"),
        ),
        (
            {},
            {"leakage": {"level": "warn"}},
            ("leakage", "fail", "warn", "loosened"),
        ),
    ],
)
def test_a_limit_that_moved_says_from_where_to_where(then, now, expected):
    before, after = yardstick(thresholds=then), yardstick(thresholds=now)

    assert moved(after, before) == [expected]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ({"mrr": {"min": 0.6}}, {"mrr": {"min": "60%"}}),
        ({"mrr": {"min": 0.6}}, {"mrr": [{"min": 0.6}]}),
        ({"mrr": {"min": 0.6}}, {"mrr": {"min": 0.6, "owner": "@search"}}),
        ({"mrr": {"max_drop": 0.1}}, {"mrr": {"max_drop": {"points": 0.1}}}),
        ({}, {"error_rate": {"max": 0}}),
    ],
)
def test_what_holds_the_same_is_no_change(then, now):
    assert moved(yardstick(thresholds=now), yardstick(thresholds=then)) == []


def test_of_a_warning_and_a_failing_limit_each_is_held_against_its_own():
    def two(warns, fails):
        entries = [{"max": warns, "level": "warn"}, {"max": fails}]
        return yardstick(thresholds={"latency_p95": entries})

    assert moved(two("2s", "9s"), two("2s", "8s")) == [
        ("latency_p95 max", "8", "9", "loosened")
    ]


def test_red_lines_and_pass_marks_count_too():
    then = yardstick(**{"red_lines": [{"tag": "safety"}], "pass": {"mrr": 0.5}})
    now = yardstick(**{"red_lines": [{"type": "policy"}], "pass": {"key_points": 0.5}})

    assert moved(now, then) == [
        ("red line", "tag=safety", "none", "loosened"),
        ("pass key_points", "1", "0.5", "loosened"),
        ("pass mrr", "0.5", "none", "loosened"),
        ("red line", "none", "type=policy", "tightened"),
    ]


def test_a_ceiling_among_the_pass_marks_loosens_upwards():
    then, now = yardstick(), yardstick(**{"pass": {"over_refusal": 1}})

    assert moved(now, then) == [("pass over_refusal", "0", "1", "loosened")]


def test_cases_that_went_and_labels_that_changed_are_named():
    then = [Case(f"qa-{n}", "Why?", key_points=(("a",),)) for n in range(9)]
    now = [then[0]._replace(key_points=(("b",),)), then[1], Case("new", "Why?")]

    assert moved(yardstick(*now), yardstick(*then)) == [
        (
            "cases",
            "9 cases",
            "7 removed: qa-2, qa-3, qa-4, qa-5, qa-6 and 2 more",
            "loosened",
        ),
        ("cases", "9 cases", "1 new: new", "changed"),
        ("labels", "as they were", "other in 1 case: qa-0 (must_include)", "changed"),
    ]


WALLED = Case(
    "x",
    "What is B's code?",
    tenant="a",
    canaries=("ZEBRA",),
    forbidden_doc_ids=("doc-b*",),
    must_not_include=("4711", "4712"),
    expect_refusal=True,
)
LABELLED = Case(
    "x",
    "How long?",
    key_points=(("14 days", "two weeks"), ("unopened",)),
    qrels={"d1": 1},
    reference="Two weeks.",
)


@pytest.mark.parametrize(
    ("case", "now", "fields", "direction"),
    [
        (WALLED, {"tenant": None}, "tenant", "loosened"),
        (WALLED, {"tenant": "b"}, "tenant", "changed"),
        (LABELLED, {"tenant": "b"}, "tenant", "tightened"),
        (WALLED, {"canaries": ()}, "canaries", "loosened"),
        (WALLED, {"canaries": ("ZEBRA", "LION")}, "canaries", "tightened"),
        (WALLED, {"canaries": ("LION",)}, "canaries", "changed"),
        (WALLED, {"forbidden_doc_ids": ()}, "forbidden_doc_ids", "loosened"),
        (WALLED, {"must_not_include": ("4711",)}, "must_not_include", "loosened"),
        (WALLED, {"expect_refusal": False}, "expect_refusal", "changed"),
        (WALLED, {"refusal_phrases": ("the",)}, "refusal_phrases", "loosened"),
        (LABELLED, {"refusal_phrases": ("the",)}, "refusal_phrases", "changed"),
        (LABELLED, {"qrels": {}}, "expected_doc_ids", "loosened"),
        (LABELLED, {"qrels": {"d2": 1}}, "expected_doc_ids", "changed"),
        (LABELLED, {"reference": None}, "reference", "loosened"),
        (LABELLED, {"key_points": ()}, "must_include", "loosened"),
        (LABELLED, {"key_points": (("unopened",),)}, "must_include", "loosened"),
        (
            LABELLED,
            {"key_points": (("14 days", "two weeks", "days"), ("unopened",))},
            "must_include",
            "loosened",
        ),
        (
            LABELLED,
            {"key_points": (("14 days",), ("unopened",), ("new",))},
            "must_include",
            "tightened",
        ),
        (
            LABELLED,
            {"key_points": (("30 days",), ("unopened",))},
            "must_include",
            "changed",
        ),
        (
            WALLED,
            {"canaries": (), "must_not_include": ("4711", "4712", "4713")},
            "canaries, must_not_include",
            "loosened",
        ),
    ],
)
def test_which_way_labels_move_is_told(case, now, fields, direction):
    words = {"loosened": "less asked for", "tightened": "more asked for"}
    word = words.get(direction, "other")

    assert moved(yardstick(case._replace(**now)), yardstick(case)) == [
        ("labels", "as they were", f"{word} in 1 case: x ({fields})", direction)
    ]


@pytest.mark.parametrize(
    ("now", "what"),
    [
        ({"question": "How?"}, "questions"),
        ({"type": "policy"}, "type"),
        ({"tags": ("nightly",)}, "tags"),
    ],
)
def test_what_is_asked_and_where_a_case_counts_is_told(now, what):
    case = Case("a", "Why?", type="fact")

    assert moved(yardstick(case._replace(**now)), yardstick(case)) == [
        (what, "as they were", "other in 1 case: a", "changed")
    ]


@pytest.mark.parametrize("now", [{"owner": "@x"}, {"meta": {"note": "1"}}])
def test_what_judges_nothing_is_no_change_of_a_case(now):
    case = Case("a", "Why?")

    assert moved(yardstick(case._replace(**now)), yardstick(case)) == []


def test_what_a_case_keeps_beside_its_labels_counts_where_requests_hold_it():
    endpoint = {**HEAD["endpoint"], "body": {"q": "{{ question }} {{ meta.hint }}"}}
    case = Case("a", "Why?")
    now = yardstick(case._replace(meta={"hint": "14 days"}), endpoint=endpoint)

    assert moved(now, yardstick(case, endpoint=endpoint)) == [
        ("questions", "as they were", "other in 1 case: a", "changed")
    ]


def test_a_case_that_leaves_a_red_line_is_told():
    lines = {"red_lines": [{"tag": "cross"}]}
    then = [Case(name, "Why?", tags=("cross", "x")) for name in "abc"]
    now = [then[0], then[1]._replace(tags=("сross", "x"))]  # a look-alike

    assert moved(yardstick(*now, **lines), yardstick(*then, **lines)) == [
        ("red line tag=cross", "3 cases", "1 left it: b", "loosened"),
        ("cases", "3 cases", "1 removed: c", "loosened"),
        ("tags", "as they were", "other in 1 case: b", "changed"),
    ]


def test_a_case_that_leaves_a_slice_with_a_limit_of_its_own_is_told():
    limits = {"thresholds": {"accuracy": {"slices": {"type=policy": {"min": 0.8}}}}}
    then = [Case(name, "Why?", type="policy") for name in "ab"]
    now = [then[0], then[1]._replace(type="fact")]

    assert moved(yardstick(*now, **limits), yardstick(*then, **limits)) == [
        ("slice type=policy", "2 cases", "1 left it: b", "loosened"),
        ("type", "as they were", "other in 1 case: b", "changed"),
    ]


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        (
            {"times": 3, "passes": "all"},
            {"times": 3, "passes": "any"},
            ("trials", "all of 3", "any of 3", "loosened"),
        ),
        (3, 1, ("trials", "majority of 3", "1", "changed")),
        (
            {"times": 3, "passes": "all"},
            {"times": 9, "passes": "any"},
            ("trials", "all of 3", "any of 9", "loosened"),
        ),
        (
            {"times": 3, "passes": "all"},
            1,
            ("trials", "all of 3", "1", "loosened"),
        ),
        (
            1,
            {"times": 5, "passes": "any"},
            ("trials", "1", "any of 5", "loosened"),
        ),
        (
            1,
            {"times": 5, "passes": "all"},
            ("trials", "1", "all of 5", "tightened"),
        ),
        (1, {"times": 1, "passes": "any"}, None),
    ],
)
def test_a_rule_by_which_a_case_passes_more_easily_is_told(then, now, expected):
    found = moved(yardstick(trials=now), yardstick(trials=then))

    assert found == ([expected] if expected else [])


def asked(**keys):
    return yardstick(endpoint={**HEAD["endpoint"], **keys})


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        (
            {},
            {"response": {"answer": "reply"}},
            ("endpoint.response.answer", "answer", "reply", "changed"),
        ),
        (
            {},
            {"response": {"contexts": None}},
            ("endpoint.response.contexts", "contexts", "none", "loosened"),
        ),
        (
            {},
            {"response": {"context": {"tenant": None}}},
            ("endpoint.response.context.tenant", "tenant", "none", "loosened"),
        ),
        (
            {"response": {"error": "fault"}},
            {},
            ("endpoint.response.error", "fault", "none", "loosened"),
        ),
        (
            {},
            {"response": {"refused": None}},
            ("endpoint.response.refused", "refused", "none", "changed"),
        ),
        (
            {},
            {"response": {"scope": "cited"}},
            ("endpoint.response.scope", "retrieved", "cited", "loosened"),
        ),
        (
            {"response": {"strip": ["<b>"]}},
            {"response": {"strip": ["<b>", "ZEBRA"]}},
            ("endpoint.response.strip", '["<b>"]', '["<b>", "ZEBRA"]', "loosened"),
        ),
        (
            {"shared_tenants": ["public"]},
            {"shared_tenants": ["public", "b"]},
            ("endpoint.shared_tenants", '["public"]', '["public", "b"]', "loosened"),
        ),
        (
            {"match": "document"},
            {},
            ("endpoint.match", "document", "chunk", "tightened"),
        ),
        (
            {},
            {"retries": 20},
            ("endpoint.retries", "2", "20", "loosened"),
        ),
        (
            {},
            {"timeout": "5s"},
            ("endpoint.timeout", "30", "5", "tightened"),
        ),
        (
            {},
            {"concurrency": 1},
            ("endpoint.concurrency", "8", "1", "changed"),
        ),
        (
            {"body": {"q": "{{ question }}"}},
            {"body": {"q": "{{ question }}", "hint": "{{ meta.hint }}"}},
            ("endpoint.body.hint", "none", "{{ meta.hint }}", "changed"),
        ),
        (
            {},
            {"url": "http://localhost/other"},
            (
                "endpoint.url",
                "http://localhost/ask",
                "http://localhost/other",
                "changed",
            ),
        ),
        (
            {"headers": {"X-Key": "one-secret"}},
            {"headers": {"X-Key": "another-secret"}},
            ("endpoint.headers.X-Key", "as it was", "other", "changed"),
        ),
    ],
)
def test_what_is_asked_and_read_otherwise_is_told(then, now, expected):
    assert moved(asked(**now), asked(**then)) == [expected]


def test_a_secret_is_not_told_although_the_change_drops_it():
    def held(**response):
        data = {**HEAD, "endpoint": {**HEAD["endpoint"], "response": response}}
        document = Document(data, {(): 1}, "spec.yaml")
        environ = {"THE_TOKEN": "abc-123-xyz"}
        return Yardstick(parse(document, registry=registry, environ=environ), ())

    [change] = moved(held(), held(error="x == '${THE_TOKEN}'"))

    assert change == ("endpoint.response.error", "x == '***'", "none", "loosened")


def test_what_the_endpoint_that_is_the_baseline_is_sent_otherwise_is_told():
    def against(**headers):
        rival = {"url": "http://localhost/live", "headers": headers}
        return yardstick(baseline={"endpoint": rival})

    assert moved(against(X="a"), against(X="b")) == [
        ("baseline.endpoint.headers.X", "as it was", "other", "changed")
    ]


def test_marks_of_the_diagnosis_and_metrics_without_a_line_count_too():
    then = yardstick(metrics=["mrr", "number_support", "latency"])
    now = yardstick(metrics=["mrr"], diagnosis={"buried": 9})

    assert moved(now, then) == [
        ("diagnosis.buried", "3", "9", "changed"),
        ("metrics", "number_support, latency", "not measured", "changed"),
    ]


def held(*written, **keys):
    """Give a yardstick with cases, each with the last day of its quarantine if any."""
    cases = [
        Case(
            name,
            "Why?",
            tags=("cross",) if name == "lined" else (),
            quarantine=Quarantine(date.fromisoformat(day), "flaky") if day else None,
        )
        for name, day in written
    ]
    return yardstick(*cases, **keys)


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        (
            [("a", "")],
            [("a", "2026-12-31")],
            [("quarantine", "none", "a until 2026-12-31", "loosened")],
        ),
        (
            [("a", "2026-11-30")],
            [("a", "2026-12-31")],
            [("quarantine", "a until 2026-11-30", "a until 2026-12-31", "loosened")],
        ),
        (
            [("a", "2026-12-31")],
            [("a", "")],
            [("quarantine", "a until 2026-12-31", "none", "tightened")],
        ),
        (
            [("a", "2026-12-31"), ("b", ""), ("c", "2026-12-01")],
            [("a", "2026-12-01"), ("b", "2026-12-31"), ("c", "2026-12-02")],
            [
                (
                    "quarantine",
                    "b none, c until 2026-12-01",
                    "b until 2026-12-31, c until 2026-12-02",
                    "loosened",
                ),
                ("quarantine", "a until 2026-12-31", "a until 2026-12-01", "tightened"),
            ],
        ),
        ([("a", "2026-12-31")], [("a", "2026-12-31")], []),
        (
            [("a", "")],
            [("a", ""), ("new", "2026-12-31")],
            [("cases", "1 case", "1 new: new", "changed")],
        ),
    ],
)
def test_a_case_that_gates_no_longer_is_told(then, now, expected):
    assert moved(held(*now), held(*then)) == expected


def test_where_a_red_line_holds_a_case_its_quarantine_loosens_nothing():
    lines = {"red_lines": [{"tag": "cross"}]}
    now, then = held(("lined", "2026-12-31"), **lines), held(("lined", ""), **lines)

    assert moved(now, then) == []


def test_where_a_red_line_goes_the_quarantine_that_it_kept_off_is_told():
    then = held(("lined", "2026-12-31"), red_lines=[{"tag": "cross"}])
    now = held(("lined", "2026-12-31"))

    assert ("quarantine", "none", "lined until 2026-12-31", "loosened") in moved(
        now, then
    )


def test_a_change_stands_on_its_line_of_the_spec():
    lines = {(): 1, ("thresholds", "mrr", "min"): 7}
    data = {**HEAD, "thresholds": {"mrr": {"min": 0.5}}}
    spec = parse(Document(data, lines, "spec.yaml"), registry=registry, environ={})

    found = changes(Yardstick(spec, ()), yardstick(), registry)

    assert [(change.what, change.line) for change in found] == [("mrr min", 7)]
