"""Trials of a case become one outcome by a rule; a leak in any of them fails it."""

from itertools import permutations, product
from random import Random

import pytest

from runner.ledger import Entry
from runner.metrics import registry
from runner.model import (
    Absent,
    Case,
    Exchange,
    Failed,
    Finding,
    Measure,
    Response,
    Unscored,
)
from runner.spec import Trials
from runner.trials import merge_trials, numbered, outcome, repeated, summary

REPLY = Response("one", None)
RECALL, LEAKAGE = (Measure(name, registry[name]) for name in ("recall", "leakage"))
LETTERS = {"p": "passed", "f": "failed", "e": "error", "u": "undetermined"}


def words(letters):
    return tuple(LETTERS[letter] for letter in letters)


def entry(position, trial, result="passed", score=1.0, layer=None, has_hit=None):
    exchange = Exchange(position, REPLY, trial=trial)
    return Entry(exchange, [score], Finding(result, layer), has_hit)


@pytest.mark.parametrize(
    ("trials", "all_", "majority", "any_"),
    [
        ("ppp", "passed", "passed", "passed"),
        ("ppf", "failed", "passed", "passed"),
        ("pff", "failed", "failed", "passed"),
        ("fff", "failed", "failed", "failed"),
        ("ppe", "error", "passed", "passed"),
        ("pfe", "failed", "error", "passed"),
        ("ffe", "failed", "failed", "error"),
        ("pue", "error", "error", "passed"),
        ("puu", "undetermined", "undetermined", "passed"),
        ("ffu", "failed", "failed", "undetermined"),
        ("eee", "error", "error", "error"),
        ("ppff", "failed", "failed", "passed"),
        ("pppf", "failed", "passed", "passed"),
    ],
)
def test_the_rule_decides_and_what_is_unknown_only_where_it_matters(
    trials, all_, majority, any_
):
    found = [
        outcome(words(trials), Trials(len(trials), rule))
        for rule in ("all", "majority", "any")
    ]

    assert found == [all_, majority, any_]


def test_a_pass_that_is_sure_stays_whatever_the_unknown_trials_had_been():
    for letters in product("pfeu", repeat=3):
        for rule in ("all", "majority", "any"):
            found = outcome(words(letters), Trials(3, rule))
            known = [
                outcome(words(filled), Trials(3, rule))
                for filled in product(
                    *[letter if letter in "pf" else "pf" for letter in letters]
                )
            ]

            assert (found in ("passed", "failed")) == (len(set(known)) == 1)


def merged(*entries, rule="majority", measure=RECALL):
    return list(merge_trials(entries, Trials(len(entries), rule), [measure]))


def test_scores_are_means_over_the_trials():
    [found] = merged(entry(0, 1, score=1.0), entry(0, 2, score=0.0))

    assert found.scores == [0.5]


@pytest.mark.parametrize(
    ("measure", "scores", "expected"),
    [
        (RECALL, (1.0, Unscored("declined")), 1.0),
        (RECALL, (Unscored("declined"),) * 2, Unscored("declined")),
        (RECALL, (1.0, Failed("ZeroDivisionError")), Failed("ZeroDivisionError")),
        (RECALL, (1.0, Absent("no passages")), Absent("no passages")),
        (RECALL, (Unscored("no reply"), Absent("no ids")), Absent("no ids")),
        (RECALL, (Absent("no ids"), Failed("KeyError")), Failed("KeyError")),
        (LEAKAGE, (0.0, Absent("nothing shown")), Absent("nothing shown")),
        (LEAKAGE, (1.0, Absent("nothing shown")), 1.0),
        (LEAKAGE, (1.0, 0.0, Failed("KeyError")), 0.5),
    ],
)
def test_a_trial_that_lacks_a_score_is_not_hidden_behind_the_others(
    measure, scores, expected
):
    entries = [entry(0, n, score=score) for n, score in enumerate(scores, 1)]

    for order in permutations(entries):
        [found] = merged(*order, measure=measure)

        assert found.scores == [expected]
        assert type(found.scores[0]) is type(expected)


