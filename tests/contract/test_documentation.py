"""What the documentation says is there: messages of the program, pages and sections."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from runner import hosts
from runner.cases import load
from runner.endpoints import check
from runner.files import read_rows
from runner.files._yaml import parse_yaml
from runner.metrics import registry
from runner.model import Case
from runner.spec import parse
from runner.text import states

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").rglob("*.md")]
EXPLAINED = ("action.md", "baselines.md", "forks.md", "network.md")
LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([\w-]+))?\)")
ROW = re.compile(r"^\| (`.+?`(?:, `.+?`)*) \| .+ \|$", re.MULTILINE)


def messages(page):
    """Give the messages in the first column of a page's table of messages."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    _, _, table = text.partition("\n| Message")
    return [each for row in ROW.findall(table) for each in re.findall("`(.+?)`", row)]


@cache
def literals():
    """Give every text in the program, with … for what is put in."""
    found = []
    for path in (ROOT / "runner").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
            if isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", None) for part in node.values)
                texts = [part if isinstance(part, str) else "…" for part in parts]
                found.append("".join(texts))
    return found


@pytest.mark.parametrize(
    "message",
    [each for page in EXPLAINED for each in messages(page)],
)
def test_an_explained_message_is_one_that_the_program_has(message):
    # What stands before a colon may be put before what another place has to say.
    pieces = re.split("^… | …$|: ", message)

    missing = [each for each in pieces if not any(each in text for text in literals())]
    assert missing == []


def test_the_tables_are_found():
    assert len(messages("action.md")) > 15
    assert len(messages("forks.md")) == 4
    assert len(messages("network.md")) == 8


def anchors(path):
    """Give the names that GitHub gives to the sections of a page."""
    heads = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_a_link_leads_to_a_page_and_a_section_that_are_there(page):
    broken = []
    for name, section in LINK.findall(page.read_text("utf-8")):
        target = page.parent / name if name else page
        if not target.exists() or (section and section not in anchors(target)):
            broken.append(f"{name}#{section}")

    assert broken == []


def blocks(page, language):
    """Give the examples of a page in one language."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (text, ending)
        for ending in ("yaml", "csv")
        for text in blocks("cases.md", ending)
        if "question" in text.split(":")[0] or text.startswith("-")
    ],
)
def test_an_example_of_a_case_file_is_one(tmp_path, text, ending):
    file = tmp_path / f"cases.{ending}"
    file.write_text(text, "utf-8")

    loaded = load(read_rows(file, file=file.name))

    assert loaded.cases
    assert loaded.notices == ()


def test_the_examples_of_key_points_hold():
    text = (ROOT / "docs/cases.md").read_text("utf-8")
    table = text.partition("| Key point |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1:4] for row in table.splitlines()[2:]]
    words = [[re.findall("`(.+?)`", cell) for cell in row] for row in rows]

    assert len(words) == 8
    for (point,), stated, silent in words:
        assert all(states(answer, point) for answer in stated), point
        assert not any(states(answer, point) for answer in silent), point


def test_the_table_of_what_is_never_asked_is_the_program_s():
    page = (ROOT / "docs/network.md").read_text("utf-8")
    _, _, table = page.partition("| Never asked |\n")
    listed = re.findall("`(.+?)`", table.partition("\n\n")[0])

    single = [each for each in hosts.NEVER if each.num_addresses == 1]
    known = {str(each) for each in hosts.NEVER if each not in single}
    known |= {str(each.network_address) for each in single} | hosts.NEVER_NAMED
    assert sorted(listed) == sorted(known)


@pytest.mark.parametrize("page", ["auth", "steps"])
def test_an_endpoint_that_a_page_shows_is_one_that_is_accepted(page):
    text = (ROOT / f"docs/{page}.md").read_text("utf-8")
    shown = re.findall(r"```yaml\n(endpoint:\n.*?)```", text, re.DOTALL)
    environ = dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "a-value")

    assert shown
    for block in shown:
        whole = f"{block}cases: a.json\n"
        if "url:" not in block:
            whole = whole.replace("endpoint:\n", "endpoint:\n  url: http://rag\n")
        document = parse_yaml(whole, file="spec.yaml")
        spec = parse(document, registry=registry, environ=environ)
        check(spec.endpoint, spec.variables, [Case("a", "Why?")], document.place)
