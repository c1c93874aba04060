"""What a judge is asked, and what it must answer: one verdict on each numbered thing.

A reply is validated with the texts of the question as its context. A judge never gives
a score: it says of every claim, passage or anchor one thing, by its number, and the
metrics count. Verdicts come back in the order of what they are on.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    ValidationInfo,
    field_validator,
)

from runner.model import Task
from runner.units import count

# A strict schema forbids further keys to the judge; one that comes does no harm.
_LENIENT = ConfigDict(
    frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False}
)


class _Reply(BaseModel):
    model_config = _LENIENT


class _Verdict(_Reply):
    number: int
    reason: str
    """Asked for before the verdict, so that it follows from it; read by nobody."""


_AnyVerdict = TypeVar("_AnyVerdict", bound=_Verdict)


def _one_each(
    verdicts: Sequence[_AnyVerdict], info: ValidationInfo, of: str
) -> list[_AnyVerdict]:
    """Give the verdicts by their numbers, which must be 1 to the number of things."""
    wanted = len(_asked(info, of))
    if len(verdicts) != wanted:
        things = count(wanted, of.removesuffix("s"))
        raise ValueError(f"{count(len(verdicts), 'verdict')} on {things}")
    ordered = sorted(verdicts, key=lambda verdict: verdict.number)
    for number, verdict in enumerate(ordered, 1):
        if verdict.number != number:
            raise ValueError(f"the verdicts are not numbered from 1 to {wanted}")
    return ordered


def _asked(info: ValidationInfo, name: str) -> Sized:
    """Give one of the texts that the judge was asked about."""
    texts: dict[str, Any] = info.context or {}
    found: Sized = texts[name]
    return found


def _said(texts: Sequence[str]) -> list[str]:
    """Give the texts that say something, each once, in their order."""
    stripped = [text.strip() for text in texts]
    return list(dict.fromkeys(text for text in stripped if text))


def _word(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


Said = Annotated[list[str], AfterValidator(_said)]


class Claims(_Reply):
    """What a text claims; nothing twice, so that saying it again gains nothing."""

    claims: Said


CLAIMS = Task("claims", 1, Claims)
"""``question``, ``text``: the claims that the text makes."""


class Supported(_Verdict):
    """Whether a claim follows from passages, and which it rests on, from 1."""

    passages: list[int]
    supported: bool


class Support(_Reply):
    """A verdict on each claim; a supported one rests on a passage that exists."""

    verdicts: list[Supported]

    @field_validator("verdicts")
    @classmethod
    def _hold(cls, verdicts: list[Supported], info: ValidationInfo) -> list[Supported]:
        came = len(_asked(info, "passages"))
        for verdict in verdicts:
            if verdict.supported and not verdict.passages:
                raise ValueError(f"claim {verdict.number} rests on no passage")
            if wrong := [n for n in verdict.passages if not 1 <= n <= came]:
                raise ValueError(f"there is no passage {wrong[0]}")
        return _one_each(verdicts, info, "claims")


SUPPORT = Task("support", 1, Support)
"""``question``, ``passages``, ``claims``: which claims follow from the passages."""
