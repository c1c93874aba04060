"""What a judge said, and the JSON in it."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic_core import ValidationError

from runner.model import Reply, Task

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_TRIES = 20  # braces at which an object may begin, in a reply that talks around it
_SHOWN = 200
_CJK = 0x2E80  # from here on a character is about a token


class Invalid(Exception):  # noqa: N818 - becomes Unrated, never leaves the package
    """A reply is not what was asked for."""


def tokens_about(text: str) -> int:
    """Estimate the tokens of a text: four letters each, or one character of Chinese.

    >>> tokens_about("Refunds take 30 days."), tokens_about("退款需要三十天")
    (6, 7)
    """
    wide = sum(1 for sign in text if ord(sign) >= _CJK) if not text.isascii() else 0
    return wide + -(-(len(text) - wide) // 4)


def read(task: Task[Any], texts: dict[str, Any], text: str) -> Any:
    """Give the JSON in what a judge said, where it is what the task asks for.

    Around it there may be thoughts in ``<think>``, a fence of Markdown or words.

    Raises:
        Invalid: There is no JSON, or it is not what the task asks for; says why, and
            repeats nothing of it.
    """
    found = _object(_THOUGHT.sub("", text))
    validated(task, texts, found)
    return found


def validated(task: Task[Reply], texts: dict[str, Any], found: Any) -> Reply:
    """Give the reply that some JSON is.

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


def _object(text: str) -> Any:
    """Give the first JSON object in a text."""
    decoder = json.JSONDecoder()
    start = -1
    for _ in range(_TRIES):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            return decoder.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    raise Invalid("the reply is empty" if not text.strip() else "the reply is no JSON")
