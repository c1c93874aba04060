"""The rank metrics on trec_eval's own test set: each of its printed figures."""

from collections import defaultdict
from statistics import fmean

import pytest

from runner.metrics import registry
from runner.metrics._ranking import rank
from runner.model import Passage
from runner.spec import bind

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
CUT = {"precision": "P", "recall": "recall", "ndcg": "ndcg_cut", "map": "map_cut"}
TREC = {f"{ours}@{k}": f"{its}_{k}" for ours, its in CUT.items() for k in CUTOFFS}
TREC |= {"mrr": "recip_rank", "map": "map", "ndcg": "ndcg", "precision": "set_P"}


@pytest.fixture(scope="module")
def rankings(shared):
    qrels, found = defaultdict(dict), defaultdict(list)
    folder = shared / "data/trec"
    for line in (folder / "trec_eval_qrels.test").read_text().splitlines():
        topic, _, document, grade = line.split()
        qrels[topic][document] = int(grade)
    for line in (folder / "trec_eval_results.test").read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        found[topic].append((float(score), document))
    return {
        topic: rank(
            (Passage(id=name) for _, name in sorted(rows, reverse=True)), judged
        )
        for topic, rows in found.items()
        if (judged := qrels[topic])
    }


@pytest.fixture(scope="module")
def printed(shared):
    file = shared / "data/trec/trec_eval_expected_all_trec_q.txt"
    rows = (line.split("\t") for line in file.read_text().splitlines())
    return {(name.strip(), topic): value for name, topic, value in rows}


@pytest.mark.parametrize(("label", "its"), TREC.items())
def test_every_topic_and_the_mean_have_the_printed_digits(
    label, its, rankings, printed
):
    measure = bind(label, registry)
    score = measure.metric.function
    ours = {t: score(r, **measure.options) for t, r in rankings.items()}
    ours["all"] = fmean(ours.values())

    found = {topic: f"{value:.4f}" for topic, value in ours.items()}

    assert found == {topic: printed[its, topic] for topic in ours}


def test_all_topics_are_there(rankings):
    assert sorted(rankings) == ["301", "302", "303"]
