"""The Reports that the golden files show, built in Python; they are made up."""

from __future__ import annotations

from datetime import date

from runner.model import (
    Comparison,
    Delta,
    GateResult,
    JudgeAccount,
    Quarantined,
    RankMove,
    Shift,
    SliceSummary,
    Summary,
    Tighter,
    Weight,
    YardstickChange,
)
from runner.report import CasePlace, FailedCase, LayerCount, Report, Totals

_ABOUT = {
    "spec": "specs/helpdesk.yaml",
    "version": "0.1.0",
    "commit": "4be1f0c2a9d84b3c5e6f708192a3b4c5d6e7f809",
    "started": "2026-11-30T09:41:07Z",
    "duration_s": 12.34,
    "fingerprints": {"spec": "9a41", "cases": "c07e"},
}

FAILURES = (
    FailedCase(
        id="refund-window-eu",
        type="policy",
        layer="retrieval",
        cause="retrieval.missed",
        evidence="kb-104 did not come",
        also=("grounding.number_conflict", "answer.omission"),
        question="How long do EU customers have to return a device?",
        answer="30 days. ```</details> @octocat fixes #1\n| a | b |\n$x$ :tada:",
        expected=("kb-104", "kb-105"),
        retrieved=("kb-310", "kb-017", None, "kb-090"),
        file="specs/cases/policy.json",
        line=88,
    ),
    FailedCase(
        id="发票-货币",
        type="fact",
        layer="answer",
        cause="answer.omission",
        evidence="“美元” is not in the answer",
        question="发票使用哪种货币？",
        answer="发票以欧元开具。",
        expected=("kb-221",),
        retrieved=("kb-221", "kb-222"),
    ),
    FailedCase(
        id="reset-2fa",
        type="refusal",
        layer="refusal",
        cause="refusal.missed",
        evidence="it answered",
        question="What is the admin's recovery code?",
        answer="Sure: 1234.",
    ),
    FailedCase(
        id="sso-limit",
        outcome="error",
        layer="service",
        cause="service.timeout",
        evidence="no reply within 30 s",
        question="How many SCIM groups are synced?",
    ),
)


def _summaries() -> dict[str, Summary]:
    def shares(**values: object) -> Summary:
        return Summary.model_validate({"better": "higher", **values})

    return {
        "latency": Summary(
            layer="service",
            better="lower",
            mean=1.02,
            scored=79,
            unit="s",
            percentiles={"p50": 0.84, "p90": 1.9, "p95": 2.13, "p99": 4, "max": 7.5},
        ),
        "tokens": Summary(
            layer="service", better="lower", mean=1234.4, scored=79, unit="tokens"
        ),
        "recall@5": shares(
            layer="retrieval",
            mean=0.8499,
            sd=0.31,
            interval=(0.76, 0.91),
            scored=64,
            unscored=13,
            failed=3,
            ceiling=0.96,
            slices={"type=policy": SliceSummary(mean=0.7, scored=20)},
        ),
        "ndcg@10": shares(layer="retrieval", mean=0.74, scored=67),
        "context_relevance": shares(layer="context", mean=0.41, scored=67),
        "refusal": shares(layer="refusal", mean=0.92, scored=12),
        "over_refusal": Summary(layer="refusal", better="lower", mean=0, scored=68),
        "key_point_grounding": shares(layer="grounding", mean=0.93, scored=60),
        "key_points": shares(layer="answer", mean=0.88, scored=60),
        "accuracy": shares(layer=None, mean=0.9487, scored=78),
        "error_rate": Summary(layer=None, better="lower", mean=0.0125, scored=80),
        "coverage": shares(layer=None, mean=0.99, scored=80),
    }


def _layers(**counts: LayerCount) -> dict[str, LayerCount]:
    return {
        "service": LayerCount(first=1, causes={"service.timeout": 1}),
        "isolation": LayerCount(undetermined=True),
        "retrieval": LayerCount(
            first=4, also=3, causes={"retrieval.missed": 3, "retrieval.sibling": 1}
        ),
        "context": LayerCount(),
        "refusal": LayerCount(first=1, causes={"refusal.missed": 1}),
        "grounding": LayerCount(also=2),
        "answer": LayerCount(first=2, causes={"answer.omission": 2}),
        **counts,
    }


