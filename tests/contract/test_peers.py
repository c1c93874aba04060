"""What other tools' own tests expect, and where our definitions differ from theirs.

They agree on everything but three definitions of AutoRAG, whose expected ids come in
groups (any one id of a group satisfies it):

- its recall and F1 count groups; ours counts ids, so both agree where each group has
  one id. F1 we do not have, as it hides which of its two halves fell.
- its mrr and map average over the groups, and its average precision divides by the
  relevant ids that were found; ours judges the list as a whole, over all relevant ids,
  as trec_eval does.
- its ndcg cuts the ideal at the length of the list: ``ndcg@k`` with k of that length.
"""

import json
from collections import Counter

import pytest

from runner.cases import Row, load
from runner.errors import Place, Problems
from runner.metrics import registry
from runner.metrics._ranking import rank
from runner.model import Passage

OURS = {"ap": "map", "rr": "mrr", "hit": "hit_rate"}


def vectors(shared):
    lines = (shared / "data/trec/peer_vectors.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def expected_ids(vector):
    groups = vector.get("expected_groups")
    if groups is not None:
        return {name: 1 for group in groups for name in group}
    return vector.get("graded") or dict.fromkeys(vector["expected"], 1)


def difference(vector):
    """Say why a vector is not to be compared, or nothing."""
    groups, metric = vector.get("expected_groups", []), vector["metric"]
    if vector["value"] is None:
        return "no labels"
    if metric == "f1":
        return "no such metric"
    if metric in {"mrr", "map"} and len(groups) > 1:
        return "averages over groups"
    if metric in {"recall", "map"} and any(len(group) > 1 for group in groups):
        return "any id of a group satisfies it"
    return None


def our_value(vector):
    name = OURS.get(vector["metric"], vector["metric"])
    cut_at_length = vector["peer"] == "AutoRAG" and name == "ndcg"
    options = {"k": len(vector["retrieved"])} if cut_at_length else {}
    ranking = rank(map(Passage, vector["retrieved"]), expected_ids(vector))
    return registry[name].function(ranking, **options)


def test_where_the_definitions_agree_so_do_the_values(shared):
    compared = [v for v in vectors(shared) if difference(v) is None]

    ours = [our_value(vector) for vector in compared]

    theirs = [pytest.approx(v["value"], abs=v.get("tolerance", 1e-9)) for v in compared]
    assert ours == theirs


def test_every_vector_is_compared_or_has_a_reason(shared):
    reasons = Counter((v["peer"], difference(v)) for v in vectors(shared))

    assert reasons == {
        ("AutoRAG", None): 20,
        ("AutoRAG", "no such metric"): 6,
        ("AutoRAG", "no labels"): 12,
        ("AutoRAG", "averages over groups"): 6,
        ("AutoRAG", "any id of a group satisfies it"): 4,
        ("Haystack", None): 3,
        ("LlamaIndex", None): 24,
    }


def test_without_labels_there_is_nothing_to_rank_against(shared):
    unlabelled = [v for v in vectors(shared) if v.get("expected_groups") == [[]]]

    ideals = [rank(map(Passage, v["retrieved"]), expected_ids(v)) for v in unlabelled]

    assert {ranking.ideal for ranking in ideals} == {()}


def test_an_empty_id_is_refused_before_it_can_be_missed():
    row = Row({"question": "?", "expected_doc_ids": [""]}, Place("cases.jsonl", 1))

    with pytest.raises(Problems, match="expected_doc_ids"):
        load([row])
