"""Key points as people write them: numbers, names and terms that a text states."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.metrics._words import STOP_WORDS, content
from runner.text import contains, normalise, numbers, readings, sentences

POINTS = 4  # of a case at most


def is_chinese(text: str) -> bool:
    """Whether the text has a Chinese character."""
    return bool(re.search(r"[\u4e00-\u9fff]", text))


_NUMBER = re.compile(r"(?<![\w.,/-])(?:\d\d+(?:[.,]\d+)*|\d\.\d+)%?(?![\w/-]|[.,]\d)")
_CHINESE_NUMBER = re.compile(
    r"(?<![\d.,A-Za-z])(?:\d\d+(?:[.,]\d+)*|\d\.\d+)%?[年月日万億亿米人个個]?"
)
_NAME = re.compile(r"(?<=[a-z,'] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_TITLE = re.compile(r"《([^《》]{2,12})》|「([^「」]{2,12})」")
_SPLIT = (
    "的是在和與与及或於于為为由有了也都而其並并等这這那個个所以被把將将對对从從到之又共名座用後后前因此"
    "但可會会能不没沒年月日種种最只还還一两兩三"
)
_TERM = re.compile(rf"(?<![^\W{_SPLIT}])[^\W\da-zA-Z{_SPLIT}]{{3,7}}(?![^\W{_SPLIT}])")
_ORDINAL = re.compile(r"(?m)^\s*\d+[.)]\s")


def key_points(question: str, answer: str, holders: list[str]) -> Iterator[str]:
    """Give what an answer says, all the holders say and the question does not."""
    given = 0
    asked, taken = set(content(question)), ""
    for point in _candidates(answer):
        new = set(content(point)) - asked
        if not new or contains(taken, point) or contains(question, point):
            continue
        if all(contains(holder, point) for holder in holders):
            yield point
            given += 1
            taken += f"\n{point}"
            if given == POINTS:
                return


def _candidates(answer: str) -> Iterator[str]:
    answer = _ORDINAL.sub("", answer)
    stated = set(numbers(answer))
    pattern = _CHINESE_NUMBER if is_chinese(answer) else _NUMBER
    yield from (found for found in pattern.findall(answer) if stated & readings(found))
    if is_chinese(answer):
        yield from (one or other for one, other in _TITLE.findall(answer))
        yield from _TERM.findall(answer)
        return
    yield from _NAME.findall(answer)
    yield from _phrases(answer)


def _phrases(answer: str) -> Iterator[str]:
    """Give runs of two to four content words, the longest first."""
    runs = [
        run.split()
        for sentence in sentences(answer)
        for run in _content_runs(normalise(sentence))
    ]
    for size in (4, 3, 2):
        for run in runs:
            for at in range(len(run) - size + 1):
                yield " ".join(run[at : at + size])


def _content_runs(sentence: str) -> Iterator[str]:
    run: list[str] = []
    for word in re.findall(r"[a-z]+(?:['-][a-z]+)*|\S", sentence):
        if word in STOP_WORDS or not word[0].isalpha():
            yield " ".join(run)
            run = []
        else:
            run.append(word)
    yield " ".join(run)
