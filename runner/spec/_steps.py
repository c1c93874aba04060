"""What one request may hold where a case takes several."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from runner.spec._amounts import Seconds
from runner.spec._auth import AuthSpec
from runner.spec._part import Part
from runner.spec._response import Framing

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = frozenset("and else false if in is loop none not or self true".split())
_SHORTEST = 0.1


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _named(value: str) -> str:
    if value.lower() in _WORDS:
        raise ValueError(f"no step can be called {value!r}: templates use the word")
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} is no name: write letters, digits and _")
    return value


def _unhurried(value: float) -> float:
    if value < _SHORTEST:
        raise ValueError("is shorter than 100ms, the shortest there is")
    return value


Method = Annotated[
    Literal["GET", "POST", "PUT", "PATCH"] | None, BeforeValidator(_upper)
]


class StepSpec(Part):
    """One request of several; templates as written."""

    name: Annotated[str, AfterValidator(_named)] = Field(
        description="What later templates, and `response`, call its reply."
    )
    url: str = Field(min_length=1, description="Where to send it; a template.")
    method: Method = Field(None, description="POST where there is a body, else GET.")
    headers: dict[str, str] = Field(
        {}, description="Besides those of the endpoint; the same name replaces one."
    )
    auth: AuthSpec | None = Field(
        None, description="In the place of that of the endpoint."
    )
    query: dict[str, Any] = Field({}, description="URL parameters; templates.")
    body: Any = Field(None, description="Sent as JSON; every string is a template.")
    stream: Framing | None = Field(
        None,
        description="How a reply that comes in pieces is framed; then it is called "
        "`NAME.events`.",
    )
    error: str | None = Field(
        None,
        description="JMESPath over this reply. Truthy = the call failed although HTTP "
        "said 200; the value is the message.",
    )
    until: str | None = Field(
        None,
        description="JMESPath over this reply. The request is sent again until it is "
        "truthy.",
    )
    every: Annotated[Seconds, AfterValidator(_unhurried)] = Field(
        1.0, description="How long to wait between two such requests."
    )
    timeout: Seconds | None = Field(
        None,
        description="Of this request; with `until`, of all of them together. As "
        "`endpoint.timeout` when left out.",
    )
