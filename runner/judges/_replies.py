"""Finds the JSON in the text of a judge's reply, and validates it."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from pydantic_core import ValidationError

from runner.model import Reply, Task

_MARK = re.compile(r"\{|</?think>")
_TRIES = 100  # braces at which an object may begin, in a reply that talks around it
_SHOWN = 200
_CJK = 0x2E80  # from here on a character is about a token


class Invalid(Exception):
    """A reply is not what was asked for; becomes ``Unrated``."""


def tokens_about(text: str) -> int:
    """Estimate the tokens of a text: four letters each, or one character of Chinese.

    >>> tokens_about("Refunds take 30 days."), tokens_about("退款需要三十天")
    (6, 7)
    """
    wide = sum(1 for sign in text if ord(sign) >= _CJK) if not text.isascii() else 0
    return wide + -(-(len(text) - wide) // 4)


def read(task: Task[Any], texts: dict[str, Any], text: str) -> Any:
    """Find the JSON in a judge's text that is valid for a task.

    Around it there may be thoughts in ``<think>``, a fence of Markdown or words. Where
    two replies stand in it that say different things, none of them is taken.

    Raises:
        Invalid: There is no JSON, or it is not what the task asks for; says why, and
            repeats nothing of it.
    """
    fitting: list[tuple[Any, Any]] = []
    wrong = Invalid("the reply is no JSON" if text.strip() else "the reply is empty")
    for found in _objects(text):
        try:
            fitting.append((validated(task, texts, found), found))
        except Invalid as error:
            wrong = error
    if not fitting:
        raise wrong
    (reply, found), *others = fitting
    if any(other != reply for other, _ in others):
        raise Invalid("more than one reply came, and they differ")
    return found


def validated(task: Task[Reply], texts: dict[str, Any], found: Any) -> Reply:
    """Validate JSON as the reply to a task.

    Raises:
        Invalid: It is not what the task asks for.
    """
    try:
        return task.reply.model_validate(found, context=texts)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        what = str(first["msg"]).removeprefix("Value error, ")
        where = ".".join(map(str, first["loc"]))
        said = f"{where}: {what}" if where and first["type"] != "value_error" else what
        raise Invalid(said[:_SHOWN]) from None


def _objects(text: str) -> list[Any]:
    """Find the JSON objects in a text, without those in reasoning.

    Many models end their thoughts with ``</think>`` and never began them, since the
    beginning is in their own template. A mark within an object is a part of its text.
    """
    decoder = json.JSONDecoder()
    found: list[Any] = []
    at, tries, thinks = 0, 0, False
    while tries < _TRIES and (mark := _MARK.search(text, at)):
        at = mark.end()
        if mark[0] != "{":
            thinks = mark[0] == "<think>"
            found = found if thinks else []
        elif not thinks:
            tries += 1
            with suppress(ValueError, RecursionError):
                value, at = decoder.raw_decode(text, mark.start())
                found.append(value)
    return found
