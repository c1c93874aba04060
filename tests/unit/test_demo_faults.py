import json
import re

import pytest

from demo.faults import NAMES, QUALITY, garbage, http_500, listing, strikes
from demo.pipeline import REFUSAL, Ask, Pipeline
from demo.search import Index, load

LEAVE = Ask("How many days of annual leave do I get a year?", "a", 8)
UNKNOWN = Ask("Do you sell gift cards?", "a", 8)
UNHEARD = Ask("How do I connect Salesforce?", "a", 8)
KEYS = Ask("How many API keys can a workspace hold, and when do they expire?", "b", 8)
CHINESE = Ask("优惠券有效期是多久？", "b", 8)


@pytest.fixture(scope="module")
def pipeline():
    return Pipeline(Index(load()))


@pytest.fixture
def spoil(pipeline):
    def spoiled(fault, ask, seed=0):
        return QUALITY[fault](pipeline, pipeline.answer(ask), seed)

    return spoiled


def ids(draft):
    return [hit.passage.id for hit in draft.found]


def numbers(text):
    return set(re.findall(r"[0-9]+", text))


def test_drop_gold_loses_the_source_and_keeps_its_sibling(spoil):
    draft = spoil("drop-gold", LEAVE)

    assert ("hr-a#1" in ids(draft), "hr-a#2" in ids(draft)) == (False, True)
    assert "22 days" not in draft.answer


def test_bury_ranks_the_source_below_three(spoil):
    draft = spoil("bury", LEAVE)

    assert (ids(draft)[3], draft.refused) == ("hr-a#1", True)


def test_bury_keeps_to_top_k(spoil):
    assert len(spoil("bury", LEAVE._replace(top_k=4)).found) == 4


def test_noise_drowns_the_source_at_rank_three(spoil):
    draft = spoil("noise", LEAVE)

    assert (ids(draft)[2], len(draft.found), draft.refused) == ("hr-a#1", 16, True)


@pytest.mark.parametrize("fault", ["bury", "noise"])
def test_strangers_depend_on_the_seed_alone(spoil, fault):
    first, again, other = (ids(spoil(fault, LEAVE, seed)) for seed in (1, 1, 2))

    assert (first == again, first == other) == (True, False)


@pytest.mark.parametrize("fault", sorted(set(QUALITY) - {"leak"}))
def test_only_a_leak_crosses_the_wall(spoil, fault):
    draft = spoil(fault, LEAVE)

    assert {hit.passage.tenant for hit in draft.found} <= {"a", "public"}


@pytest.mark.parametrize("ask", [LEAVE, KEYS, CHINESE])
def test_a_wrong_number_stands_nowhere(spoil, ask):
    draft = spoil("wrong-number", ask)
    read = " ".join([ask.question, *(hit.passage.text for hit in draft.found)])

    assert numbers(draft.answer)
    assert not numbers(draft.answer) & numbers(read)


OMISSIONS = {
    "the last of two sentences": (
        KEYS,
        "An API key expires 180 days after it was made.",
    ),
    "half of the only one": (LEAVE, "Acorn employees get 22"),
    "half of a Chinese one": (CHINESE, "中国区优惠券自发"),
}


@pytest.mark.parametrize(("ask", "left"), OMISSIONS.values(), ids=OMISSIONS.keys())
def test_an_omission_breaks_the_answer_off(spoil, ask, left):
    assert spoil("omit", ask).answer == left


def test_over_refuse_declines_what_it_found(spoil):
    draft = spoil("over-refuse", LEAVE)

    assert (draft.answer, draft.refused, ids(draft)[0]) == (REFUSAL, True, "hr-a#1")


@pytest.mark.parametrize("ask", [UNKNOWN, UNHEARD])
def test_never_refuse_answers_what_nobody_knows(spoil, ask):
    draft = spoil("never-refuse", ask)

    assert (draft.refused, draft.answer not in ("", REFUSAL)) == (False, True)


def test_leak_shows_the_other_tenant(spoil):
    assert "hr-b#1" in ids(spoil("leak", LEAVE))


def test_a_fake_citation_was_not_retrieved(spoil):
    draft = spoil("fake-citation", LEAVE)

    assert draft.sources
    assert not set(draft.sources) & set(ids(draft))


@pytest.mark.parametrize(
    "fault", ["drop-gold", "wrong-number", "omit", "over-refuse", "fake-citation"]
)
def test_a_refusal_has_nothing_to_spoil(pipeline, spoil, fault):
    assert spoil(fault, UNKNOWN) == pipeline.answer(UNKNOWN)


def test_the_service_breaks_down():
    assert http_500(200, b"{}")[0] == 500


def test_garbage_is_no_json():
    status, body = garbage(200, json.dumps({"answer": "yes"}).encode())
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)

    assert status == 200


def test_a_fault_of_the_service_meets_a_share_of_the_questions():
    asks = [Ask(f"question {number}") for number in range(1000)]
    struck = [strikes(ask, seed=3) for ask in asks]

    assert 150 < sum(struck) < 250
    assert struck == [strikes(ask, seed=3) for ask in asks]


def test_half_a_character_strikes_nobody_down():
    assert strikes(Ask("\ud800"), seed=0) in (True, False)


def test_every_fault_has_a_name():
    assert NAMES == (
        "drop-gold", "bury", "noise", "wrong-number", "omit", "over-refuse",
        "never-refuse", "leak", "fake-citation", "slow", "http-500", "garbage",
    )  # fmt: skip


def test_every_fault_is_listed_with_what_it_does():
    lines = listing().splitlines()

    assert [line.split()[0] for line in lines] == [*NAMES]
    assert "  bury            Ranking puts strangers on top, beyond which" in lines[1]
