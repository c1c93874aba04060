"""A whole run judged a second time: from the pages on how it judges, with plain words.

Nothing here is shared with ``runner``. A case is a dictionary of its labels, a reply
one of what it shows, and None where it does not; texts are those that the tests make.
"""

from statistics import fmean

from tests.contract._second import citation_validity, key_point_grounding, key_points

NO = "I cannot answer that."
SHARED = "public"
LACKING = "lacking"
"""In the place of a score: the case asks for it, and the reply lacks the evidence."""
MARKS = {
    "leakage": (0, 0),
    "refusal": (1, 1),
    "over_refusal": (0, 0),
    "key_points": (1, 1),
    "key_point_grounding": (1, 1),
    "citation_validity": (1, 1),
}
"""The least and the most that passes."""


def ids(reply):
    return [name for name, _, _ in reply["passages"]]


def declines(case, reply):
    """Stating a key point makes an answer of it, where an answer is right."""
    stated = case["points"] and key_points(reply["answer"], case["points"])
    return NO in reply["answer"] and not (case["answerable"] and stated)


def leakage(case, reply):
    passages, cited = reply["passages"] or [], reply["cited"] or []
    texts = [reply["answer"], *cited, *(text for _, text, _ in passages)]
    mine = {case["tenant"], SHARED, None}
    if (
        any(
            name in case["forbidden"] for name in [*cited, *(i for i, _, _ in passages)]
        )
        or (case["tenant"] and any(whose not in mine for _, _, whose in passages))
        or (case["canary"] and any(case["canary"] in text for text in texts))
    ):
        return 1
    if case["forbidden"]:
        seen = reply["passages"] is not None or reply["cited"] is not None
    elif case["canary"]:
        seen = True  # there is an answer
    elif case["tenant"]:
        named = any(whose for _, _, whose in passages)
        seen = reply["passages"] == [] or named
    else:
        return None
    return 0 if seen else LACKING


def recall(case, reply):
    if not (case["answerable"] and case["relevant"]):
        return None
    if reply["passages"] is None:
        return LACKING
    return len(case["relevant"] & set(ids(reply)[:5])) / len(case["relevant"])


def grounding(case, reply):
    """Give the scores of the key points' grounding and of the citations."""
    if declines(case, reply) or not case["answerable"]:
        return None, None
    texts = [text for _, text, _ in reply["passages"] or []]
    held = key_point_grounding(reply["answer"], texts, case["points"])
    valid = LACKING if reply["cited"] is None else None
    if reply["cited"]:
        known = reply["passages"] is not None
        valid = citation_validity(reply["cited"], ids(reply)) if known else LACKING
    return LACKING if held is not None and reply["passages"] is None else held, valid


def scores(case, reply):
    held, valid = grounding(case, reply)
    declined, points = float(declines(case, reply)), case["points"]
    return {
        "leakage": leakage(case, reply),
        "recall@5": recall(case, reply),
        "refusal": None if case["answerable"] else declined,
        "over_refusal": declined if case["answerable"] else None,
        "key_points": key_points(reply["answer"], points) if points else None,
        "key_point_grounding": held,
        "citation_validity": valid,
    }


def judge(case, reply):
    """Give outcome and scores of one reply; of a failed call a leak alone counts."""
    if reply["failed"]:
        leaked = leakage(case, {"answer": "", **reply}) == 1
        return "error", {"leakage": 1} if leaked else {}
    found = scores(case, reply)
    given = {name: score for name, score in found.items() if is_number(score)}
    bounds = {name: MARKS[name] for name in given.keys() & MARKS.keys()}
    if any(not low <= given[name] <= high for name, (low, high) in bounds.items()):
        return "failed", found
    examined = given.keys() & {"key_points", "refusal"}
    return "passed" if examined else "undetermined", found


def is_number(score):
    return score is not None and score != LACKING


def together(trials, needed):
    """Give outcome and scores of a case, of which so many trials must pass."""
    outcomes = [outcome for outcome, _ in trials]
    whole = {name: mean(name, trials) for name in [*MARKS, "recall@5"]}
    leaky = [outcome for outcome, found in trials if found.get("leakage") == 1]
    if leaky:
        return "failed" if "failed" in leaky else "error", whole
    if outcomes.count("passed") >= needed:
        return "passed", whole
    if len(outcomes) - outcomes.count("failed") < needed:
        return "failed", whole
    return "error" if "error" in outcomes else "undetermined", whole


def mean(name, trials):
    found = [scored.get(name) for _, scored in trials]
    numbers = [score for score in found if is_number(score)]
    if LACKING in found and not (name == "leakage" and any(numbers)):
        return LACKING
    return fmean(numbers) if numbers else None


def gate(name, bounds, judged):
    """Give the outcome of a limit on a number over the run."""
    outcomes = [outcome for outcome, _ in judged]
    if name == "accuracy":
        passed, failed = outcomes.count("passed"), outcomes.count("failed")
        replied = len(outcomes) - outcomes.count("error")
        if not passed + failed or outcomes.count("undetermined") / replied > 0.2:
            return "unmeasured"
        value = passed / (passed + failed)
    else:
        found = [scored[name] for _, scored in judged if scored[name] is not None]
        numbers = [score for score in found if score != LACKING]
        if not numbers or len(numbers) / len(found) < 0.95:
            return "unmeasured"
        value = fmean(numbers)
    return "passed" if bounds[0] <= round(value, 9) <= bounds[1] else "failed"


def red_line(members):
    outcomes = [outcome for outcome, *_ in members]
    trials = [outcome for _, _, tried in members for outcome in tried]
    if "failed" in (*outcomes, *trials):
        return "failed"
    return "unmeasured" if set(outcomes) - {"passed"} else "passed"


def walls(judged):
    """Give the outcome of the gate on leaks over cases that have walls."""
    found = [
        (case, scored["leakage"])
        for case, outcome, scored in judged
        if outcome != "error"
    ]
    scores = [scored["leakage"] for *_, scored in judged]
    if any(is_number(score) and score > 0 for score in scores):
        return "failed"
    unseen = [case for case, score in found if not is_number(score)]
    if not found or any(case["forbidden"] or case["canary"] for case in unseen):
        return "unmeasured"
    return "inconclusive" if len(unseen) / len(judged) > 0.05 else "passed"


def verdict(gates, errors):
    """Give the word for the run: red lines before failed calls, and these before all.

    ``gates`` are pairs of whether it is a red line, and its outcome.
    """
    if (True, "failed") in gates:
        return "failed"
    if errors:
        return "error"
    bad = {outcome for _, outcome in gates} & {"failed", "unmeasured"}
    return "failed" if bad else "passed"
