"""What the judge of a spec may hold: the model that rates, its cost, its weight."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, Strict, model_validator

from runner.errors import kind_of
from runner.spec._amounts import Bytes, Rate, Seconds, Share, Whole
from runner.spec._part import Part

ResponseFormat = Literal["json_schema", "json_object", "text"]


_OURS = frozenset(
    {"messages", "model", "n", "response_format", "seed", "stream", "temperature"}
)
"""Fields of a request that have a key of their own, or one meaning alone."""


def _decimal(value: object) -> object:
    """Take numbers, also as the text of an environment variable."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"must be a number, and is {kind_of(value)}") from None


def _line(value: object) -> object:
    """Take what a header can hold; a secret that was pasted often ends with a break."""
    if isinstance(value, str):
        value = value.strip()
        if not (value.isascii() and value.isprintable()):
            raise ValueError("a header holds one line of printable ASCII characters")
    return value


Line = Annotated[str, BeforeValidator(_line)]
Decimal = Annotated[float, BeforeValidator(_decimal), Strict()]


class Embeddings(Part):
    """The model that turns a text into a vector, for the metrics that compare two."""

    url: str | None = Field(
        None, min_length=1, description="Where it is; the judge's own when left out."
    )
    model: str = Field(min_length=1, description="Its name.")


class Price(Part):
    """What a million tokens cost, in USD."""

    input: Decimal = Field(ge=0, description="USD for a million tokens of prompts.")
    output: Decimal = Field(ge=0, description="USD for a million tokens of replies.")


class Budget(Part):
    """What judging may cost; what is not rated then is a failed score, and says so."""

    max_calls: Whole | None = Field(None, ge=1, description="Requests, retries too.")
    max_tokens: Whole | None = Field(None, ge=1, description="Of prompts and replies.")
    max_usd: Decimal | None = Field(None, gt=0, description="By `judge.price`.")
    max_minutes: Decimal | None = Field(
        None, gt=0, description="From the first request on."
    )


class JudgeSpec(Part):
    """The model that rates for the judged metrics, and how far its word counts."""

    url: str | None = Field(
        None,
        min_length=1,
        description="Of an OpenAI-compatible API, such as `https://api.openai.com/v1`; "
        "`/chat/completions` is added. A query, as Azure has it, stays.",
    )
    model: str = Field(min_length=1, description="The name of the model.")
    api_key: Line | None = Field(
        None, description="Sent as `Authorization: Bearer`, to Azure as `api-key`."
    )
    headers: dict[str, Line] = Field({}, description="Further headers.")
    body: dict[str, Any] = Field(
        {},
        description="Further fields of a request, such as `max_tokens` or "
        "`enable_thinking`.",
    )
    response_format: ResponseFormat = Field(
        "json_schema",
        description="How a reply in JSON is asked for; what the server refuses is left "
        "out, down to `text`.",
    )
    temperature: Decimal = Field(0.0, ge=0, le=2, description="Sent to the model.")
    seed: Whole = Field(1, ge=0, description="Sent to the model.")
    timeout: Seconds = Field(60.0, description="Of one attempt, as a whole.")
    retries: Whole = Field(
        2,
        ge=0,
        le=20,
        description="Further attempts after connection errors, time-outs, 429 and 500 "
        "to 504.",
    )
    concurrency: Whole = Field(8, ge=1, le=256, description="Requests at once.")
    rate_limit: Rate | None = Field(
        None, description="The most requests in a time; no limit when left out."
    )
    stop_after: Whole = Field(
        10,
        ge=1,
        description="Ratings that fail in a row before the judge is left alone.",
    )
    max_response: Bytes = Field(
        4 * 2**20, description="A longer reply is a failed attempt."
    )
    embeddings: Embeddings | None = Field(
        None, description="The model for what is compared by its embedding."
    )
    price: Price | None = Field(None, description="USD for a million tokens.")
    budget: Budget = Field(Budget(), description="What judging may cost.")
    when: Literal["passed", "always"] = Field(
        "passed",
        description="`passed`: a metric is judged only where no layer above it "
        "collapsed; `always`: in every case.",
    )
    cache: str | None = Field(
        None,
        min_length=1,
        description="A file of replies, asked for once and used again.",
    )
    recorded: str | None = Field(
        None,
        min_length=1,
        description="A file of replies, instead of a model: nothing is sent.",
    )
    calibration: str | None = Field(
        None,
        min_length=1,
        description="What `rag-eval calibrate` wrote: how far judge and people agree.",
    )
    min_kappa: Share = Field(
        0.6, description="The least agreement with people for a judged limit to block."
    )
    uncalibrated: Literal["warn", "block"] = Field(
        "warn",
        description="What judged limits and pass marks do without such a calibration; "
        "`block` is shown in every report.",
    )
    drift: Share = Field(
        0.05,
        description="Share of the judged scores that are asked for again, past the "
        "cache, and compared; always the same ones.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.url is None and self.recorded is None:
            raise ValueError("needs url, or recorded")
        if taken := sorted(self.body.keys() & _OURS):
            raise ValueError(f"body may not hold {taken[0]}, which is set beside it")
        if self.budget.max_usd is not None and self.price is None:
            raise ValueError("budget.max_usd needs price: {input: ..., output: ...}")
        return self

    @property
    def identity(self) -> dict[str, str | int | float | bool | None]:
        """What decides its ratings, beside the prompts: by this two are the same."""
        embeds = self.embeddings and self.embeddings.model
        more: dict[str, Any] = {"embeddings": embeds} if embeds else {}
        if self.body:
            more["body"] = json.dumps(self.body, sort_keys=True, ensure_ascii=False)
        return {"model": self.model, "temperature": self.temperature, **more}

    @property
    def host(self) -> str:
        """Where prompts go, for people to read; empty where nothing is sent."""
        if self.recorded:
            return ""
        try:
            return urlsplit(self.url or "").netloc.rpartition("@")[2]
        except ValueError:
            return ""
