"""Reads the conversation before a question, in the forms that other tools write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from runner.cases._values import text
from runner.errors import did_you_mean, kind_of
from runner.model import Turn

_ROLES: Mapping[str, Literal["user", "assistant"]] = {
    **dict.fromkeys(("user", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "ai", "agent", "bot", "model", "gpt"), "assistant"),
}
_WHO = ("role", "speaker", "type", "from")
_WHAT = ("content", "text", "value")
_SHAPE = "{role: user, content: ...}"


def question(value: object) -> str | tuple[Turn, ...]:
    """Read a question; of a list, the messages of a conversation."""
    talks = isinstance(value, list) and any(map(_is_message, value))
    return turns(value) if talks else text(value)


def _is_message(item: object) -> bool:
    return isinstance(item, Mapping | list)


def turns(value: object) -> tuple[Turn, ...]:
    """Read messages: mappings, or pairs of a question and its answer."""
    if not isinstance(value, list):
        raise _not("a list of messages", value)
    read: list[Turn] = []
    for number, item in enumerate(value, 1):
        try:
            read += _pair(item) if isinstance(item, list) else [_turn(item)]
        except ValueError as error:
            raise ValueError(f"message {number} {error}") from None
    return tuple(read)


def _turn(item: object) -> Turn:
    if not isinstance(item, Mapping):
        raise _not("a mapping", item)
    who, what = _first(item, _WHO), _first(item, _WHAT)
    if who is None or what is None:
        lacking = "role" if who is None else "content"
        keys = ", ".join(map(str, item)) or "no key"
        raise ValueError(f"has no {lacking} (it has {keys}; write {_SHAPE})")
    role = _ROLES.get(str(item[who]).strip().casefold())
    if role is None:
        near = did_you_mean(str(item[who]), _ROLES) or "leave it out"
        said = kind_of(item[who])
        raise ValueError(f"has {said} for a {who}, and not user or assistant ({near})")
    try:
        return Turn(role, text(_joined(item[what])))
    except ValueError as error:
        raise ValueError(f"has a {what} that {error}") from None


def _not(wanted: str, value: object) -> ValueError:
    return ValueError(f"must be {wanted} such as {_SHAPE}, and is {kind_of(value)}")


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if item.get(name) is not None), None)


def _joined(content: object) -> object:
    """Give the text of content that comes in parts, where all are texts."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text") for part in content if isinstance(part, Mapping)]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(content) else content


def _pair(item: list[Any]) -> list[Turn]:
    match item:
        case [asked, answered]:
            return [Turn("user", text(asked)), Turn("assistant", text(answered))]
    raise ValueError("must be a pair of a question and its answer, or a mapping")


def parted(
    asked: str | tuple[Turn, ...] | None, before: tuple[Turn, ...]
) -> tuple[str | None, tuple[Turn, ...]]:
    """Give the question and what was said before it.

    Without a question it is the last message; so it is where the question repeats it.

    Raises:
        ValueError: They do not fit together.
    """
    if isinstance(asked, tuple):
        if before:
            raise ValueError("hold messages, and so does the question (keep one)")
        return parted(None, asked)
    if not before:
        return asked, ()
    *earlier, last = before
    if asked is None and last.role == "assistant":
        raise ValueError("end with an answer (leave it out, or write a question)")
    if asked is None or (last.role == "user" and asked == last.content):
        return last.content, tuple(earlier)
    return asked, before
