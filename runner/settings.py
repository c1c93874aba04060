"""The environment and the event of a workflow become one Settings, checked.

Pure functions over mappings: what a workflow gives stands in variables and in a JSON
payload, and both are read elsewhere.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, cast, get_args

from runner.errors import InputError, did_you_mean
from runner.gates import FailOn

INPUTS: Mapping[str, str] = {
    "spec": "",
    "fail-on": "gate",
    "baseline": "",
    "out": "rag-eval-results",
    "args": "",
}
"""Every input of the action, with its default; an empty value is not given."""

Value = TypeVar("Value")

_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSWORD", re.IGNORECASE)
_OWN = {"--fail-on", "--baseline", "--out"}
_PRIVILEGED = "pull_request_target"


class Change(NamedTuple):
    """What is evaluated, as the event tells it."""

    event: str = ""
    commit: str | None = None
    """Of a pull request its head, which its author knows, not the merge of it."""
    number: int | None = None
    """Of the pull request."""
    base: str | None = None
    """The branch that the pull request goes into."""
    fork: bool = False

    def __str__(self) -> str:
        """Give it as the log says it."""
        words = [self.event or "no event"]
        if self.number is not None:
            words.append(f"#{self.number} into {self.base}")
        if self.fork:
            words.append("from a fork")
        if self.commit:
            words.append(f"at {self.commit[:7]}")
        return " ".join(words)


class Settings(NamedTuple):
    """What a workflow asks for."""

    specs: tuple[str, ...]
    """Paths and globs, relative to the workspace."""
    fail_on: FailOn
    baseline: str | None
    out: str
    args: tuple[str, ...]
    """More options of ``rag-eval run``."""
    change: Change


def read(environ: Mapping[str, str], event: Mapping[str, Any]) -> Settings:
    """Give the settings of a run.

    Args:
        environ: The variables of the step.
        event: The payload of what triggered the workflow; empty where there is none.

    Raises:
        InputError: An input is missing, misspelt or has a value that is not known.
    """
    check_names(environ)
    given = {name: _value(environ, name) or INPUTS[name] for name in INPUTS}
    found = change(environ, event)
    _check_trust(found)
    return Settings(
        specs=_specs(given["spec"]),
        fail_on=_fail_on(given["fail-on"]),
        baseline=given["baseline"] or None,
        out=given["out"],
        args=_args(given["args"]),
        change=found,
    )


def check_names(environ: Mapping[str, str]) -> None:
    """Refuse an input that is nearly one of the action's, which would be lost.

    Raises:
        InputError: A name is misspelt; a name that resembles none is not ours.
    """
    for variable in environ:
        name = variable.removeprefix("INPUT_").replace("_", "-").lower()
        if not variable.startswith("INPUT_") or name in INPUTS:
            continue
        if hint := did_you_mean(name, INPUTS):
            raise _wrong(name, "there is no such input", hint)


def change(environ: Mapping[str, str], event: Mapping[str, Any]) -> Change:
    """Give which commit is evaluated, and of which pull request if of any."""
    name = environ.get("GITHUB_EVENT_NAME", "")
    pull = _mapping(event, "pull_request")
    if pull:
        head, base = _mapping(pull, "head"), _mapping(pull, "base")
        return Change(
            event=name,
            commit=_of_kind(str, head, "sha"),
            number=_of_kind(int, pull, "number"),
            base=_of_kind(str, base, "ref"),
            fork=_is_fork(head, base),
        )
    triggered = _of_kind(str, _mapping(event, "workflow_run"), "head_sha")
    queued = _of_kind(str, _mapping(event, "merge_group"), "head_sha")
    return Change(name, triggered or queued or environ.get("GITHUB_SHA") or None)


def secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Give the values of variables whose names say that they are secret."""
    return tuple(value for name, value in environ.items() if _SECRET.search(name))


def _is_fork(head: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    # The repository is null where a fork was deleted.
    theirs, ours = _mapping(head, "repo"), _mapping(base, "repo")
    return theirs.get("full_name") != ours.get("full_name")


def _of_kind(kind: type[Value], data: Mapping[str, Any], key: str) -> Value | None:
    value = data.get(key)
    return value if isinstance(value, kind) else None


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, Mapping) else {}


def _value(environ: Mapping[str, str], name: str) -> str:
    upper = name.upper()
    spellings = (f"INPUT_{upper}", f"INPUT_{upper.replace('-', '_')}")
    return next((value for s in spellings if (value := environ.get(s, "").strip())), "")


def _wrong(name: str, what: str, hint: str = "") -> InputError:
    return InputError(f"input {name}: {what}", hint=hint)


def _check_trust(found: Change) -> None:
    if found.event == _PRIVILEGED and found.fork:
        raise InputError(
            f"{_PRIVILEGED} would hand this repository's secrets to the spec of a fork",
            hint="run on pull_request",
        )


def _specs(value: str) -> tuple[str, ...]:
    lines = dict.fromkeys(line.strip() for line in value.splitlines())
    specs = tuple(line for line in lines if line)
    if not specs:
        raise _wrong("spec", "it is needed", "write spec: evals/rag.yaml below with:")
    return specs


def _fail_on(value: str) -> FailOn:
    known = get_args(FailOn)
    if value not in known:
        what = f"{value!r} is none of {', '.join(known)}"
        raise _wrong("fail-on", what, did_you_mean(value, known))
    return cast("FailOn", value)


def _args(value: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(value))
    except ValueError as error:
        raise _wrong("args", f"{error}".lower()) from None
    for option in _own_options(words):
        hint = f"write {option.removeprefix('--')}: ... below with:"
        raise _wrong("args", f"{option} is an input of its own", hint)
    return words


def _own_options(words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        option = word.partition("=")[0]
        if option in _OWN:
            yield option
