"""A client of an OpenAI-compatible API: chat completions and embeddings."""

from __future__ import annotations

import json
import threading
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from runner import __version__
from runner.errors import InputError
from runner.hosts import Access
from runner.http_client.client import (
    SUCCESS,
    Block,
    Bounds,
    Client,
    Reply,
    Resolve,
    prepared,
    resolve,
)
from runner.judges._api import (
    Address,
    addresses,
    answered,
    credentials,
    embedded,
    error_body,
    usage,
)
from runner.judges._meter import NOTHING, Meter, Tokens
from runner.judges._options import Options
from runner.judges._replies import tokens_about
from runner.model import Failure, Unrated
from runner.responses import Pace, delay_before
from runner.spec import JudgeSpec
from runner.templating import Locate, Prompt, by_path

_BLOCK = Block("judge", {})
_ADVICE = {
    401: " (check judge.api_key)",
    403: " (check judge.api_key)",
    404: " (check judge.url and judge.model)",
}
_RETRIED = frozenset({429, 500, 502, 503, 504})
_COMPLAINTS = frozenset({400, 422})
_ANY = Access()


class Chance(NamedTuple):
    """Time, chance and the addresses of names, each replaceable in a test."""

    uniform: Callable[[float, float], float]
    """A random number between two, for the jitter."""
    sleep: Callable[[float], object] | None = None
    """Waits some seconds; None is a wait that closing cuts short."""
    clock: Callable[[], float] = time.monotonic
    resolve: Resolve = resolve
    """Gives the addresses of a name."""


class _Question(NamedTuple):
    """One thing to ask, whatever the server takes of its options."""

    address: Address
    body: Mapping[str, Any]
    schema: Mapping[str, Any] | None
    """Of the JSON that is wanted; None where no options are sent."""
    tokens: int
    """An estimate of the tokens of the request."""
    material: str
    """Foreign text in it, which no message may repeat."""

    def estimated(self, body: bytes) -> Tokens:
        """Estimate its tokens, where the server does not state them."""
        return Tokens(self.tokens, tokens_about(body.decode(errors="replace")))


