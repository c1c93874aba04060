import cmarkgfm
import pytest

from runner.render._clean import clean
from runner.render._escape import block, cell, inline, word

EXTENSIONS = ["table", "autolink", "strikethrough", "tagfilter"]


def html(markdown: str) -> str:
    return cmarkgfm.markdown_to_html_with_extensions(markdown, extensions=EXTENSIONS)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("政策 é 🎉", "政策 é 🎉"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x00\x07\x7f", "␀␇\ufffd"),
        ("\x9b31m", "\ufffd31m"),
        ("a\u202eb\u2066c\u200fd", "a\ufffdb\ufffdc\ufffdd"),
        ("pass\u200bword\ufeff\u00ad\U000e0041", "password"),
        ("\ud800\ufffe", "\ufffd\ufffd"),
    ],
)
def test_what_no_output_may_hold_is_shown_or_dropped(text, cleaned):
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("recall", "`recall`"),
        ("a\nb  c\t", "`a b c`"),
        ("a`b``c", "```a`b``c```"),
        ("`", "`` ` ``"),
        ("$x$", "` $x$ `"),
        (" \n\u200b", ""),
        ("x" * 400, "`" + "x" * 299 + "…`"),
    ],
)
def test_inline_is_one_code_span(text, code):
    assert inline(text) == code


@pytest.mark.parametrize(
    "text", ["a|b", "|", "||", r"a\|b", r"a\\|b", r"\|\|", "|`|", r"a\\\|``b|c\\"]
)
def test_a_cell_stays_one_cell(text):
    table = f"| A | B |\n|--|--|\n| {cell(text)} | end |\n"

    assert f"<td><code>{text}</code></td>\n<td>end</td>" in html(table)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("recall@5", "recall@5"),
        ("latency_p95", "latency_p95"),
        ("_x_", "`_x_`"),
        ("GH-1", "`GH-1`"),
        ("4be1f0c", "`4be1f0c`"),
        ("deadbeef", "`deadbeef`"),
        ("feed@5", "feed@5"),
        ("www.example.com", "`www.example.com`"),
        ("@octocat", "`@octocat`"),
        ("a|b", r"`a\|b`"),
        ("", ""),
    ],
)
def test_a_plain_name_needs_no_code(text, written):
    assert word(text) == written


@pytest.mark.parametrize("text", ["```", "~~~\n</details>", "a\n`````\nb", "", "> x"])
def test_a_block_holds_its_text_whole(text):
    before, _, after = html(f"a\n\n{block(text)}\n\nb").partition("<pre")

    assert before == "<p>a</p>\n"
    assert after.endswith("</code></pre>\n<p>b</p>\n")
