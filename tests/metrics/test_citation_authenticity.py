import pytest

from runner.metrics import Scripted
from runner.metrics.citation_authenticity import MOST, citation_authenticity
from runner.model import Passage, Unrated, Unscored

PRICE, TERM, OPEN = "价格 299 元。", "7 天退换。", "Open until 6."
CAME = (
    Passage(id="a#1", text=PRICE),
    Passage(id="a#2", text=TERM),
    Passage(id="b", text=OPEN),
)
ALL = f"{PRICE}\n{TERM}"
JUDGE = Scripted(
    citations={
        "It is 299.": [PRICE, ALL],
        "Return it in 7 days.": [TERM, ALL],
        "It is 299. Return it in 7 days.": [PRICE, TERM, ALL],
        "It is blue.": [],
        "它卖 299 元。": [PRICE],
        "可以退。": [TERM],
    }
)


def score(marked, passages=CAME, unmarked=(), judge=JUDGE):
    """Score an answer that is written with its marks: ``It is 299. [a#1]``."""
    answer, marks = "", []
    for part in marked.replace("[", "]").split("]")[::2]:
        answer += part
        if len(marks) < marked.count("["):
            marks.append((len(answer), marked.split("[")[len(marks) + 1].split("]")[0]))
    citations = tuple(dict.fromkeys([*(name for _, name in marks), *unmarked]))
    return citation_authenticity("Q?", answer, passages, citations, tuple(marks), judge)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("It is 299.[a#1]", 1.0, id="behind its sentence"),
        pytest.param("It is 299[a#1].", 1.0, id="within its sentence"),
        pytest.param("It is 299. [a#1]", 1.0, id="behind a space"),
        pytest.param("它卖 299 元。[a#1]可以退。[a#2]", 1.0, id="Chinese"),
        pytest.param("它卖 299 元[a#1]。可以退[a#2]。", 1.0, id="Chinese, within"),
        pytest.param("It is 299.[b]", 0.0, id="another subject"),
        pytest.param("It is blue.[a#1]", 0.0, id="nobody says it"),
        pytest.param("It is 299.[a#1] Return it in 7 days.[a#2]", 1.0, id="both"),
        pytest.param("It is 299.[a#2] Return it in 7 days.[a#1]", 0.0, id="swapped"),
        pytest.param("It is 299.[a#1] Return it in 7 days.[b]", 0.5, id="one of two"),
        pytest.param("It is 299.[a#1][b]", 0.5, id="one says it, one is padding"),
        pytest.param("It is 299.[x]", 0.0, id="not retrieved"),
        pytest.param("It is 299.[a#1][x]", 0.5, id="one is not retrieved"),
        pytest.param("It is 299.[a]", 1.0, id="a document of two passages"),
        pytest.param("[a#1]It is 299.", 1.0, id="before the first sentence"),
        pytest.param("It is 299[a#1][a#1].", 1.0, id="the same twice counts once"),
        pytest.param("It is 299[a#1][a#1][b].", 0.5, id="twice gains nothing"),
    ],
)
def test_share_of_the_citations_whose_passage_says_it(marked, expected):
    assert score(marked) == expected


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        pytest.param(("a#1", "a#2"), 1.0, id="each says a part"),
        pytest.param(("a#1", "b"), 0.5, id="one says nothing of it"),
        pytest.param(("a#1", "x"), 0.5, id="one was not retrieved"),
    ],
)
def test_an_id_without_a_mark_is_cited_for_the_whole_answer(cited, expected):
    assert score("It is 299. Return it in 7 days.", unmarked=cited) == expected


def test_citations_that_were_all_invented_need_no_judge():
    found = score("It is 299.[x][y]", judge=Scripted())

    assert (found, found.evidence) == (0.0, "x was cited and not retrieved")


def test_nothing_retrieved_is_zero():
    assert score("It is 299.[a#1]", passages=(), judge=Scripted()) == 0.0


@pytest.mark.parametrize(
    ("marked", "evidence"),
    [
        ("It is 299.[a#1][b]", "b does not say 'It is 299.'"),
        ("It is 299.[b][x]", "x was cited and not retrieved"),
    ],
)
def test_it_tells_the_first_that_fails(marked, evidence):
    assert score(marked).evidence == evidence


@pytest.mark.parametrize(
    ("marked", "passages", "why"),
    [
        pytest.param("It is 299.", CAME, "cites nothing", id="nothing cited"),
        pytest.param("...[b]", CAME, "has no word", id="no word"),
        pytest.param("It is 299.[c]", (Passage("c"),), "no text", id="no text"),
    ],
)
def test_what_leaves_it_unscored(marked, passages, why):
    found = score(marked, passages)

    assert isinstance(found, Unscored)
    assert why in found.reason


def test_a_passage_without_text_that_is_not_cited_does_no_harm():
    assert score("It is 299.[a#1]", (*CAME, Passage("c"))) == 1.0


def test_of_citations_without_end_the_first_hundred_are_judged():
    said = [f"It is {n}." for n in range(MOST + 50)]
    judge = Scripted(citations={statement: [OPEN] for statement in said[:MOST]})

    assert score(" ".join(f"{each}[b]" for each in said), judge=judge) == 1.0


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no citations of"):
        score("It is 299.[a#1]", judge=Scripted())
