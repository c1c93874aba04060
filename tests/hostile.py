"""Texts that others may write, to break whatever shows them; the same on every run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from runner.render import clean

SEED, NUMBER = 20261130, 20_000
PLAIN = re.compile(r"[a-z0-9_]+(@[0-9]+)?")  # names that stand outside of code

TOKENS = (
    *"|`~<>&\"'*_#[]()!\\$@:-=+/%{}^",
    *("||", "\\|", "\\\\|", "``", "```", "````", "~~~", "$$", "**", "__", "---", "==="),
    *(
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "    ",
        "\u2028",
        "\u2029",
        "\x85",
        "\x0c",
    ),
    *(
        "\x00",
        "\x07",
        "\x1b[31m",
        "\x1b]8;;http://x.io\x07",
        "\x9b2J",
        "\ud800",
        "\ufffe",
    ),
    *("\u200b", "\u200d", "\ufeff", "\u202e", "\u2066", "\u200f", "\U000e0041", "\xad"),
    *("</details>", "<details>", "<summary>", "</code></pre>", "<!--", "-->", "<br>"),
    *(
        "<img src=x onerror=alert(1)>",
        "<script>",
        "</td></tr></table>",
        "<a href='//x'>",
    ),
    *(
        "![i](http://x.io/i.png)",
        "[a](javascript:x)",
        "[r]: http://x.io",
        "[^1]",
        "[ ]",
    ),
    *(
        "http://x.io",
        "https://x.io/a|b",
        "www.x.io",
        "a@x.io",
        "mailto:a@x.io",
        "ftp://x",
    ),
    *("@octocat", "@acme/team", "#1", "GH-1", "acme/bot#1", "4be1f0c2a9d84b3c5e6f7081"),
    *(":tada:", "$x^2$", "$`x`$", "\\(x\\)", "::error::x", "\n::set-output name=a::b"),
    *("##[error]x", "{{ 7*7 }}", "{% raw %}", "${{ github.token }}", "&lt;", "&#64;x"),
    *(
        "\n# h",
        "\n> q",
        "\n- l",
        "\n1. l",
        "\n|--|--|",
        "\n| a | b |",
        "]]>",
        "<![CDATA[",
    ),
    *("word", "退款", "é", "🎉", "👨\u200d👩", "عربى", "0"),
)


def strings(seed: int) -> Iterator[str]:
    """Give strings that differ, and show, once they are clean."""
    rng = random.Random(seed)
    seen = set()
    while True:
        text = "".join(rng.choices(TOKENS, k=rng.randint(1, 12)))
        shown = " ".join(clean(text).split())
        if shown and not PLAIN.fullmatch(shown) and shown not in seen:
            seen.add(shown)
            # Where a Report is made, half surrogate pairs are gone already.
            yield text.replace("\ud800", "\ufffd")


def obeyed(text: str) -> list[str]:
    """Give the lines that GitHub's runner takes for commands, wherever they stand."""
    lines = re.split(r"\r\n?|\n", text)
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
