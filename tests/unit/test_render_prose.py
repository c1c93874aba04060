"""A sentence of ours stays prose; what others named in it stands in code."""

from __future__ import annotations

import pytest

from runner.render._escape import inline
from runner.render._prose import prose


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "3 passing cases had no relevant passage: a label is missing",
            "3 passing cases had no relevant passage: a label is missing",
        ),
        (
            "recall@5 fell by 0.13 from 0.91 to 0.78 (line 41, @safety)",
            "recall@5 fell by 0.13 from 0.91 to 0.78 (line 41, `@safety`)",
        ),
        (
            "red line tag=x: 2 of 9 cases failed: qa-7, qa-8 and 3 more",
            "red line `tag=x`: 2 of 9 cases failed: `qa-7, qa-8` and 3 more",
        ),
        ("kb-104 did not come", "`kb-104` did not come"),
        ("'21 days' is not stated", "'21 days' is not stated"),
        ("“退款：7天” is in no context", "“`退款：7天`” is in no context"),
        ("发票以欧元开具，请联系我们。", "发票以欧元开具，请联系我们。"),
        (
            'HTTP 500: {"error": "it broke [1] down"} after 2 tries',
            'HTTP 500: `{"error": "it broke [1] down"}` after 2 tries',
        ),
        (
            "nobody answered at http://localhost:9000/rag (refused)",
            "nobody answered at `http://localhost:9000/rag` (refused)",
        ),
        ("1. and 2.", "`1`. and 2."),
        ("- a", "`-` a"),
        ("mrr min 0.85 -> 0.8", "mrr min 0.85 → 0.8"),
        ("+1 # a", "+1 `#` a"),
        ("fixes #12 and GH-3 of acme/bot", "fixes `#12` and `GH-3` of `acme/bot`"),
        ("at 4be1f0c and 1234567 deadbee", "at `4be1f0c` and `1234567 deadbee`"),
        (":tada: $x$ a_b _c_ **d**", "` :tada: $x$ ` a_b `_c_ **d**`"),
        ("::error::x ##[error]y", "`::error::x ## [error]y`"),
        ("a :: b", "a `::` b"),
        ("", ""),
        ("…", "…"),
        ("`", "`` ` ``"),
    ],
)
def test_words_stay_and_names_are_code(text, written):
    assert prose(text, inline) == written


def test_a_sentence_in_a_table_is_one_cell():
    assert prose("a|b or c") == r"`a\|b` or c"


def test_a_long_sentence_is_cut_before_it_is_escaped():
    text = prose("x|y " * 200, limit=50)

    assert len(text) < 100
    assert text.count("`") == 2
