"""Where in a reply things stand; the descriptions reach schema and docs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from runner.spec._amounts import Whole
from runner.spec._part import OneOf, Part

Framing = Literal["sse", "ndjson", "prefixed"]
"""How a reply that comes in pieces is divided into events."""


class ContextMap(Part):
    """JMESPath within one passage; null where the system does not show it."""

    id: str | None = Field("id", description="The id of the passage.")
    text: str | None = Field("text", description="Its text.")
    score: str | None = Field("score", description="Its score, which is only shown.")
    document: str | None = Field(
        "document", description="The document that it belongs to."
    )
    tenant: str | None = Field("tenant", description="Whose it is.")


class CitationMap(OneOf):
    """Citations as marks in the answer, or as positions in the reply."""

    choices = ("pattern", "path")

    path: str | None = Field(
        None, description="JMESPath to numbers in the reply, instead of a pattern."
    )
    pattern: str | None = Field(
        None,
        description="Regular expression of a mark in the answer. The first group that "
        "matched is an id, or a position where `first` is given.",
    )
    first: Whole | None = Field(
        None, description="What the first passage is called: `1` for `[1]`."
    )
    of: str | None = Field(
        None, description="JMESPath to the ids that positions count, if not `contexts`."
    )

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if self.of is not None and self.first is None:
            raise ValueError("has `of`, and no `first` to count from")
        return self


def _form(value: object) -> str:
    if value is None:
        return "none"
    return "marks" if isinstance(value, Mapping | CitationMap) else "path"


UNMAPPED = dict.fromkeys(("contexts", "citations", "refused", "usage"))
"""What is null where there is no usual place for it: in events, and in steps."""

_NO_ANSWER = (
    "has `stream` and no `answer`: write where in the events it stands, such as "
    "join('', events[].data.choices[0].delta.content), or null where there is none"
)


class ResponseMap(Part):
    """Where in the reply things stand: JMESPath expressions."""

    stream: Framing | None = Field(
        None,
        description="How a reply that comes in pieces is framed. It is collected into "
        "`{events: [{event, data}]}`, and the expressions read that; then `answer` has "
        "to be written, and what else is left out is null.",
    )
    answer: str | None = Field("answer", description="The answer's text.")
    contexts: str | None = Field(
        "contexts",
        description="The passages, best first; null = this system does not show them.",
    )
    context: ContextMap = Field(
        ContextMap(), description="Where things stand within one passage."
    )
    citations: Annotated[
        Annotated[str, Tag("path")]
        | Annotated[CitationMap, Tag("marks")]
        | Annotated[None, Tag("none")],
        Discriminator(_form),
    ] = Field(
        "citations",
        description="A list of ids, or the form of marks in the answer; null = none.",
    )
    refused: str | None = Field(
        "refused",
        description="A flag that it declined; null = found out from the text alone.",
    )
    error: str | None = Field(
        None,
        description="Truthy = the call failed although HTTP said 200; the value is the "
        "message.",
    )
    usage: str | None = Field("usage", description="A mapping of token counts.")
    session: str | None = Field(
        None,
        description="What the server calls the conversation, which templates read as "
        "`session` in later turns that are played.",
    )
    scope: Literal["retrieved", "cited"] = Field(
        "retrieved",
        description="`cited` = the server shows only what it cited, so that ranking "
        "metrics are unscored.",
    )
    strip: tuple[str, ...] = Field(
        (),
        description="Regular expressions to cut out of the answer; nothing looks at "
        "what is cut out, but for leaks.",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_events(cls, written: object) -> object:
        """Map what is left out to null in a stream, where the default expressions fail.

        The answer is the exception, since without it nothing is judged.
        """
        if not isinstance(written, Mapping) or written.get("stream") is None:
            return written
        if "answer" not in written:
            raise ValueError(_NO_ANSWER)
        return {**UNMAPPED, **written}
