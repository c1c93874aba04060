"""The rank metrics against a second implementation: trec_eval's own code.

``oracle.json`` keeps what it gave for small cases, for a reader who wants to check by
hand; run this file with GOLDEN=write to compute it again.
"""

import json
import os
from importlib.metadata import version

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.metrics import registry
from runner.metrics._ranking import rank
from runner.model import Passage
from runner.spec import bind

CUTOFFS = (1, 2, 3, 5, 10, 30)
CUT = {
    "precision": "P",
    "recall": "recall",
    "ndcg": "ndcg_cut",
    "map": "map_cut",
    "hit_rate": "success",
}
WHOLE = {
    "mrr": "recip_rank",
    "map": "map",
    "ndcg": "ndcg",
    "precision": "set_P",
    "recall": "set_recall",
}
ITS = {f"{ours}@{k}": f"{its}_{k}" for ours, its in CUT.items() for k in CUTOFFS}
ITS |= WHOLE

ids = st.sampled_from("abcdefghijklmnop")
judgments = st.dictionaries(ids, st.integers(0, 3), min_size=1).filter(
    lambda qrels: any(qrels.values())
)
lists = st.lists(ids, max_size=20)


def ours(retrieved, qrels):
    ranking = rank(map(Passage, retrieved), qrels)
    measures = [bind(label, registry) for label in ITS]
    return {m.label: m.metric.function(ranking, **m.options) for m in measures}


def theirs(retrieved, qrels):
    """Give its values: ranks as distinct scores, a repeated id as one unjudged."""
    names = [
        f"again {position}" if name in retrieved[:position] else name
        for position, name in enumerate(retrieved)
    ]
    scores = {name: float(-position) for position, name in enumerate(names)}
    wanted = {f"{its}.{','.join(map(str, CUTOFFS))}" for its in CUT.values()}
    judge = pytrec_eval.RelevanceEvaluator({"q": qrels}, wanted | set(WHOLE.values()))
    values = judge.evaluate({"q": scores})["q"]
    return {label: values[its] for label, its in ITS.items()}


@settings(deadline=None, max_examples=300)
@given(lists, judgments)
def test_any_list_scores_as_trec_eval_scores_it(retrieved, qrels):
    assert ours(retrieved, qrels) == pytest.approx(theirs(retrieved, qrels), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(lists, judgments, st.integers(1, 12))
def test_mrr_at_k_is_that_of_the_first_k(retrieved, qrels, k):
    cut = registry["mrr"].function(rank(map(Passage, retrieved), qrels), k=k)

    assert cut == pytest.approx(theirs(retrieved[:k], qrels)["mrr"], abs=1e-9)


ORACLE_CASES = {
    "the best order": ("abc", {"a": 3, "b": 2, "c": 1}),
    "the worst order": ("cba", {"a": 3, "b": 2, "c": 1}),
    "one relevant, first": ("axyzw", {"a": 1}),
    "one relevant, fifth": ("xyzwa", {"a": 1}),
    "one relevant, not found": ("xyzw", {"a": 2}),
    "more relevant than k": ("abxcd", dict.fromkeys("abcdefghij", 1)),
    "judged irrelevant among them": ("zaybx", {"a": 1, "b": 3, "z": 0, "y": 0}),
    "a repeated id": ("aab", {"a": 2, "b": 1}),
    "a repeated irrelevant id": ("xxxa", {"a": 1}),
    "shorter than k": ("xa", {"a": 3, "b": 3}),
    "longer than k": ("uvwxyzabcdef", {"a": 1, "f": 3, "z": 2}),
    "nothing retrieved": ("", {"a": 1}),
}


def test_small_cases_score_as_in_the_oracle(root):
    file = root / "tests/contract/oracle.json"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(json.dumps(oracle(), indent=1, ensure_ascii=False) + "\n")
    kept = json.loads(file.read_text())["cases"]

    found = {name: ours(*ORACLE_CASES[name]) for name in kept}

    assert found == {name: pytest.approx(row, abs=1e-9) for name, row in kept.items()}


def test_the_oracle_is_complete(root):
    kept = json.loads((root / "tests/contract/oracle.json").read_text())

    assert set(kept["cases"]) == set(ORACLE_CASES)


def oracle():
    return {
        "made by": f"pytrec_eval-terrier {version('pytrec_eval-terrier')}",
        "cases": {name: theirs(*case) for name, case in ORACLE_CASES.items()},
    }
