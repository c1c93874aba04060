"""What a judge is asked, and what it must answer: one verdict on each numbered thing.

A reply is validated with the texts of the question as its context. A judge never gives
a score: it says of every claim, passage or anchor one thing, by its number, and the
metrics count. Verdicts come back in the order of what they are on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    field_validator,
)

from runner.model import Task
from runner.units import count

GENERATED = 3  # questions that a judge writes to an answer, as in Ragas
BATCH = 25  # things to rate in one prompt; of many more a model loses count

# A strict schema forbids further keys to the judge; one that comes does no harm.
_LENIENT = ConfigDict(
    frozen=True,
    extra="ignore",
    json_schema_extra={"additionalProperties": False},
    defer_build=True,
)


def batches(things: Sequence[str]) -> Iterator[Sequence[str]]:
    """Divide things, in their order, into batches that fit one prompt."""
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]


def _count(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are no number")
    return value


Number = Annotated[int, BeforeValidator(_count)]


class _Reply(BaseModel):
    model_config = _LENIENT


class _Verdict(_Reply):
    number: Number
    reason: str
    """Asked for before the verdict, so that it follows from it; read by nobody."""


_AnyVerdict = TypeVar("_AnyVerdict", bound=_Verdict)


def _one_each(
    verdicts: Sequence[_AnyVerdict], info: ValidationInfo, of: str
) -> list[_AnyVerdict]:
    """Give the verdicts in order; their numbers must be 1 to that of the things."""
    wanted = len(_asked(info, of))
    if len(verdicts) != wanted:
        things = count(wanted, of.removesuffix("s"))
        raise ValueError(f"{count(len(verdicts), 'verdict')} on {things}")
    ordered = sorted(verdicts, key=lambda verdict: verdict.number)
    for number, verdict in enumerate(ordered, 1):
        if verdict.number != number:
            raise ValueError(f"the verdicts are not numbered from 1 to {wanted}")
    return ordered


class _Verdicts(_Reply, Generic[_AnyVerdict]):
    """A verdict on each of the numbered things."""

    of: ClassVar[str]
    """What these are called in the question."""

    verdicts: list[_AnyVerdict]

    @field_validator("verdicts")
    @classmethod
    def _each(
        cls, verdicts: list[_AnyVerdict], info: ValidationInfo
    ) -> list[_AnyVerdict]:
        return _one_each(verdicts, info, cls.of)


def _asked(info: ValidationInfo, name: str) -> Any:
    """Give one of the texts in the prompt, which validation has as its context."""
    texts: dict[str, Any] = info.context or {}
    return texts[name]


def _said(texts: Sequence[str]) -> list[str]:
    """Give the texts that are not blank, each once, in their order."""
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

    passages: list[Number]
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


SUPPORT = Task("support", 1, Support, "claims")
"""``question``, ``passages``, ``claims``: which claims follow from the passages."""


class Questions(_Reply):
    """Questions that a text answers; none where it commits itself to nothing."""

    noncommittal: bool
    questions: Said

    @field_validator("questions")
    @classmethod
    def _enough(cls, questions: list[str], info: ValidationInfo) -> list[str]:
        if not info.data.get("noncommittal") and len(questions) != GENERATED:
            came = count(len(questions), "question")
            raise ValueError(f"{came} of the {GENERATED} that were asked for")
        return questions


QUESTIONS = Task("questions", 1, Questions)
"""``answer``: three different questions that it answers."""


class Useful(_Verdict):
    """Whether a passage helps to arrive at the reference."""

    useful: bool


class Usefulness(_Verdicts[Useful]):
    """A verdict on each passage."""

    of = "passages"


USEFULNESS = Task("usefulness", 1, Usefulness, "passages")
"""``question``, ``reference``, ``passages``: which passages help to the reference."""


class Anchored(_Verdict):
    """How an answer stands to a fact."""

    status: Annotated[
        Literal["explicit", "implied", "absent", "contradicted"], BeforeValidator(_word)
    ]


class Anchors(_Verdicts[Anchored]):
    """A verdict on each anchor."""

    of = "anchors"


ANCHORS = Task("anchors", 1, Anchors, "anchors")
"""``question``, ``answer``, ``anchors``: how the answer stands to each fact."""


class Answered(_Verdict):
    """How far an answer settles one of the things that were asked."""

    status: Annotated[Literal["complete", "partial", "missing"], BeforeValidator(_word)]


class Intents(_Verdicts[Answered]):
    """A verdict on each intent."""

    of = "intents"


INTENTS = Task("intents", 1, Intents, "intents")
"""``question``, ``answer``, ``intents``: how far the answer settles each of them."""


class Cited(_Verdict):
    """Whether a passage says what it is cited for."""

    says: bool


class Citations(_Verdicts[Cited]):
    """A verdict on each citation."""

    of = "citations"


CITATIONS = Task("citations", 1, Citations, "citations")
"""``question``, ``passages``, ``citations``: whether each passage says what it is cited
for; a citation is the passage's number and the statement, as ``passage 2: ...``."""
