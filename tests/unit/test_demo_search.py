from itertools import product
from string import ascii_lowercase

import pytest

from demo.search import Index, Passage, load


@pytest.fixture(scope="module")
def knowledge():
    return Index(load())


def found(index, question, tenant="a", limit=3, **options):
    hits = index.search(question, tenant, limit, **options)
    return [hit.passage.id for hit in hits]


FIRST = {
    "English": ("How long is a coupon valid?", "coupons#2"),
    "other ending": ("Our webhook keeps failing", "api#3"),
    "Chinese": ("优惠券的有效期是多久？", "youhui#2"),
    "mixed scripts": ("超出的空间每GB多少钱？", "taocan#2"),
}


@pytest.mark.parametrize(("question", "first"), FIRST.values(), ids=FIRST.keys())
def test_the_right_passage_comes_first(knowledge, question, first):
    assert found(knowledge, question)[0] == first


def test_scores_fall():
    index = Index(
        [
            Passage("x#1", "Prices", "A seat costs money.", "public"),
            Passage("x#2", "Seats", "A seat is a chair.", "public"),
            Passage("x#3", "Chairs", "Nothing here.", "public"),
        ]
    )
    hits = index.search("seat", None, 9)

    assert [hit.passage.id for hit in hits] == ["x#2", "x#1"]
    assert hits[0].score > hits[1].score


def test_ties_keep_the_order_of_the_file():
    twins = [Passage(f"x#{n}", "Same", "the same words", "public") for n in (2, 1)]

    assert found(Index(twins), "words") == ["x#2", "x#1"]


WALLS = {
    "tenant a": ("a", "hr-a#1"),
    "tenant b": ("b", "hr-b#1"),
}


@pytest.mark.parametrize(("tenant", "first"), WALLS.values(), ids=WALLS.keys())
def test_each_tenant_finds_its_own_policy(knowledge, tenant, first):
    assert found(knowledge, "annual leave", tenant)[0] == first


@pytest.mark.parametrize("tenant", ["a", "b", None, "nobody", "public"])
def test_nothing_crosses_the_wall(knowledge, tenant):
    hits = knowledge.search("annual leave contract discount 公司 差旅", tenant, 50)

    assert {hit.passage.tenant for hit in hits} <= {tenant, "public"}


def test_what_is_behind_the_wall_takes_no_place_in_the_list():
    others = [Passage(f"b#{n}", "Leave", "annual leave", "b") for n in range(20)]
    own = Passage("a#1", "Other", "leave", "a")

    assert found(Index([*others, own]), "annual leave", "a", limit=1) == ["a#1"]


def test_without_walls_everything_is_found(knowledge):
    assert set(found(knowledge, "annual leave", walls=False)) >= {"hr-a#1", "hr-b#1"}


@pytest.mark.parametrize("question", ["", "What is this?", "!?", '" OR * NEAR('])
def test_odd_questions_are_words_and_never_syntax(knowledge, question):
    assert found(knowledge, question) == []


def test_a_question_of_hundreds_of_words_is_searched(knowledge):
    words = " ".join(f"zz{one}{two}" for one, two in product(ascii_lowercase, repeat=2))

    assert found(knowledge, f"{words} webhook") == ["api#3"]


def test_rare_terms_count_more(knowledge):
    rare = knowledge.coverage("webhook days", "a webhook")
    common = knowledge.coverage("webhook days", "some days")

    assert rare > 0.5 > common


def test_coverage_of_nothing_is_nothing(knowledge):
    assert knowledge.coverage("What is this?", "a webhook") == 0


def test_ids_are_unique_and_name_their_document():
    passages = load()
    ids = [passage.id for passage in passages]

    assert len(set(ids)) == len(ids)
    assert all(passage.document + "#" in passage.id for passage in passages)
    assert {passage.tenant for passage in passages} == {"a", "b", "public"}
