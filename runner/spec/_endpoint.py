"""What the endpoint of a spec may hold; the descriptions reach schema and docs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from runner.model import Frozen, Match
from runner.spec._amounts import Bytes, Rate, Seconds, Whole, Word


class Part(Frozen):
    """A mapping of the spec."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are planned and refused until they are built."""


class ContextMap(Part):
    """JMESPath within one passage; null where the system does not show it."""

    id: str | None = Field("id", description="The id of the passage.")
    text: str | None = Field("text", description="Its text.")
    score: str | None = Field("score", description="Its score, which is only shown.")
    document: str | None = Field(
        "document", description="The document that it belongs to."
    )
    tenant: str | None = Field("tenant", description="Whose it is.")


class CitationMap(Part):
    """Citations as marks in the answer, or as positions in the reply."""

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
    def _one_form(self) -> Self:
        if (self.path is None) == (self.pattern is None):
            raise ValueError("needs either pattern or path")
        if self.of is not None and self.first is None:
            raise ValueError("has `of`, and no `first` to count from")
        return self


def _form(value: object) -> str:
    if value is None:
        return "none"
    return "marks" if isinstance(value, Mapping | CitationMap) else "path"


_EVENTLESS = ("contexts", "citations", "refused", "usage")
_NO_ANSWER = (
    "has `stream` and no `answer`: write where in the events it stands, such as "
    "join('', events[].data.choices[0].delta.content), or null where there is none"
)


class ResponseMap(Part):
    """Where in the reply things stand: JMESPath expressions."""

    stream: Literal["sse", "ndjson", "prefixed"] | None = Field(
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
    scope: Literal["retrieved", "cited"] = Field(
        "retrieved",
        description="`cited` = the server shows only what it cited, so that ranking "
        "metrics are unscored.",
    )
    strip: tuple[str, ...] = Field(
        (), description="Regular expressions to cut out of the answer."
    )

    @model_validator(mode="before")
    @classmethod
    def _of_events(cls, written: object) -> object:
        """Give no expression to what a stream leaves out: the usual ones find nothing.

        The answer is the exception, since without it nothing is judged.
        """
        if not isinstance(written, Mapping) or written.get("stream") is None:
            return written
        if "answer" not in written:
            raise ValueError(_NO_ANSWER)
        return {**dict.fromkeys(_EVENTLESS), **written}


class WaitFor(Part):
    """What must answer before the first case is asked."""

    url: str = Field(description="Waited for until it answers with 2xx.")
    timeout: Seconds = Field(60.0, description="How long to wait.")


class Start(Part):
    """A command that starts the system under test, on the command line only."""

    command: str = Field(min_length=1, description="Run without a shell.")
    cwd: str = Field(".", description="The folder to run it in.")


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


class Rival(Part):
    """Another endpoint, such as production, which is asked the same cases."""

    url: str = Field(
        min_length=1,
        description="Where it is; a template. All else is as `endpoint` says.",
    )
    headers: dict[str, str] | None = Field(
        None, description="Its headers, in the place of those of `endpoint`."
    )


class EndpointSpec(Part):
    """The RAG system under test, as a black box.

    ``url``, ``headers``, ``query`` and ``body`` are templates as written; the spec's
    ``variables`` hold the environment's values for the ``${NAME}`` in them.
    """

    later = frozenset({"steps", "auth"})

    url: str = Field(min_length=1, description="Where to send a case; a template.")
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH"] | None, BeforeValidator(_upper)
    ] = Field(None, description="POST where there is a body, else GET.")
    headers: dict[str, str] = Field({}, description="Templates by header name.")
    query: dict[str, Any] = Field({}, description="URL parameters; templates.")
    body: Any = Field(None, description="Sent as JSON; every string is a template.")
    response: ResponseMap = Field(
        ResponseMap(), description="Where in the reply things stand."
    )
    match: Match = Field(
        "chunk",
        description="Compare whole ids, or only the part before the last `#`.",
    )
    shared_tenants: tuple[Word, ...] = Field(
        (), description="Tenants whose passages everybody may see."
    )
    concurrency: Whole = Field(
        8, ge=1, le=256, description="Requests under way at once."
    )
    rate_limit: Rate | None = Field(
        None, description="The most requests in a time; no limit when left out."
    )
    timeout: Seconds = Field(30.0, description="Of one attempt, as a whole.")
    retries: Whole = Field(
        2,
        ge=0,
        le=20,
        description="Further attempts after connection errors, time-outs, 429 and "
        "502 to 504.",
    )
    stop_after: Whole = Field(
        20, ge=1, description="Service failures in a row that end the run."
    )
    max_response: Bytes = Field(
        10 * 2**20, description="A longer reply is a failed call."
    )
    wait_for: WaitFor | None = Field(
        None, description="What must answer before the first case is asked."
    )
    start: Start | None = Field(
        None, description="Starts the system; on the command line only."
    )
