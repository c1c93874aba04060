"""Renders the prompts of a judge, with foreign texts between fences.

A fence has a code that occurs in none of the texts, so that no text can close it,
open another, or number itself. The code is made from the texts: the same question is
the same prompt in every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

_UNSENDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


class Prompt(NamedTuple):
    """One question to a judge, in two parts that a chat keeps apart."""

    instructions: str
    """Ours alone, and the same whatever the texts are: for the role ``system``."""
    data: str
    """The texts, each within its fence: for the role ``user``."""


class Prompts:
    """The templates in a folder; each has the blocks ``instructions`` and ``data``."""

    def __init__(self, folder: Path) -> None:
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder),
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701 - plain text, in which the fence guards
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["fenced"] = _fenced

    def render(self, name: str, texts: Mapping[str, Any]) -> Prompt:
        """Give the prompt of a template such as ``support.en`` about some texts.

        A text is a string, or a list of them. What no server takes (control
        characters, half a surrogate pair) is shown as U+FFFD.

        Raises:
            jinja2.TemplateNotFound: There is no such template.
        """
        template = self._environment.get_template(f"{name}.j2")
        ours = template.new_context({})
        theirs = template.new_context({**texts, "code": _code(texts.values())})
        return Prompt(
            _written(template.blocks["instructions"](ours)),
            _written(template.blocks["data"](theirs)),
        )


def _written(parts: Iterable[str]) -> str:
    return "".join(parts).strip()


def _code(values: Iterable[Any]) -> str:
    """Give what stands in none of the texts, and is the same for the same ones."""
    said = "\n".join(_strings(values)).casefold()
    codes = (_hash(f"{turn} {said}") for turn in count())
    return next(code for code in codes if code not in said)


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _strings(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Iterable):
            yield from _strings(value)


@jinja2.pass_context
def _fenced(context: jinja2.runtime.Context, name: str, text: Any) -> str:
    """Give a text between its fences; a list as numbered lines, one for each item."""
    if not isinstance(text, str):
        lines = (" ".join(item.split()) for item in text)
        text = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    code = context["code"]
    shown = _UNSENDABLE.sub(_REPLACEMENT, text)
    return f"<{name} {code}>\n{shown}\n</{name} {code}>"
