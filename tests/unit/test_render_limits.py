"""A comment and a summary fit where they go, whole at every step, in any script."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from runner import render
from runner.render import COMMENT, SUMMARY, Budget
from runner.report import Report, Totals
from runner.templating import report_environment
from tests.golden import reports

TEMPLATES = Path(__file__).parents[2] / "templates"
ENVIRONMENT = report_environment(TEMPLATES, render.FILTERS)
MARKER = 200  # characters above a comment, by which a later run finds it

FORMS: dict[str, Callable[..., str]] = {
    "comment": render.comment,
    "summary": render.summary,
}
TEXTS = {
    "words": "A long answer about returns. ",
    "Chinese": "退款政策规定七天之内无理由退货。",
    "emoji": "🎉👍🏽🚀",
    "fences": "````\n</details>\n~~~\n",
}


def long(text: str, cases: int = 200) -> Report:
    """Give a report of as many failing cases as are quoted, each with long texts."""
    one = reports.failing().failures[0]
    written = text * 12
    update = {"question": written, "answer": written * 3, "evidence": written}
    failures = tuple(
        one.model_copy(update={"id": f"qa-{number}", **update})
        for number in range(cases)
    )
    totals = Totals(cases=400, passed=100, failed=300)
    return reports.truncated().model_copy(
        update={"failures": failures, "totals": totals}
    )


def units(text: str) -> int:
    """Give the UTF-16 units: the most characters that GitHub could count."""
    return len(text.encode("utf-16-le")) // 2


class Open(HTMLParser):
    """What is open at the end of a page, and where its last small print stands."""

    def __init__(self) -> None:
        super().__init__()
        self.path: list[str] = []
        self.footer: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag not in ("br", "hr"):
            self.path.append(tag)
        if tag == "sub":
            self.footer = list(self.path)

    def handle_endtag(self, tag: str) -> None:
        assert self.path.pop() == tag


def assert_whole(text: str) -> None:
    """Hold that no fence and no folded part is open where the footer begins."""
    page = cmarkgfm.markdown_to_html_with_extensions(
        text, options=Options.CMARK_OPT_UNSAFE, extensions=["table", "tagfilter"]
    )
    parser = Open()
    parser.feed(page)
    parser.close()
    assert (parser.path, parser.footer) == ([], ["p", "sub"])


def steps_of(rendering: Callable[..., str], report: Report) -> list[str]:
    """Give what a form becomes as its place gets smaller, to the least that it says."""
    steps = [rendering(report, ENVIRONMENT, budget=Budget(10**9, 10**9))]
    while True:
        budget = Budget(10**9, len(steps[-1].encode()) - 1)
        fewer = rendering(report, ENVIRONMENT, budget=budget)
        if fewer == steps[-1]:
            return steps
        steps.append(fewer)


@pytest.mark.parametrize("script", TEXTS)
def test_what_github_takes_is_not_exceeded(script: str):
    report = long(TEXTS[script])
    comment = render.comment(report, ENVIRONMENT)
    summary = render.summary(report, ENVIRONMENT)

    assert units(comment) + MARKER <= 65_536
    assert len(comment.encode()) <= 262_144
    assert len(summary.encode()) <= 1_048_576
    assert_whole(comment)
    assert_whole(summary)


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize("form", FORMS)
def test_a_text_that_just_fits_stays_and_one_unit_less_takes_parts_away(
    form: str, script: str
):
    report = long(TEXTS[script], cases=25)
    whole = FORMS[form](report, ENVIRONMENT, budget=Budget(10**9, 10**9))
    characters, size = units(whole), len(whole.encode())

    def within(budget: Budget) -> str:
        return FORMS[form](report, ENVIRONMENT, budget=budget)

    assert within(Budget(characters, size)) == whole
    for budget in (Budget(characters - 1, size), Budget(characters, size - 1)):
        fewer = within(budget)
        assert budget.holds(fewer)
        assert_whole(fewer)


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize("form", FORMS)
def test_every_step_is_whole_and_says_the_verdict_and_what_is_left_out(
    form: str, script: str
):
    steps = steps_of(FORMS[form], long(TEXTS[script]))

    assert len(steps) >= 4
    for text in steps:
        assert_whole(text)
        assert text.startswith("## ❌ RAG eval helpdesk: red line broken")
        assert "**Retrieval broke first.**" in text.split("\n")[1]
    said = [text.rpartition("> Showing ")[2].partition("<sub>")[0] for text in steps]
    assert len(set(said)) == len(steps)


def test_a_page_lists_a_thousand_changed_cases_and_counts_the_rest():
    report = reports.failing()
    many = tuple(f"case-{number}" for number in range(5_000))
    assert report.comparison is not None
    compared = report.comparison.model_copy(update={"regressed": many})
    page = render.html(report.model_copy(update={"comparison": compared}), ENVIRONMENT)

    assert page.count('<td data-label="Case">') == 1_000
    assert "Showing 1,000 of 5,002 changed cases." in page


def test_the_budgets_leave_room_for_the_marker_and_below_what_github_stores():
    assert COMMENT.characters + MARKER < 65_536
    assert COMMENT.size + MARKER < 262_144
    assert SUMMARY.size < 2**20
