"""Validates the inputs of the action and the event of a workflow into Settings.

Pure functions over mappings: what a workflow gives stands in variables and in a JSON
payload, and both are read elsewhere.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, get_args

from runner.errors import InputError, did_you_mean
from runner.gates import FailOn, Loosened
from runner.hosts import Host
from runner.redact import names_secret
from runner.settings._access import allowed, gateway
from runner.settings._branches import Branches, branches
from runner.settings._change import Change, change
from runner.settings._rights import (
    REMEDIES,
    NoComment,
    PullOrigin,
    pull_origin,
    why_no_comment,
)
from runner.settings._run import Run, run
from runner.settings._trust import own_commits, stranger, withheld

__all__ = [
    "INPUTS",
    "REMEDIES",
    "Branches",
    "Change",
    "CommentOn",
    "NoComment",
    "PullOrigin",
    "Run",
    "Settings",
    "branches",
    "change",
    "no_comment",
    "pull_origin",
    "read",
    "run",
    "secrets",
    "stranger",
    "withheld",
]

CommentOn = Literal["always", "change", "failure", "never"]
"""When a comment is created; an existing one is always updated."""

_YesNo = Literal["true", "false"]

INPUTS: Mapping[str, str] = {
    "spec": "",
    "fail-on": "gate",
    "baseline": "",
    "loosened": "warn",
    "out": "rag-eval-results",
    "token": "",
    "comment": "always",
    "comment-key": "",
    "allowed-hosts": "",
    "host-gateway": "auto",
    "allow-untrusted-spec": "false",
    "args": "",
    "publish": "",
}
"""Every input of the action, with its default; an empty value is not given."""

_OWN = {"--fail-on", "--baseline", "--loosened", "--out"}


class Settings(NamedTuple):
    """The inputs of the action and what its event tells, validated."""

    specs: tuple[str, ...]
    """Paths and globs, relative to the workspace."""
    fail_on: FailOn
    baseline: str | None
    out: str
    args: tuple[str, ...]
    """More options of ``rag-eval run``."""
    change: Change
    run: Run
    token: str = ""
    """Of GitHub's API; with none there is no comment."""
    comment: CommentOn = "always"
    comment_key: str = ""
    """Distinguishes comments of one job, as in a matrix."""
    publish: str = ""
    """The folder of another run's results; where it is given nothing is evaluated."""
    allowed: tuple[Host, ...] = ()
    """The only hosts that may be asked; empty where all may."""
    gateway: str = "auto"
    """The host of the runner as seen from the container; or ``auto``, ``off``."""
    own: frozenset[str] = frozenset()
    """Commits that are known to be of this repository, and of no fork."""
    trusting: bool = False
    """Whether a spec of a fork may run with secrets (``allow-untrusted-spec``)."""
    loosened: Loosened = "warn"
    """What a limit that is looser than at the base commit does to the verdict."""
    branches: Branches = Branches()
    """Which branch the run is held against."""


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
    if given["publish"]:
        _check_alone(given)
    return Settings(
        specs=() if given["publish"] else _specs(given["spec"]),
        fail_on=_one_of("fail-on", given, FailOn),
        baseline=given["baseline"] or None,
        out=given["out"],
        args=_args(given["args"]),
        change=found,
        run=run(environ),
        token=given["token"],
        comment=_one_of("comment", given, CommentOn),
        comment_key=given["comment-key"],
        publish=given["publish"],
        allowed=allowed(given["allowed-hosts"]),
        gateway=gateway(given["host-gateway"]),
        own=own_commits(environ, event),
        trusting=_one_of("allow-untrusted-spec", given, _YesNo) == "true",
        loosened=_one_of("loosened", given, Loosened),
        branches=branches(environ, event, found),
    )


def check_names(environ: Mapping[str, str]) -> None:
    """Refuse an input whose name is nearly one of the action's: a typo.

    Raises:
        InputError: A name is misspelt; a name that resembles none is not ours.
    """
    for variable in environ:
        name = variable.removeprefix("INPUT_").replace("_", "-").lower()
        if not variable.startswith("INPUT_") or name in INPUTS:
            continue
        if hint := did_you_mean(name, INPUTS):
            raise _wrong(name, "there is no such input", hint)


def no_comment(found: Settings) -> NoComment | None:
    """Give why no comment can be written; None where one can."""
    if found.comment == "never":
        return NoComment("the input comment is never")
    return why_no_comment(found.change, found.token)


def secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Give the values of variables whose names say that they are secret."""
    return tuple(value for name, value in environ.items() if names_secret(name))


def _value(environ: Mapping[str, str], name: str) -> str:
    upper = name.upper()
    spellings = (f"INPUT_{upper}", f"INPUT_{upper.replace('-', '_')}")
    return next((value for s in spellings if (value := environ.get(s, "").strip())), "")


def _wrong(name: str, what: str, hint: str = "") -> InputError:
    return InputError(f"input {name}: {what}", hint=hint)


def _check_alone(given: Mapping[str, str]) -> None:
    for name in ("spec", "baseline", "args"):
        if given[name]:
            what = f"with it nothing is evaluated, and {name} would say nothing"
            raise _wrong("publish", what, f"leave out one of publish and {name}")


def _specs(value: str) -> tuple[str, ...]:
    lines = dict.fromkeys(line.strip() for line in value.splitlines())
    specs = tuple(line for line in lines if line)
    if not specs:
        raise _wrong("spec", "it is needed", "write spec: evals/rag.yaml below with:")
    return specs


def _one_of(name: str, given: Mapping[str, str], words: Any) -> Any:
    value, known = given[name], get_args(words)
    if value not in known:
        what = f"{value!r} is none of {', '.join(known)}"
        raise _wrong(name, what, did_you_mean(value, known))
    return value


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
