"""What others wrote makes no structure: 20,000 seeded strings through whole reports.

Each report is held against one with harmless strings in the same places: but for code,
the elements must be the same. GitHub makes mentions, issue links, emoji and formulas
after the Markdown, and never inside code: so nothing may stand outside of code that
would become one.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from datetime import date
from html.parser import HTMLParser
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from runner import render
from runner.model import (
    Comparison,
    Delta,
    GateResult,
    Quarantined,
    RankMove,
    Shift,
    SliceSummary,
    Summary,
    Tighter,
    YardstickChange,
)
from runner.render import Links
from runner.report import FailedCase, LayerCount, Report, Totals
from runner.templating import report_environment
from tests.hostile import NUMBER, SEED, obeyed, strings

TEMPLATES = Path(__file__).parents[2] / "templates"
ENVIRONMENT = report_environment(TEMPLATES, render.FILTERS)
EXTENSIONS = ["table", "autolink", "strikethrough", "tagfilter"]


def harmless() -> Iterator[str]:
    return (f"plain text {number}" for number in count())


def report_of(texts: Iterator[str]) -> Report:
    """Give a Report with a text of its own in every place that can hold one."""

    def take(number: int) -> tuple[str, ...]:
        return tuple(islice(texts, number))

    cases = tuple(
        FailedCase(
            id=next(texts),
            layer="answer",
            cause=next(texts),
            evidence=next(texts),
            also=take(2),
            question=next(texts),
            answer=next(texts),
            expected=take(2),
            retrieved=take(2),
            file=next(texts),
            line=3,
        )
        for _ in range(60)
    )
    labels, ids = take(20), [case.id for case in cases]
    part = next(texts)
    return Report(
        name=next(texts),
        verdict="failed",
        reasons=take(2),
        notices=take(4),
        filters=take(2),
        baseline=next(texts),
        base=next(texts),
        spec=next(texts),
        commit=next(texts),
        started=next(texts),
        version=next(texts),
        totals=Totals(cases=100, passed=40, failed=60),
        summaries={
            label: Summary(
                layer="answer",
                better="higher",
                mean=0.5,
                scored=3,
                failed=1,
                ceiling=0.9,
                slices={part: SliceSummary(mean=0.5, scored=2)},
            )
            for label in labels
        },
        gates=tuple(
            GateResult(
                metric=label,
                rule="min",
                limit=0.6,
                value=0.5,
                outcome=outcome,
                slice=part,
                owner=next(texts),
                message=next(texts),
                cases=take(2),
            )
            for label in labels
            for outcome in ("failed", "unmeasured")
        ),
        layers={"answer": LayerCount(first=60, causes=dict.fromkeys(take(3), 20))},
        comparison=Comparison(
            pairs=9,
            regressed=tuple(ids[:20]),
            fixed=take(10),
            moved=tuple(ids[20:30]),
            shifts=tuple(
                Shift(
                    id=name,
                    was="passed" if place < 20 else "failed",
                    now="failed",
                    layer="retrieval",
                    cause_before=next(texts),
                    cause=next(texts),
                    ranks=(RankMove(id=next(texts), before=1),),
                    came=take(2),
                )
                for place, name in enumerate(ids[:30])
            ),
            not_comparable=take(3),
            deltas={labels[0]: Delta(now=0.5, baseline=0.6, delta=-0.1, pairs=3)},
            commit=next(texts),
            started=next(texts),
        ),
        yardstick=tuple(
            YardstickChange(
                what=next(texts), before=next(texts), after=next(texts), moved=moved
            )
            for moved in ("loosened", "changed", "tightened")
        ),
        failures=cases,
        quarantine=tuple(
            Quarantined(
                id=next(texts),
                until=date(2026, 12, 31),
                why=next(texts),
                owner=next(texts),
                outcome="failed",
                cause=next(texts),
            )
            for _ in range(5)
        ),
        trend=dict.fromkeys(take(3), (0.5, 0.6)),
        tighter=tuple(
            Tighter(metric=next(texts), rule="min", limit=0.5, offered=0.6, runs=5)
            for _ in range(2)
        ),
    )


class Outline(HTMLParser):
    """The tags of a page in order, and its text outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"<{tag} {attrs}>")
        self._code += tag in ("code", "pre")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"</{tag}>")
        self._code -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        if not self._code:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append(f"<!--{len(data)}-->")


class Shape(NamedTuple):
    tags: list[str]
    text: str

    @property
    def frame(self) -> list[str]:
        """The elements without code, which a sentence has as many of as it needs."""
        return [tag for tag in self.tags if not re.match("</?code", tag)]


def shape(page: str) -> Shape:
    outline = Outline()
    outline.feed(page)
    outline.close()
    return Shape(outline.tags, "".join(outline.text))


