"""What the endpoint of a spec may hold; the descriptions reach schema and docs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from runner.model import Match
from runner.spec._amounts import Bytes, Given, Rate, Seconds, Whole, Word
from runner.spec._auth import AuthSpec
from runner.spec._part import OneOf, Part
from runner.spec._response import UNMAPPED, ResponseMap
from runner.spec._steps import Method, StepSpec


class WaitFor(Part):
    """What must answer before the first case is asked."""

    url: str = Field(description="Waited for until it answers with 2xx.")
    timeout: Seconds = Field(60.0, description="How long to wait.")


class Start(Part):
    """A command that starts the system under test, on the command line only."""

    command: str = Field(min_length=1, description="Run without a shell.")
    cwd: str = Field(".", description="The folder to run it in.")


class Rival(Part):
    """Another endpoint, such as production, which is asked the same cases."""

    url: str = Field(
        min_length=1,
        description="Where it is; a template. All else is as `endpoint` says.",
    )
    headers: dict[str, str] | None = Field(
        None, description="Its headers, instead of those of `endpoint`."
    )
    auth: AuthSpec | None = Field(
        None, description="How it is told who asks, in the place of that of `endpoint`."
    )


_OF_HTTP = dict.fromkeys(
    ("method", "headers", "auth", "query", "wait_for", "start"), "url"
)
_FOREIGN: Mapping[str, Mapping[str, str]] = {
    "url": {"cwd": "command and python"},
    "steps": {
        **dict.fromkeys(("method", "query", "body"), "one of them"),
        "cwd": "command and python",
    },
    "command": _OF_HTTP,
    "python": _OF_HTTP,
}
"""By the way to ask, the keys that say nothing then, and where they belong."""

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def _function(value: str | None) -> str | None:
    if value is not None and not _FUNCTION.fullmatch(value):
        raise ValueError(f"{value!r} names no function (write module:function)")
    return value


class EndpointSpec(OneOf):
    """The RAG system under test, as a black box, reached in one of four ways.

    ``url``, ``headers``, ``query`` and ``body`` are templates as written; the spec's
    ``variables`` hold the environment's values for the ``${NAME}`` in them.
    """

    choices = ("url", "steps", "command", "python")
    url: Given = Field(None, description="Where to send a case; a template.")
    steps: tuple[StepSpec, ...] = Field(
        (),
        description="Instead of `url`, several requests for one case, in their order, "
        "each of which may use the replies before it.",
    )
    command: Given = Field(
        None,
        description="Instead of `url`, a program that is run for each case, without a "
        "shell: JSON on its standard input, the reply as JSON on its standard output; "
        "on the command line only.",
    )
    python: Annotated[Given, AfterValidator(_function)] = Field(
        None,
        description="Instead of `url`, `module:function`, which is called with the "
        "question, or question and case, and gives the reply; on the command line "
        "only.",
    )
    cwd: Given = Field(
        None,
        description="The folder that `command` runs in, and that has the module of "
        "`python`; that of the spec when left out.",
    )
    method: Method = Field(None, description="POST where there is a body, else GET.")
    headers: dict[str, str] = Field({}, description="Templates by header name.")
    auth: AuthSpec | None = Field(
        None, description="How it is told who asks, where a header alone does not do."
    )
    query: dict[str, Any] = Field({}, description="URL parameters; templates.")
    body: Any = Field(
        None,
        description="Sent as JSON; every string is a template. What `command` and "
        "`python` get when it is left out is all that templates may read.",
    )
    response: ResponseMap = Field(
        ResponseMap(), description="Where in the reply things stand."
    )
    turns: Literal["given", "live"] = Field(
        "given",
        description="Earlier turns of a case: `given` = templates read them as "
        "`history`; `live` = each earlier question is asked first, with the same "
        "`uuid`, and `history` has the answers that came.",
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
    timeout: Seconds = Field(
        30.0,
        description="Of one attempt, as a whole; of each step, where there are steps.",
    )
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

    @model_validator(mode="before")
    @classmethod
    def _of_steps(cls, written: object) -> object:
        """Map what is left out to null: the default expressions name no step."""
        if not isinstance(written, Mapping) or not written.get("steps"):
            return written
        response = written.get("response", {})
        if not isinstance(response, Mapping):
            return written
        return {**written, "response": {**UNMAPPED, **response}}

    @property
    def requests(self) -> tuple[StepSpec, ...]:
        """What is sent for a case over HTTP; the only one has no name."""
        if self.steps or self.url is None:
            return self.steps
        only = {key: getattr(self, key) for key in ("url", "method", "query", "body")}
        return (StepSpec.model_construct(name="", stream=self.response.stream, **only),)

    def with_method(self) -> Self:
        """Give it with the method that a single request without one has."""
        if self.method is not None or self.url is None:
            return self
        method = "GET" if self.body is None else "POST"
        return self.model_copy(update={"method": method})

    def elsewhere(self, rival: Rival) -> Self:
        """Give it at another address, where nothing is started or waited for."""
        headers = self.headers if rival.headers is None else rival.headers
        own = {"url": rival.url, "headers": headers, "auth": rival.auth}
        return self.model_copy(update={**own, "start": None, "wait_for": None})

    @model_validator(mode="after")
    def _belongs(self) -> Self:
        """Refuse keys that belong to another way to ask."""
        (way,) = self.chosen
        for key, owner in _FOREIGN[way].items():
            if key in self.model_fields_set:
                raise ValueError(f"has {way}, and {key} belongs to {owner}")
        if self.python and self.response.stream:
            raise ValueError("has python, and a function gives no stream")
        return self