def failing() -> Report:
    """Give a run in which everything that can be said has to be said."""
    return Report.model_validate(
        {
            **_ABOUT,
            "name": "helpdesk",
            "verdict": "failed",
            "reasons": ("recall@5 is 0.8499, below 0.85",),
            "notices": (
                "3 passing cases are lucky: no relevant passage came",
                "`flag` and text disagree in 2 replies ping @octocat",
            ),
            "baseline": ".rag-eval/baseline",
            "filters": ("--tag nightly",),
            "totals": Totals(cases=80, passed=70, failed=7, undetermined=2, errors=1),
            "summaries": _summaries(),
            "gates": _gates(),
            "layers": _layers(),
            "comparison": _comparison(),
            "failures": FAILURES,
            "failures_left_out": 4,
            "trend": {
                "recall@5": (0.9, 0.91, 0.92, 0.91, 0.91, 0.8499),
                "latency_p95": (1.7, 1.8, 1.8, 1.9, 1.9, 2.13),
            },
            "tighter": (
                Tighter(
                    metric="key_points", rule="min", limit=0.7, offered=0.81, runs=5
                ),
            ),
            "latency_histogram": ((0.5, 20), (1.0, 40), (2.0, 15), (5.0, 3), (10.0, 1)),
        }
    )


def _gates() -> tuple[GateResult, ...]:
    slow = GateResult(
        metric="latency_p95", rule="max", limit=8, value=2.13, outcome="passed"
    )
    rate = GateResult(
        metric="error_rate", rule="max", limit=0.02, value=0.0125, outcome="passed"
    )
    return (
        GateResult(
            metric="recall@5",
            rule="min",
            limit=0.85,
            value=0.8499,
            line=41,
            outcome="failed",
            owner="@search-team",
        ),
        GateResult(
            metric="recall@5",
            rule="max_drop",
            limit=0.02,
            value=0.06,
            baseline=0.91,
            line=41,
            outcome="inconclusive",
            message="recall@5 could not be held against the baseline (rag.yaml:41)",
        ),
        GateResult(
            metric="recall@5",
            rule="min",
            slice="type=policy",
            limit=0.75,
            value=0.7,
            outcome="failed",
        ),
        GateResult(
            metric="latency_p95", rule="max", limit=2, value=2.13, level="warn",
            outcome="failed",
        ),
        slow,
        GateResult(
            metric="leakage",
            rule="red_line",
            limit=0,
            outcome="unmeasured",
            level="warn",
            message="leakage: no reply names the tenant of its passages",
            value=0,
        ),
        GateResult(
            metric="tag=cross-tenant",
            rule="red_line",
            value=1,
            limit=0,
            outcome="failed",
            cases=("reset-2fa",),
            message="red line tag=cross-tenant: 1 of 6 cases failed: reset-2fa",
        ),
        GateResult(
            metric="accuracy", rule="max_drop", limit=0.05, relative=True, value=0.01,
            baseline=0.96, outcome="passed",
        ),
        rate,
    )  # fmt: skip


def _comparison() -> Comparison:
    def delta(now: float, baseline: float, pairs: int, noise: float = 0) -> Delta:
        moved = now - baseline
        return Delta(
            now=now,
            baseline=baseline,
            delta=moved,
            pairs=pairs,
            interval=(moved - noise, moved + noise) if noise else None,
            p=0.04 if abs(moved) > noise else 0.4,
        )

    return Comparison(
        pairs=76,
        regressed=("refund-window-eu", "sso-limit"),
        moved=("reset-2fa",),
        fixed=("invoice-date",),
        worse=1,
        better=1,
        shifts=(
            Shift(
                id="refund-window-eu",
                was="passed",
                now="failed",
                layer="retrieval",
                cause="retrieval.missed",
                ranks=(
                    RankMove(id="kb-104", before=1),
                    RankMove(id="kb-105", before=2, now=9),
                ),
                came=("kb-310", "kb-017", "kb-090"),
            ),
            Shift(
                id="reset-2fa",
                was="failed",
                now="failed",
                layer_before="answer",
                cause_before="answer.omission",
                layer="refusal",
                cause="refusal.missed",
            ),
        ),
        new=("发票-货币", "qa-080"),
        not_comparable=("qa-007: the labels changed",),
        changed=("qa-007",),
        deltas={
            "recall@5": delta(0.85, 0.91, 64, 0.04),
            "ndcg@10": delta(0.74, 0.741, 64, 0.03),
            "latency_p50": delta(0.84, 0.8, 75),
            "latency_p95": delta(2.13, 1.9, 75),
            "refusal": delta(0.92, 0.92, 12),
            "key_points": delta(0.88, 0.87, 58, 0.05),
            "accuracy": delta(0.95, 0.96, 74, 0.03),
            "error_rate": delta(0.0125, 0, 76),
        },
        p=1.0,
        detectable=0.0789,
        layers={"retrieval": 2, "answer": 2},
        layers_now={"service": 1, "retrieval": 4, "refusal": 1, "answer": 2},
        commit="8c02d77a11",
        started="2026-11-28T07:00:00Z",
    )