BECOMES_SOMETHING = re.compile(
    r"""(?<![\w])@[A-Za-z]  # a mention
    | \#[0-9] | \bGH-[0-9] | \w/\w+\#  # an issue
    | \b(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b  # a commit
    | ://|\bwww\.|mailto:|\w@\w+\.\w  # a link
    | :[a-z0-9_+-]+:  # an emoji
    | \$ | \\[()\[]  # a formula
    | [<>`*|~] | ^\s*:: | \#\#\[  # markup that was left, a command
    """,
    re.VERBOSE | re.MULTILINE,
)


def markdown(text: str) -> str:
    page: str = cmarkgfm.markdown_to_html_with_extensions(
        text, options=Options.CMARK_OPT_UNSAFE, extensions=EXTENSIONS
    )
    return page


def comment(report: Report) -> str:
    return markdown(render.comment(report, ENVIRONMENT))


def summary(report: Report) -> str:
    return markdown(render.summary(report, ENVIRONMENT))


def reports(strings_wanted: int) -> list[Report]:
    source = strings(SEED)
    used = 0

    def counted() -> Iterator[str]:
        nonlocal used
        for text in source:
            used += 1
            yield text

    texts, made = counted(), []
    while used < strings_wanted:
        made.append(report_of(texts))
    return made


@pytest.fixture(scope="module")
def hostile() -> list[Report]:
    return reports(NUMBER)


@pytest.mark.parametrize("rendering", [comment, summary])
def test_foreign_text_makes_no_structure_and_no_text_outside_of_code(
    hostile: list[Report], rendering: Callable[[Report], str]
):
    expected = shape(rendering(report_of(harmless())))
    shapes = [shape(rendering(report)) for report in hostile]
    different = [n for n, found in enumerate(shapes) if found.frame != expected.frame]
    becoming = [BECOMES_SOMETHING.search(found.text) for found in (expected, *shapes)]

    assert different == []
    assert [found for found in becoming if found] == []
    assert not any(tag.startswith(("<a", "<img")) for tag in expected.tags)


LINKS = Links("https://github.com", "acme/bot", "4be1f0c", run="7", attempt="1")


@pytest.mark.parametrize("form", ["comment", "html"])
def test_every_link_leads_into_the_repository(hostile: list[Report], form: str):
    def page(report: Report) -> str:
        if form == "html":
            return render.html(report, ENVIRONMENT, links=LINKS)
        return markdown(render.comment(report, ENVIRONMENT, links=LINKS))

    found = [
        href for report in hostile for href in re.findall(r"<a [^>]*>", page(report))
    ]
    ours = re.compile(r'<a href="https://github\.com/acme/bot/[\w%./~#-]+">')

    assert len(found) > len(hostile)
    assert [tag for tag in found if not ours.fullmatch(tag)] == []


RENDERINGS: dict[str, Callable[[Report], str]] = {
    "comment.md": lambda report: render.comment(report, ENVIRONMENT),
    "summary.md": lambda report: render.summary(report, ENVIRONMENT),
    "report.html": lambda report: render.html(report, ENVIRONMENT),
    "junit.xml": lambda report: render.junit(report, ENVIRONMENT),
    "console": render.console,
}


@pytest.mark.parametrize("name", RENDERINGS)
def test_no_line_of_a_file_that_is_shown_in_a_log_is_a_command(
    hostile: list[Report], name: str
):
    commands = [obeyed(RENDERINGS[name](report)) for report in hostile]

    assert [found for found in commands if found] == []


def test_an_escaped_command_says_the_same_in_markup():
    case = FailedCase(id="a", layer="answer", answer="x\n::error::y ##[error]z")
    report = report_of(harmless()).model_copy(update={"failures": (case,)})
    page, xml = (
        rendering(report, ENVIRONMENT) for rendering in (render.html, render.junit)
    )

    assert "::error::y ##[error]z" in html_text(page)
    assert "::error::y ##[error]z" in "".join(ET.fromstring(xml).itertext())  # noqa: S314  ours


def html_text(page: str) -> str:
    class Reader(HTMLParser):
        read = ""

        def handle_data(self, data: str) -> None:
            self.read += data

    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader.read


def test_foreign_text_makes_no_structure_in_the_page(hostile: list[Report]):
    expected = shape(render.html(report_of(harmless()), ENVIRONMENT)).tags
    different = [
        number
        for number, report in enumerate(hostile)
        if shape(render.html(report, ENVIRONMENT)).tags != expected
    ]

    assert different == []


def test_foreign_text_leaves_the_xml_whole(hostile: list[Report]):
    def elements(report: Report) -> list[str]:
        tree = ET.fromstring(render.junit(report, ENVIRONMENT))  # noqa: S314  ours
        return [element.tag for element in tree.iter()]

    expected = elements(report_of(harmless()))
    different = [n for n, report in enumerate(hostile) if elements(report) != expected]

    assert different == []


def test_foreign_text_rules_no_terminal(hostile: list[Report]):
    def rules(line: str) -> bool:
        return any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in line)

    lines = [line for r in hostile for line in render.console(r).split("\n")]

    assert [line for line in lines if rules(line)] == []
