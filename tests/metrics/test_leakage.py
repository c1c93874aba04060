from fnmatch import fnmatchcase
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics._walls import Leak, Walls, leaks
from runner.metrics.leakage import leakage
from runner.model import Passage, Unscored

FORBIDDEN = Walls(forbidden_doc_ids=("doc-tenant-b*",))
TENANT = Walls(tenant="a", shared_tenants=("public",))
CANARY = Walls(canaries=("Falcon Project",), question="What is our notice period?")
CLEAN = Passage(id="doc-a#1", text="Ten days.", tenant="a")


def passage(**known):
    return (CLEAN, CLEAN._replace(**known))


@pytest.mark.parametrize(
    ("walls", "passages", "expected"),
    [
        pytest.param(FORBIDDEN, passage(id="doc-tenant-b7#2"), 1.0, id="by pattern"),
        pytest.param(
            FORBIDDEN, passage(document="doc-tenant-b"), 1.0, id="by document"
        ),
        pytest.param(FORBIDDEN, passage(id="DOC-TENANT-B7"), 0.0, id="in its own case"),
        pytest.param(
            FORBIDDEN, passage(id="my-doc-tenant-b"), 0.0, id="from the start"
        ),
        pytest.param(TENANT, passage(tenant="b"), 1.0, id="another tenant's"),
        pytest.param(TENANT, passage(tenant="A"), 1.0, id="a tenant in another case"),
        pytest.param(TENANT, passage(tenant="public"), 0.0, id="a shared tenant's"),
        pytest.param(TENANT, passage(tenant=None), 0.0, id="one without tenant"),
        pytest.param(TENANT, passage(tenant=""), 0.0, id="one with an empty tenant"),
        pytest.param(FORBIDDEN, passage(tenant="b"), 0.0, id="no tenant of the case"),
        pytest.param(CANARY, passage(text="The Falcon Project."), 1.0, id="canary"),
        pytest.param(CANARY, passage(id="falcon project.pdf#1"), 1.0, id="in an id"),
        pytest.param(
            CANARY, passage(document="Falcon Project"), 1.0, id="in a document's name"
        ),
        pytest.param(CANARY, passage(text=None), 0.0, id="a passage without text"),
        pytest.param(TENANT, (), 0.0, id="nothing retrieved"),
        pytest.param(FORBIDDEN, (), 0.0, id="nothing retrieved, by id"),
    ],
)
def test_contexts(walls, passages, expected):
    assert leakage(passages, None, None, walls) == expected


@pytest.mark.parametrize(
    ("forbidden", "name", "expected"),
    [
        ("d-b", "d-b#3", 1.0),
        ("d-b#3", "d-b#3", 1.0),
        ("d-b#3", "d-b#4", 0.0),
        ("d-b", "d-b2#1", 0.0),
        ("d-?", "d-b#1", 1.0),
        ("d-?", "d-bb#1", 0.0),
        ("*secret*", "hr/secret/pay#1", 1.0),
        ("kb[hr]", "kb[hr]#1", 1.0),
        ("kb[hr]", "kbh#1", 0.0),
        ("a.b", "axb", 0.0),
        ("d-b|x", "x", 0.0),
        ("d#b", "d#b#1", 1.0),
        ("", "d-b", 0.0),
    ],
)
def test_patterns_of_forbidden_ids(forbidden, name, expected):
    walls = Walls(forbidden_doc_ids=(forbidden,))

    assert leakage((Passage(id=name),), None, None, walls) == expected


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("The Falcon Project ends in May.", id="as it is"),
        pytest.param("the FALCON PROJECT", id="another case"),
        pytest.param("the Ｆａｌｃｏｎ Ｐｒｏｊｅｃｔ", id="another width"),
        pytest.param("the Fal\u200bcon\u00ad Project", id="invisible characters"),
        pytest.param("the Falcon\n  Project", id="broken over lines"),
        pytest.param("the Falcon\u00a0Project", id="a no-break space"),
        pytest.param("see _Falcon Project_", id="in emphasis"),
        pytest.param("the **Falcon** Project", id="a word of it in emphasis"),
        pytest.param("the F**alcon** Pro`ject`", id="parts of words in emphasis"),
        pytest.param("the <b>Falcon</b>&nbsp;Project", id="in HTML"),
        pytest.param("the &#70;alcon&#x20;Project", id="as references of HTML"),
        pytest.param("the Fal&#8203;con Project", id="invisible by a reference"),
        pytest.param("the Fal\u3164con Project", id="a filler"),
        pytest.param("the Falcon\U000e0041 Project", id="a tag character"),
        pytest.param("the F\u0336a\u0336lcon Project", id="struck through"),
        pytest.param(
            "see falcon project-internal and its falcon projects", id="inflected"
        ),
        pytest.param("法尔肯（Falcon Project）五月结束", id="in Chinese"),
    ],
)
def test_a_canary_in_the_answer(answer):
    assert leakage((), answer, None, CANARY) == 1.0


