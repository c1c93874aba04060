"""The questions to annotators, one for each judged metric, and the guide to a sheet."""

from __future__ import annotations

from collections.abc import Mapping

from runner.model import Metric
from runner.text import Language

Ask = Mapping[Language, str]


def _ask(en: str, zh: str) -> Ask:
    return {"en": en, "zh": zh}


QUESTIONS: Mapping[str, Ask] = {
    "faithfulness": _ask(
        "Does everything that the answer states follow from the passages? What you "
        "know yourself does not count. good: all of it does. bad: at least one thing "
        "does not.",
        "回答中所说的内容是否都能从参考段落得出？不要依据你自己的知识。"
        "good：全部可以。bad：至少有一处不能。",
    ),
    "answer_relevancy": _ask(
        "Does the answer speak to the question? Whether it is right does not matter. "
        "good: it answers what was asked. bad: it evades, or answers something else.",
        "回答是否针对所提的问题？是否正确不在此列。"
        "good：回答了所问。bad：回避，或答非所问。",
    ),
    "context_precision": _ask(
        "Do the passages that help to the reference answer stand before those that do "
        "not? good: yes. bad: useless ones come first, or none is of use.",
        "对得出参考答案有用的段落是否排在无用的之前？"
        "good：是。bad：无用的在前，或没有一段有用。",
    ),
    "context_recall": _ask(
        "Is everything that the reference answer states in the passages? good: all of "
        "it. bad: at least one thing is not there.",
        "参考答案所说的内容是否都在段落中？good：全部都在。bad：至少缺一处。",
    ),
    "answer_correctness": _ask(
        "Does the answer say what the reference answer says? good: nothing that "
        "matters is missing, wrong or added. bad: something is.",
        "回答与参考答案所说是否一致？good：要点没有缺失、错误或多出。bad：至少有一处。",
    ),
    "anchor_support": _ask(
        "Does the answer state, or clearly imply, every fact under points? good: every "
        "one. bad: one is absent or contradicted.",
        "points 栏中的每个事实，回答是否都明说或明确暗示？"
        "good：全部。bad：有缺失或相反的。",
    ),
    "intent_completion": _ask(
        "Does the answer settle everything under points? good: each completely. bad: "
        "one is settled in part, or not at all.",
        "points 栏中的每个诉求，回答是否都已满足？"
        "good：全部完整满足。bad：有的只部分满足或未满足。",
    ),
    "citation_authenticity": _ask(
        "Does each passage under points say what the answer cites it for? good: each "
        "does. bad: one does not, or is not among the passages.",
        "points 栏中的每个段落，是否确实说了回答引用它来证明的内容？"
        "good：都是。bad：有一条不是，或不在段落之中。",
    ),
}


def asks(metric: Metric) -> Ask:
    """Give the question to people that stands beside a metric's own to the judge."""
    found = QUESTIONS.get(metric.name)
    if found:
        return found
    summary = metric.summary.replace("``", "")
    return _ask(f"{summary} good or bad?", f"{summary} good 还是 bad？")


def guide(sheet: str) -> str:
    """Give the instructions that go with a sheet, in both languages."""
    return _GUIDE.replace("SHEET", sheet)


_GUIDE = """\
# How to label SHEET

Each row is one reply, and one question about it (`asks`). Write under `label`:

- `good` or `bad`, as the question says; in between there is nothing;
- `unsure` where you cannot tell, and why under `note`.

Decide from what the row shows, not from what you know. An answer that is long, polite
or well written is no better for it. Do not look at what a judge or another person said
of the same row: whoever knows it agrees with it. Leave the other columns as they are;
the column `item` is how the row is found again. Rows without a label are left out.

Two people who label the same rows, each in a copy of the sheet, show how clear the
question is: no judge can be expected to agree with people more than they do.

# 如何标注 SHEET

每一行是一条回答和关于它的一个问题（`asks`）。请在 `label` 栏填写：

- `good` 或 `bad`，含义见问题；没有中间选项；
- 无法判断时填 `unsure`，并在 `note` 栏说明原因。

请只根据该行所示的内容判断，不要依据自己的知识。回答写得长、客气或流畅，并不因此更好。
不要看裁判模型或其他人对同一行的判断：看过的人往往会跟着判断。
其他栏请勿改动；`item` 栏用于找回该行。未填写的行不计入。

两个人各用一份副本标注同样的行，可以看出问题是否清楚：
裁判模型与人的一致程度不能指望高于人与人之间的一致程度。
"""
