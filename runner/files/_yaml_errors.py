"""Rewrites the errors of libyaml: what is wrong, and what to write instead."""

from __future__ import annotations

from typing import Any

from yaml import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from runner.errors import InputError, Place

DEPTH = 100  # levels of nesting that are read
QUOTE = "put the value in quotes"


def explained(error: YAMLError, text: str, file: str) -> InputError:
    """Give the error for a text that is no YAML."""
    if isinstance(error, ReaderError):
        return _character(error, text, file)
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return InputError(f"is no YAML: {error}", where=Place(file))
    context, begun, mark = error.context or "", error.context_mark, error.problem_mark
    if "escape" in (error.problem or ""):
        return InputError(
            "a backslash in double quotes begins an escape, and this is none",
            where=Place(file, mark.line + 1),
            hint="use single quotes, in which it is itself",
        )
    if "quoted scalar" in context and begun:
        return InputError(
            "a quote begins here and does not end",
            where=Place(file, begun.line + 1),
            hint="a quote inside quotes is doubled, or the other kind is used outside",
        )
    lines = text.splitlines()
    row = lines[mark.line] if mark.line < len(lines) else ""
    what, hint = (
        _braces(row, context)
        or _character_there(error.problem or "", row[mark.column : mark.column + 1])
        or _reference(context)
        or _grammar(error.problem or "", context, begun)
    )
    return InputError(what, where=Place(file, mark.line + 1), hint=hint)


def _character(error: ReaderError, text: str, file: str) -> InputError:
    code = error.character if isinstance(error.character, int) else 0
    line = text.count("\n", 0, max(text.find(chr(code)), 0)) + 1
    what = f"holds the control character U+{code:04X}"
    return InputError(what, where=Place(file, line), hint="delete it")


def _braces(row: str, context: str) -> tuple[str, str] | None:
    """Explain a ``${NAME}`` or a template whose brace ends the mapping around it."""
    braces = next((each for each in ("{{", "${") if each in row), None)
    if "flow mapping" not in context or braces is None:
        return None
    return f"a value with {braces} stands in a mapping without quotes", QUOTE


def _character_there(problem: str, char: str) -> tuple[str, str] | None:
    if char == "\t":
        return "a tab stands where YAML takes spaces only", "indent with spaces"
    if "cannot start any token" in problem:
        return f"a value cannot begin with {char}", f'{QUOTE}: "{char}..."'
    if "mapping values are not allowed" in problem:
        return "a second `: ` stands in one line", f"{QUOTE}, or indent it as a key"
    return None


def _reference(context: str) -> tuple[str, str] | None:
    if "alias" in context or "anchor" in context:
        return "a value begins with * or & and is no alias", QUOTE
    return None


def _grammar(problem: str, context: str, begun: Any) -> tuple[str, str]:
    if "nesting depth" in problem:
        return f"is nested more than {DEPTH} levels deep", ""
    hint = "look at quotes, colons and indentation"
    if begun and "block" in context:
        return f"does not go on as it began in line {begun.line + 1}", hint
    since = f" {context}, begun in line {begun.line + 1}" if begun else ""
    return f"is no YAML: {problem}{since}", hint