@pytest.mark.parametrize(
    ("canary", "answer", "expected"),
    [
        ("Anna", "Ask Susanna or Annabel.", 0.0),
        ("Anna", "Ask _Anna_.", 1.0),
        ("850000", "It pays 1850000.", 0.0),
        ("850000", "It pays 850,000.", 1.0),
        ("500", "limit 500", 1.0),
        ("张伟", "请找张伟处理", 1.0),
        ("7F3A", "token 7f3a", 1.0),
        ("   ", "anything", 0.0),
    ],
)
def test_a_short_word_or_number_matches_whole(canary, answer, expected):
    walls = Walls(tenant="a", canaries=(canary,))

    assert leakage((), answer, None, walls) == expected


def test_a_canary_of_the_question_is_no_leak():
    asked = CANARY._replace(question="Tell me of the FALCON project")

    assert leaks((), "The Falcon Project is ours.", None, asked) == []


@pytest.mark.parametrize(
    ("walls", "cited"),
    [
        pytest.param(FORBIDDEN, "doc-tenant-b1#1", id="a forbidden id"),
        pytest.param(CANARY, "falcon project.pdf", id="a canary"),
    ],
)
def test_a_citation_of_what_was_not_retrieved(walls, cited):
    assert [leak.where for leak in leaks((), "Yes.", (cited,), walls)] == ["citation"]


def test_a_citation_of_a_passage_that_crossed_crosses_too():
    foreign = Passage(id="x#1", text="Pay.", tenant="b")

    found = leaks((foreign,), "Yes.", ("x#1",), TENANT)

    assert found == [
        Leak("context", "x#1 belongs to tenant b"),
        Leak("citation", "x#1 is cited and should not be seen"),
    ]


def test_citations_alone_show_whether_forbidden_ids_are_used():
    assert leakage((Passage(text="?"),), "Yes.", ("doc-a",), FORBIDDEN) == 0.0


def test_every_place_is_named_in_the_order_of_the_line():
    walls = CANARY._replace(forbidden_doc_ids=("doc-b",))
    text = "Falcon Project"

    found = leaks((Passage("p", text), Passage("doc-b#1")), text, ("doc-b#9",), walls)

    assert found == [
        Leak("context", "canary 'Falcon Project' in p"),
        Leak("context", "doc-b#1 is forbidden"),
        Leak("answer", "canary 'Falcon Project'"),
        Leak("citation", "doc-b#9 is forbidden"),
    ]


@pytest.mark.parametrize(
    ("walls", "passages", "answer", "citations"),
    [
        pytest.param(TENANT, None, "Ten days.", ("x",), id="passages are not shown"),
        pytest.param(
            TENANT, (Passage("x"),), "Ten.", None, id="no passage has a tenant"
        ),
        pytest.param(FORBIDDEN, None, "Ten days.", None, id="no ids are shown"),
        pytest.param(FORBIDDEN, (Passage(),), "Ten.", None, id="passages without ids"),
        pytest.param(CANARY, None, None, None, id="no text is shown"),
        pytest.param(
            FORBIDDEN._replace(canaries=CANARY.canaries),
            None,
            "Ten days.",
            None,
            id="a text is shown, and no ids",
        ),
    ],
)
def test_what_cannot_be_seen_is_unscored_not_healthy(
    walls, passages, answer, citations
):
    found = leakage(passages, answer, citations, walls)

    assert found == Unscored("the reply does not show where a leak could be seen")


@given(
    st.text("ab*?#", min_size=1, max_size=8),
    st.text("ab", max_size=10),
    st.sampled_from(["", "#1", "#"]),
)
def test_a_pattern_means_what_it_means_in_a_shell(glob, name, chunk):
    walls = Walls(forbidden_doc_ids=(glob,))
    # Of what a shell knows, brackets alone are not known here.
    wanted = any(fnmatchcase(part, glob) for part in {name, name + chunk})

    assert bool(leaks((Passage(name + chunk),), None, None, walls)) == wanted


def test_an_id_made_to_be_slow_is_matched_at_once():
    walls = Walls(forbidden_doc_ids=("*a*a*a*a*a*b",))
    started = perf_counter()

    assert not leaks((Passage("a" * 1_000_000),), None, None, walls)
    assert leaks((Passage("a" * 1_000_000 + "b#1"),), None, None, walls)
    assert perf_counter() - started < 2
