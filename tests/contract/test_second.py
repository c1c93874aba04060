"""Every metric against a second implementation, on generated cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.metrics import registry
from runner.metrics._ranking import rank
from runner.model import Passage, Unscored
from tests.contract import _second as second

WORDS = "refund refunds within days item items opened the is not 30 45 1000 tea"
SIGNS = "退货 可退货 当天 开封商品 商品 的 会员 免费配送"
BOTH = (*WORDS.split(), *SIGNS.split())

ids = st.sampled_from(["a", "a#1", "a#2", "b#1", "b#2", "c", "手册#1"])
lists = st.lists(ids, max_size=8)
grades = st.dictionaries(
    st.sampled_from(["a", "a#1", "a#2", "b", "b#1", "c", "手册", "手册#1"]),
    st.integers(0, 3),
    min_size=1,
    max_size=5,
).filter(lambda judged: any(judged.values()))
matches = st.sampled_from(["chunk", "document"])
cutoffs = st.one_of(st.none(), st.integers(1, 12))
sentence = (
    st.lists(st.sampled_from(BOTH), max_size=9)
    .map(" ".join)
    .filter(
        lambda said: not said[:1].isdecimal()  # at its start a number may be an ordinal
    )
)
texts = st.lists(sentence, max_size=3).map(". ".join)
passages = st.lists(texts, max_size=4)
phrases = st.one_of(
    st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=3).map(" ".join),
    st.sampled_from(SIGNS.split()),
)
points = st.lists(
    st.lists(phrases, min_size=1, max_size=2).map(tuple), min_size=1, max_size=3
).map(tuple)
widely = settings(deadline=None, max_examples=150)


def same(name, expected, *inputs, **options):
    found = registry[name].function(*inputs, **options)
    if expected is None:
        assert isinstance(found, Unscored)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


def read(*written):
    return tuple(Passage(id=f"d#{n}", text=text) for n, text in enumerate(written))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall", second.recall),
        ("precision", second.precision),
        ("hit_rate", second.hit_rate),
        ("mrr", second.mrr),
        ("map", second.average_precision),
        ("ndcg", second.ndcg),
    ],
)
@widely
@given(found=lists, judged=grades, match=matches, k=cutoffs)
def test_ranks(name, expected, found, judged, match, k):
    ranking = rank(map(Passage, found), judged, match)

    same(name, expected(found, judged, match, k), ranking, k=k)


@widely
@given(found=st.lists(st.tuples(ids, texts), max_size=6), judged=grades, match=matches)
def test_contexts(found, judged, match):
    given_ = tuple(Passage(id=name, text=text) for name, text in found)
    ranking = rank(given_, judged, match)
    names = [name for name, _ in found]
    share = second.context_efficiency(found, judged, match)

    same("context_relevance", second.context_relevance(names, judged, match), ranking)
    same("context_efficiency", share if found else 0, given_, ranking)


@widely
@given(cited=st.lists(ids, min_size=1, max_size=4), found=lists)
def test_citations(cited, found):
    expected = second.citation_validity(cited, found)

    same("citation_validity", expected, tuple(cited), tuple(map(Passage, found)))


@widely
@given(answer=texts, found=passages, wanted=points)
def test_points(answer, found, wanted):
    flat = tuple(spelling for point in wanted for spelling in point)
    grounded = second.key_point_grounding(answer, found, wanted)

    same("key_points", second.key_points(answer, wanted), answer, wanted)
    same("forbidden_content", second.forbidden_content(answer, flat), answer, flat)
    same("key_point_grounding", grounded, answer, read(*found), wanted)


@widely
@given(answer=texts, found=passages, question=sentence)
def test_grounding(answer, found, question):
    given_ = read(*found)
    numbers = second.number_support(answer, found, question)
    lexical = second.lexical_grounding(answer, found, question)

    same("number_support", numbers, answer, given_, question)
    same("token_support", second.token_support(answer, found), answer, given_)
    same("lexical_grounding", lexical, answer, given_, question)


@widely
@given(
    answer=st.lists(st.sampled_from(BOTH), max_size=9, unique=True),
    reference=st.lists(st.sampled_from(BOTH), max_size=9, unique=True),
)
def test_similarity(answer, reference):
    ours, theirs = " ".join(answer), " ".join(reference)

    same("answer_similarity", second.answer_similarity(ours, theirs), ours, theirs)


@pytest.mark.parametrize("declined", [True, False])
@pytest.mark.parametrize("should", [True, False])
def test_declining(declined, should):
    same("refusal", float(declined) if should else None, declined, should)
    same("over_refusal", None if should else float(declined), declined, should)
