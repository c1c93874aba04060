"""What ``@metric`` reads from a signature: inputs, options and the reference page."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from runner.model import RUN_LEVEL, Better, Layer, Metric, Task, Unscored

INPUTS: Mapping[str, str] = {
    "question": "what the user asks, after what was asked before in the conversation",
    "answer": "the answer, without citation marks",
    "sent": "all answers as they were sent, with what is cut out of them",
    "reference": "the right answer in words",
    "passages": "the retrieved passages, best first",
    "ranking": "the retrieved list held against the case's relevance judgments",
    "citations": "the cited ids",
    "marks": "where citation marks stood in the answer, and what they cite",
    "declined": "whether the reply declined to answer",
    "expect_refusal": "whether declining is right",
    "key_points": "what the answer must state; each point with its spellings",
    "forbidden": "what the answer must not contain",
    "anchors": "the facts that the answer is held against",
    "intents": "the single things that the question asks for",
    "walls": "who asks, and what belongs to somebody else",
    "usage": "the token counts that the reply states",
    "latency": "seconds of the last attempt",
    "time_to_first_token": "seconds to the first part of the answer",
    "judge": "a model that rates tasks, where the spec names one",
}

Cutoff = Annotated[
    int | None,
    Field(
        ge=1,
        strict=True,  # else true would be 1
        description="How many of the top ranks count; all when left out.",
    ),
]

registry: dict[str, Metric] = {}
Function = TypeVar("Function", bound=Callable[..., float | Unscored])


def metric(  # noqa: PLR0913 - the parts of a declaration, each by its name
    *,
    layer: Layer,
    better: Better = "higher",
    version: int = 1,
    bounds: tuple[float | None, float | None] = (0.0, 1.0),
    unit: str = "",
    tasks: tuple[Task[Any], ...] = (),
    embeds: bool = False,
) -> Callable[[Function], Function]:
    """Enter a function into the registry and return it unchanged.

    Positional parameters are inputs, keyword-only ones are options of the spec. An
    input annotated with ``| None`` may be absent; any other that is absent leaves the
    case unscored without a call.

    Args:
        layer: The layer that the metric is evidence for.
        better: The direction of an improvement.
        version: Raised when the same reply gets another number.
        bounds: The least and the greatest value; None where there is no bound.
        unit: What the number counts; empty for a share.
        tasks: What a judge is asked for it, each about once; their versions are part
            of what makes two of its numbers comparable.
        embeds: Whether it has the judge embed texts.

    Raises:
        TypeError: An input is not in the vocabulary, an option has no default, the
            name is taken, or there are tasks and no judge, or a judge and no task.
    """

    def enter(function: Function) -> Function:
        name = function.__name__
        if name in registry or name in RUN_LEVEL:
            raise TypeError(f"metric {name} is declared twice")
        inputs, optional, options = _read(function)
        if bool(tasks) != ("judge" in inputs):
            raise TypeError(f"{name}: a judge needs tasks, and tasks a judge")
        registry[name] = Metric(
            name,
            layer,
            better,
            bounds,
            version,
            inputs,
            optional,
            options,
            function,
            unit,
            tasks,
            embeds,
        )
        return function

    return enter


def _read(function: Callable[..., Any]) -> tuple[tuple[str, ...], frozenset[str], Any]:
    hints = typing.get_type_hints(function, include_extras=True)
    inputs, optional, options = [], set(), {}
    for parameter in inspect.signature(function).parameters.values():
        name, hint = parameter.name, hints[parameter.name]
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                raise TypeError(f"{function.__name__}: option {name} has no default")
            options[name] = (hint, parameter.default)
        elif name not in INPUTS:
            raise TypeError(f"{function.__name__}: unknown input {name}")
        else:
            inputs.append(name)
            if _admits_none(hint):
                optional.add(name)
    return tuple(inputs), frozenset(optional), _options(function.__name__, options)


def _options(name: str, fields: Any) -> type[BaseModel]:
    """Give the model of a metric's options, which is built for those that are used."""
    if not fields:
        return _NoOptions
    return create_model(f"{name}_options", __base__=_NoOptions, **fields)


class _NoOptions(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True
    )


def _admits_none(hint: Any) -> bool:
    return isinstance(hint, types.UnionType) and types.NoneType in typing.get_args(hint)