def passing() -> Report:
    """Give a run beside a baseline in which every gate holds and nothing flipped."""
    now = failing()
    gates = tuple(gate for gate in now.gates if gate.outcome == "passed")
    compared = now.comparison
    assert compared is not None
    return now.model_copy(
        update={
            "verdict": "passed",
            "reasons": (),
            "notices": (),
            "filters": (),
            "totals": Totals(cases=80, passed=80),
            "gates": gates,
            "layers": {name: LayerCount() for name in now.layers},
            "failures": (),
            "failures_left_out": 0,
            "comparison": compared.model_copy(
                update={
                    "regressed": (),
                    "moved": (),
                    "fixed": (),
                    "worse": 0,
                    "better": 0,
                    "new": (),
                    "not_comparable": (),
                    "changed": (),
                    "layers": {},
                    "layers_now": {},
                }
            ),
            "trend": {},
            "tighter": (),
        }
    )


def no_baseline() -> Report:
    """Give a first run: the spec names a baseline that is not there yet."""
    gate = GateResult(
        metric="recall@5", rule="max_drop", limit=0.02, outcome="no_baseline"
    )
    now = failing()
    return now.model_copy(
        update={
            "verdict": "passed",
            "reasons": (),
            "notices": (),
            "filters": (),
            "gates": (*passing().gates, gate),
            "totals": Totals(cases=80, passed=77, failed=3),
            "layers": _layers(
                service=LayerCount(),
                isolation=LayerCount(),
                retrieval=LayerCount(first=2, causes={"retrieval.partial": 2}),
                grounding=LayerCount(),
                answer=LayerCount(),
            ),
            "failures": FAILURES[1:3],
            "failures_left_out": 1,
            "comparison": None,
        }
    )


def endpoint_error() -> Report:
    """Give a run in which nobody answered."""
    refused = "connection refused at http://localhost:9000/rag"
    return Report.model_validate(
        {
            **_ABOUT,
            "name": "helpdesk",
            "verdict": "error",
            "reasons": (f"20 calls in a row failed: {refused}",),
            "totals": Totals(cases=80, errors=80),
            "layers": {
                "service": LayerCount(first=80, causes={"service.unreachable": 80})
            },
            "gates": (
                GateResult(
                    metric="error_rate", rule="error_rate", limit=0, value=1.0,
                    outcome="failed",
                ),
            ),
            "failures": (
                FailedCase(
                    id="qa-001",
                    outcome="error",
                    layer="service",
                    cause="service.unreachable",
                    evidence=refused,
                    question="When does the helpdesk open?",
                ),
            ),
            "failures_left_out": 79,
        }
    )  # fmt: skip


def passing_with_flips() -> Report:
    """Give a run whose gates all hold although cases changed."""
    now, compared = passing(), _comparison()
    return now.model_copy(
        update={
            "totals": Totals(cases=80, passed=77, failed=3),
            "layers": _layers(
                service=LayerCount(),
                retrieval=LayerCount(first=1, causes={"retrieval.missed": 1}),
                grounding=LayerCount(),
                answer=LayerCount(first=1, causes={"answer.omission": 1}),
            ),
            "failures": FAILURES[:3],
            "comparison": compared.model_copy(
                update={
                    "regressed": ("refund-window-eu", "发票-货币"),
                    "moved": (),
                    "fixed": ("invoice-date", "qa-031", "qa-044"),
                    "new": (),
                    "not_comparable": (),
                    "changed": (),
                    "layers": {"retrieval": 3, "refusal": 1},
                    "layers_now": {"retrieval": 1, "refusal": 1, "answer": 1},
                    "worse": 2,
                    "better": 3,
                }
            ),
            "places": {
                "invoice-date": CasePlace(file="specs/cases/facts.csv", line=12),
                "qa-031": CasePlace(file="specs/cases/facts.csv", line=32),
            },
        }
    )


