import pytest

from demo.pipeline import REFUSAL, REFUSAL_CHINESE, WINDOW, Ask, Pipeline
from demo.search import Hit, Index, Passage, load


@pytest.fixture(scope="module")
def pipeline():
    return Pipeline(Index(load()))


ANSWERS = {
    "one sentence": (
        "How long does the download link of an export work?",
        "Its download link works for 7 days.",
    ),
    "two sentences": (
        "How many API keys can a workspace hold, and when do they expire?",
        (
            "An API key expires 180 days after it was made. "
            "A workspace can hold 20 keys at the same time."
        ),
    ),
    "Chinese": ("专业版每席位每月多少钱？", "专业版每席位每月269元。"),
    "Chinese sentences join without a space": (
        "每月赠送多少条短信，超出后每条多少钱？",
        "专业版每月赠送1000条短信。超出后每条0.06元，余量不结转到下月。",
    ),
}


@pytest.mark.parametrize(("question", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_answers_are_the_sentences_that_fit(pipeline, question, answer):
    assert pipeline.answer(Ask(question, "a")).answer == answer


def test_the_answer_cites_its_passage(pipeline):
    draft = pipeline.answer(Ask("How long is a coupon valid?", "a"))

    assert draft.sources == ("coupons#2",)


REFUSALS = {
    "English": ("Do you sell gift cards?", REFUSAL),
    "Chinese": ("公司食堂几点开门？", REFUSAL_CHINESE),
    "nothing found": ("How do I connect Salesforce?", REFUSAL),
    "the other tenant's": ("How big is the bonus pool at Birch?", REFUSAL),
}


@pytest.mark.parametrize(("question", "words"), REFUSALS.values(), ids=REFUSALS.keys())
def test_declines_in_the_language_of_the_question(pipeline, question, words):
    draft = pipeline.answer(Ask(question, "a"))

    assert (draft.answer, draft.refused, draft.sources) == (words, True, ())


def test_the_same_question_has_another_answer_for_another_tenant(pipeline):
    asks = [Ask("How many days of annual leave do I get?", tenant) for tenant in "ab"]
    answers = [pipeline.answer(ask).answer for ask in asks]

    assert ["22 days" in answers[0], "27 days" in answers[1]] == [True, True]


def test_what_scores_far_below_the_best_is_cut(pipeline):
    ask = Ask("How many requests per minute does the API allow?", "a", 8)

    assert [hit.passage.id for hit in pipeline.retrieve(ask)] == ["api#1"]


def test_no_more_than_top_k_come(pipeline):
    ask = Ask("What is the price of the Enterprise plan?", "a", 2)

    assert len(pipeline.retrieve(ask)) == 2


def test_the_reader_looks_no_further_than_its_window(pipeline):
    ask = Ask("How long is a coupon valid?", "a")
    gold = pipeline.retrieve(ask)[:1]
    other = [Hit(Passage(f"x#{n}", "Tea", "Tea is hot.", "a"), 1.0) for n in range(9)]
    within = pipeline.read(ask, [*other[: WINDOW - 1], *gold])
    beyond = pipeline.read(ask, [*other[:WINDOW], *gold])

    assert [within.refused, beyond.refused] == [False, True]


def test_the_reply_is_what_the_service_promises(pipeline):
    reply = pipeline.answer(Ask("How big may an attachment be?", "a", 1)).reply()
    score = reply["contexts"][0].pop("score")

    assert score > 0
    assert reply == {
        "answer": "An attachment may have up to 25 MB.",
        "contexts": [
            {
                "id": "limits#1",
                "text": "An attachment may have up to 25 MB. "
                "A ticket holds 40 attachments at most.",
                "document": "limits",
                "tenant": "public",
            }
        ],
        "citations": ["limits#1"],
        "refused": False,
        "usage": {"input_tokens": 13, "output_tokens": 5},
    }