def test_the_first_failing_trial_explains_a_failing_case():
    [found] = merged(
        entry(0, 1), entry(0, 2, "failed", layer="answer"), entry(0, 3), rule="all"
    )

    assert found.exchange.trial == 2
    assert (found.finding.layer, found.finding.trials) == ("answer", words("pfp"))


@pytest.mark.parametrize("rule", ["all", "majority", "any"])
def test_a_leak_in_one_trial_fails_the_case_by_every_rule(rule):
    leak = entry(0, 3, "failed", score=1.0, layer="isolation")

    [found] = merged(entry(0, 1, score=0.0), entry(0, 2, score=0.0), leak, rule=rule)

    assert (found.finding.outcome, found.exchange.trial) == ("failed", 3)
    assert found.scores[0] > 0


@pytest.mark.parametrize("rule", ["all", "majority", "any"])
def test_a_trial_that_leaks_without_a_usable_reply_lets_no_case_pass(rule):
    finding = Finding("error", "service", also=("isolation.leak_context",))
    leak = Entry(Exchange(0, REPLY, trial=3), [1.0], finding)

    [found] = merged(entry(0, 1), entry(0, 2), leak, rule=rule, measure=LEAKAGE)

    assert (found.finding.outcome, found.exchange.trial) == ("error", 3)


def test_trials_come_in_any_order_and_cases_too():
    entries = [
        entry(p, t, "failed" if t == 2 else "passed") for p in (0, 1) for t in (1, 2)
    ]
    for order in permutations(entries):
        found = list(merge_trials(order, Trials(2, "all"), [RECALL]))

        assert sorted(each.exchange.position for each in found) == [0, 1]
        assert {each.finding.trials for each in found} == {words("pf")}


def test_a_case_of_which_a_trial_is_missing_is_not_judged():
    assert list(merge_trials([entry(0, 1)], Trials(2, "any"), [RECALL])) == []


def test_a_single_trial_passes_through():
    one = entry(0, 1)

    assert list(merge_trials([one], Trials(), [RECALL])) == [one]


def test_a_relevant_passage_in_one_trial_is_one():
    [some] = merged(entry(0, 1, has_hit=False), entry(0, 2, has_hit=True))
    [unknown] = merged(entry(0, 1), entry(0, 2))

    assert (some.has_hit, unknown.has_hit) == (True, None)


def test_what_is_tried_is_numbered_by_case_and_trial():
    cases = [Case("a", "A?"), Case("b", "B?")]
    tried = list(repeated(cases, 2))
    answered = (Exchange(n, REPLY) for n in range(len(tried)))

    found = [(each.position, each.trial) for each in numbered(answered, 2)]

    assert [case.id for case in tried] == ["a", "a", "b", "b"]
    assert found == [(0, 1), (0, 2), (1, 1), (1, 2)]


def told(*letters, rule="majority"):
    cases = [Case(f"c{n}", "Why?") for n in range(len(letters))]
    findings = [Finding("passed", trials=words(each)) for each in letters]
    return summary(cases, findings, Trials(len(letters[0]), rule))


def test_flaky_cases_are_named_with_how_many_trials_passed():
    found = told("ppp", "ppf", "pff", "fff", "pfe", "pee")

    assert found.flaky == {"c1": "2 of 3", "c2": "1 of 3", "c4": "1 of 2"}


def test_trials_that_agree_vary_between_cases_only():
    found = told("pp", "ff", "pp", "ff")

    assert (found.within, found.between) == (0.0, pytest.approx(1 / 3))


def test_trials_that_are_coins_vary_within_cases_only():
    rng = Random(4)
    letters = ["".join(rng.choice("pf") for _ in range(5)) for _ in range(2_000)]

    found = told(*letters)

    assert found.within == pytest.approx(0.25, abs=0.01)
    assert found.between == pytest.approx(0.0, abs=0.01)


def test_one_trial_has_no_summary():
    assert summary([Case("a", "A?")], [Finding("passed")], Trials()) is None