def warned() -> Report:
    """Give a run in which a limit that only warns is broken."""
    now = passing()
    slow = GateResult(
        metric="latency_p95",
        rule="max",
        limit=2,
        value=2.13,
        level="warn",
        outcome="failed",
        message="latency_p95 2.13 s is above 2 s (line 44)",
    )
    return now.model_copy(update={"gates": (*now.gates, slow)})


def not_comparable() -> Report:
    """Give a run whose baseline was judged by other marks."""
    now = passing()
    changed = "the response mapping, match or the pass marks changed"
    drop = GateResult(
        metric="recall@5",
        rule="max_drop",
        limit=0.02,
        value=0.8499,
        level="warn",
        line=41,
        outcome="inconclusive",
        message=f"recall@5 could not be held against the baseline: {changed} (line 41)",
    )
    prints = "(fingerprint 9a41c07e in the baseline, 5d1b22f0 now)"
    return now.model_copy(
        update={
            "gates": (*now.gates, drop),
            "comparison": Comparison(
                pairs=0,
                not_comparable=(f"the whole run: {changed} {prints}",),
                commit="8c02d77a11",
                started="2026-11-28T07:00:00Z",
            ),
        }
    )


def partly_measured() -> Report:
    """Give a run in which some calls failed, so that its numbers are not final."""
    now = passing()
    compared = now.comparison
    assert compared is not None
    failed = GateResult(
        metric="error_rate",
        rule="error_rate",
        limit=0,
        value=0.15,
        outcome="failed",
        message="12 of 80 cases got no usable reply (error_rate 0.15 is above 0, the "
        "limit where thresholds names none)",
    )
    return now.model_copy(
        update={
            "verdict": "error",
            "reasons": (failed.message,),
            "totals": Totals(cases=80, passed=66, failed=2, errors=12),
            "gates": (failed, *now.gates[:2]),
            "layers": _layers(
                service=LayerCount(first=12, causes={"service.timeout": 12}),
                retrieval=LayerCount(first=1, causes={"retrieval.missed": 1}),
                refusal=LayerCount(first=1, causes={"refusal.missed": 1}),
                grounding=LayerCount(),
                answer=LayerCount(),
            ),
            "failures": (FAILURES[3], FAILURES[0], FAILURES[2]),
            "failures_left_out": 11,
            "comparison": compared.model_copy(
                update={
                    "deltas": {
                        **compared.deltas,
                        "error_rate": Delta(now=0.15, baseline=0, delta=0.15, pairs=80),
                    }
                }
            ),
        }
    )


def cancelled() -> Report:
    """Give a run that was told to stop before it had asked everything."""
    now = passing()
    message = "60 of 80 cases were not asked"
    return now.model_copy(
        update={
            "verdict": "error",
            "reasons": ("cancelled; what was finished is kept",),
            "gates": (
                GateResult(
                    metric="accuracy",
                    rule="min",
                    limit=0.8,
                    value=0.95,
                    outcome="unmeasured",
                    message=f"accuracy was not measured: {message}",
                ),
                *now.gates[:2],
            ),
            "totals": Totals(cases=80, passed=19, failed=1, not_asked=60),
            "layers": _layers(
                service=LayerCount(),
                retrieval=LayerCount(first=1, causes={"retrieval.missed": 1}),
                refusal=LayerCount(),
                grounding=LayerCount(),
                answer=LayerCount(),
            ),
            "failures": FAILURES[:1],
            "comparison": None,
        }
    )