class Chat:
    """Asks a model; threads may share it, each has its own connection.

    What a server does not take (a response format, a temperature, a seed) is left out
    from then on.

    Args:
        spec: The judge's block.
        meter: Counts every request, and refuses what the budget does not allow.
        chance: Time, chance and addresses.
        place: Where a key stands in the user's file.
        access: Which hosts may be asked, and where a service at localhost may be.

    Raises:
        InputError: A host may not be asked, or is in no URL.
    """

    def __init__(
        self,
        spec: JudgeSpec,
        meter: Meter,
        chance: Chance,
        *,
        place: Locate = by_path,
        access: Access = _ANY,
    ) -> None:
        self._spec = spec
        self._meter = meter
        self._chance = chance
        self._chat, self._embeddings = addresses(spec)
        self._client = Client(
            self._chat.url,
            _BLOCK,
            Bounds(spec.timeout, spec.max_response),
            place=place,
            access=access,
            resolve=chance.resolve,
        )
        self._pace = Pace(spec.rate_limit, chance.clock)
        self._stopped = threading.Event()
        self._sleep = self._stopped.wait if chance.sleep is None else chance.sleep
        self._options = Options(spec)
        for address in filter(None, (self._chat, self._embeddings)):
            self._client.parsed(address.url, *address.key)

    def say(
        self,
        prompt: Prompt,
        schema: Mapping[str, Any],
        turns: Sequence[Mapping[str, str]] = (),
    ) -> str:
        """Give the model's answer to a prompt.

        Args:
            prompt: Our instructions, and the texts.
            schema: Of the JSON that is wanted.
            turns: Messages that follow, where it is asked again.

        Raises:
            Unrated: It said nothing whole, the budget is used up, nobody answers, or
                its host is at an address that is never reached.
        """
        messages = [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.data},
            *turns,
        ]
        sent = sum(tokens_about(message["content"]) for message in messages)
        model = {"model": self._spec.model, "messages": messages}
        body = {**self._spec.body, **model}
        asked = _Question(self._chat, body, schema, sent, prompt.data)
        return answered(self._ask(asked))

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Give one vector for each text.

        Raises:
            Unrated: As ``say``; or the spec names no model for it.
        """
        address, spec = self._embeddings, self._spec.embeddings
        if address is None or spec is None:
            raise Unrated("no model embeds texts (write judge.embeddings)")
        body = {"model": spec.model, "input": list(texts)}
        sent = sum(map(tokens_about, texts))
        asked = _Question(address, body, None, sent, "\n".join(texts))
        return embedded(self._ask(asked), len(texts))

    def notices(self) -> tuple[str, ...]:
        """Say which options were dropped, and where the server was found."""
        return (*self._options.notices(), *self._client.connector.notices())

    def close(self) -> None:
        """End every call in flight, at once, and drop the connections."""
        self._stopped.set()
        self._client.close()

    def _ask(self, question: _Question) -> Any:
        """Give the JSON of a reply, with retries and without rejected options."""
        attempts = 0
        while True:
            options = self._options.of(question.schema)
            came = self._attempt(question, options)
            if isinstance(came, _Value):
                return came.json
            failure = self._failure(came, options, question)
            if failure is None:
                continue
            attempts += 1
            if (
                not failure.retryable
                or attempts > self._spec.retries
                or self._stopped.is_set()
            ):
                after = f" after {attempts} attempts" if attempts > 1 else ""
                raise Unrated(f"{failure.message}{after}")
            self._sleep(delay_before(failure, attempts, self._chance.uniform))

    def _attempt(
        self, question: _Question, options: Mapping[str, Any]
    ) -> _Value | Reply | Failure:
        """Send a request once, and count its tokens."""
        if delay := self._pace.wait():
            self._sleep(delay)
        request = self._prepare(question.address, {**question.body, **options})
        reserved = self._meter.reserve(question.tokens)
        taken, stated = NOTHING, True
        try:
            deadline = time.monotonic() + self._spec.timeout
            came = self._client.call(request, deadline, *question.address.key)
            if isinstance(came, Failure) or came.status not in SUCCESS:
                return came
            body = came.body.removeprefix(BOM_UTF8)
            value = _Value(from_json(body, allow_inf_nan=False))
            found = usage(value.json)
            taken, stated = found or question.estimated(came.body), found is not None
        except InputError as error:  # what its name stands for now
            raise Unrated(str(error)) from None
        except ValueError:
            what = "the judge's reply is no JSON"
            return Failure("service.malformed", what, retryable=True)
        finally:
            self._meter.settle(reserved, taken, stated=stated)
        return value

    def _prepare(self, address: Address, body: Mapping[str, Any]) -> Any:
        url, authorization = self._client.parsed(address.url, *address.key)
        headers = {
            "User-Agent": f"rag-eval-action/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Content-Type": "application/json",
            **({"Authorization": authorization} if authorization else {}),
            **credentials(self._spec, url),
            **self._spec.headers,
        }
        return prepared("POST", url, headers, json.dumps(body).encode())

    def _failure(
        self, came: Reply | Failure, options: Mapping[str, Any], question: _Question
    ) -> Failure | None:
        """Explain a failed attempt; None where a rejected option was dropped.

        Raises:
            Unrated: A filter of contents stopped it, and would do so again.
        """
        if isinstance(came, Failure):
            return came
        said = error_body(came.body)
        if came.status in _COMPLAINTS and said.filtered:
            raise Unrated("the judge refused to answer: its filter of contents")
        if came.status in _COMPLAINTS and self._options.drop(options, said):
            return None
        shown = said.shown(question.material)
        told = f": {shown}" if shown else ""
        advice = _ADVICE.get(came.status, "")
        explained = self._client.unsuccessful(came, question.address.url)
        return explained._replace(
            message=f"the judge's server answered HTTP {came.status}{advice}{told}",
            retryable=came.status in _RETRIED,
        )


class _Value(NamedTuple):
    """The JSON of a success; it may be anything, null too."""

    json: Any