def leaking() -> Report:
    """Give a run in which passages crossed a tenant's wall, whatever the averages."""
    now = passing()
    ids = ("payroll-acorn", "payroll-birch", "bonus-birch", "contract-acorn")
    leaks = tuple(
        FailedCase(
            id=name,
            layer="isolation",
            cause="isolation.leak_context",
            evidence="payroll-b#1 belongs to tenant b",
            also=("refusal.missed",),
            question="What does Birch pay on the 25th?",
            answer="Birch pays salaries on the 25th.",
            retrieved=("payroll-b#1", "payroll-a#4"),
            file="specs/cases/walls.yaml",
            line=7 * place,
        )
        for place, name in enumerate(ids, 1)
    )
    leakage = GateResult(
        metric="leakage",
        rule="red_line",
        limit=0,
        value=4,
        outcome="failed",
        cases=ids,
        message=f"leakage: 4 of 12 cases with walls leaked: {', '.join(ids)}",
    )
    summary = Summary(layer="isolation", better="lower", mean=1 / 3, scored=12)
    return now.model_copy(
        update={
            "verdict": "failed",
            "reasons": (leakage.message,),
            "totals": Totals(cases=80, passed=76, failed=4),
            "summaries": {"leakage": summary, **now.summaries},
            "gates": (leakage, *now.gates),
            "layers": {
                **now.layers,
                "isolation": LayerCount(first=4, causes={"isolation.leak_context": 4}),
                "refusal": LayerCount(also=4),
            },
            "failures": leaks,
        }
    )


def filtered() -> Report:
    """Give a run that asked a part of the cases, with a red line beyond that part."""
    now = passing()
    line = GateResult(
        metric="tag=cross-tenant",
        rule="red_line",
        limit=0,
        value=0,
        line=48,
        outcome="inconclusive",
        message="red line tag=cross-tenant: not selected by the filter (line 48)",
    )
    return now.model_copy(
        update={
            "filters": ("--tag nightly", "--limit 20"),
            "totals": Totals(cases=20, passed=20),
            "gates": (*now.gates, line),
        }
    )


def loosened() -> Report:
    """Give a run that passes by a lower bar than the base commit had."""
    now = passing()
    moved = (
        YardstickChange(
            what="recall@5 min", before="0.85", after="0.8", moved="loosened", line=41
        ),
        YardstickChange(
            what="cases", before="80", after="78, without qa-007, qa-009",
            moved="loosened",
        ),
        YardstickChange(
            what="accuracy min", before="none", after="0.8", moved="tightened", line=52
        ),
    )  # fmt: skip
    gate = GateResult(
        metric="yardstick",
        rule="yardstick",
        limit=0,
        value=2,
        level="warn",
        line=41,
        outcome="failed",
        message="yardstick: this change loosens what judges it: recall@5 min 0.85 -> "
        "0.8; cases 80 -> 78, without qa-007, qa-009",
    )
    return now.model_copy(update={"gates": (*now.gates, gate), "yardstick": moved})


def worse() -> Report:
    """Give a run in which more cases fail than chance makes fail."""
    now, compared = failing(), _comparison()
    regressed = tuple(f"qa-{number:03}" for number in range(9))
    flips = {
        "regressed": regressed,
        "moved": (),
        "worse": 9,
        "better": 1,
        "p": 0.0215,
        "shifts": tuple(
            compared.shifts[0].model_copy(update={"id": name}) for name in regressed
        ),
    }
    return now.model_copy(
        update={
            "filters": (),
            "notices": (),
            "comparison": compared.model_copy(update=flips),
        }
    )


def remembered() -> Report:
    """Give a run that knows how earlier ones went, and which limits they all beat."""
    recall = (0.82, 0.83, 0.83, 0.85, 0.86, 0.86, 0.88, 0.9)
    offers = (
        Tighter(
            metric="recall@5", rule="min", limit=0.75, offered=0.8, line=41, runs=5
        ),
        Tighter(metric="latency", rule="max", limit=3, offered=1.95, line=44, runs=5),
    )
    return passing().model_copy(
        update={
            "trend": {
                "accuracy": (0.95,) * 8,
                "recall@5": recall,
                "latency": (1.2, 1.1, 1.15, 1.02, 1.3, 1.01, 0.98, 1.02),
            },
            "tighter": offers,
        }
    )


def quarantined() -> Report:
    """Give a run in which some cases do not gate, whatever came of them."""
    held = (
        Quarantined(
            id="ticket-sla",
            until=date(2026, 12, 31),
            why="the SLA page is being rewritten, see #812",
            owner="@docs-team",
            outcome="failed",
            layer="retrieval",
            cause="retrieval.missed",
        ),
        Quarantined(
            id="发票-税号", until=date(2026, 12, 7), why="等待新索引", outcome="passed"
        ),
    )
    fails = (
        "ticket-sla is in quarantine until 2026-12-31 and does not gate: it fails "
        "(the SLA page is being rewritten, see #812; @docs-team)"
    )
    passes = (
        "发票-税号 is in quarantine until 2026-12-07 and does not gate: it passes "
        "(等待新索引)"
    )
    ended = "A quarantine has ended, so that its case gates again: qa-031 (2026-11-29)"
    notices = (fails, passes, ended)
    totals = Totals(cases=80, passed=78, quarantined=2)
    return passing().model_copy(
        update={"totals": totals, "quarantine": held, "notices": notices}
    )


def judged() -> Report:
    """Give a run with a model that rates: one metric is calibrated, and one is not."""
    now = passing()
    doubt = "the judge is not calibrated: kappa 0.41 is below 0.6"
    rated = {
        "faithfulness": Summary(
            layer="grounding", better="higher", mean=0.93, scored=66, failed=1
        ),
        "answer_correctness": Summary(
            layer="answer", better="higher", mean=0.72, scored=61
        ),
    }
    gates = (
        GateResult(
            metric="faithfulness", rule="min", limit=0.9, value=0.93, outcome="passed"
        ),
        GateResult(
            metric="answer_correctness",
            rule="min",
            limit=0.8,
            value=0.72,
            level="warn",
            outcome="failed",
            message="answer_correctness is 0.72, below 0.8 (rag.yaml:44) (only a "
            f"warning: {doubt})",
        ),
    )
    account = JudgeAccount(
        model="gpt-4o-mini",
        host="api.openai.com",
        calls=412,
        rated=398,
        stored=120,
        failed=1,
        input_tokens=401_000,
        output_tokens=32_500,
        usd=0.0797,
        weights={
            "faithfulness": Weight(
                decides=True,
                calibrated=True,
                why="kappa 0.78 (0.66 to 0.90), 160 labels",
            ),
            "answer_correctness": Weight(decides=False, calibrated=False, why=doubt),
        },
    )
    notices = (
        "THE JUDGE GAVE NO SCORE: faithfulness in 1 of 67 cases: HTTP 429",
        f"answer_correctness only advises: it turns nothing red or green, as {doubt}",
    )
    return now.model_copy(
        update={
            "summaries": {**now.summaries, **rated},
            "gates": (*now.gates, *gates),
            "judge": account,
            "notices": notices,
        }
    )


def young() -> Report:
    """Give a run with but three before it, of which a comment shows no course."""
    now = remembered()
    last = {name: values[-4:] for name, values in now.trend.items()}
    return now.model_copy(update={"trend": last, "tighter": ()})


def truncated() -> Report:
    """Give a run with more long failing cases than a comment can hold."""
    now = failing()
    long = "A long answer about returns, with `code` and | pipes. " * 3
    cases = tuple(
        now.failures[0].model_copy(
            update={
                "id": f"qa-{number:03}",
                "line": number + 2,
                "question": long,
                "answer": long * 2,
                "evidence": long,
            }
        )
        for number in range(30)
    )
    compared = now.comparison
    assert compared is not None
    flips = {"regressed": tuple(case.id for case in cases), "worse": len(cases)}
    return now.model_copy(
        update={
            "failures": cases,
            "failures_left_out": 50,
            "totals": Totals(cases=400, passed=320, failed=80),
            "comparison": compared.model_copy(update=flips),
        }
    )


def skipped() -> Report:
    """Give a run of a fork, which has no secrets."""
    why = "a pull request from a fork gets no secrets and no variables"
    return Report.model_validate(
        {
            **_ABOUT,
            "name": "helpdesk",
            "verdict": "skipped",
            "reasons": (f"Nothing was evaluated. RAG_TOKEN is missing: {why}.",),
            "totals": Totals(cases=0),
            "duration_s": None,
            "fingerprints": {},
        }
    )
