"""Rates texts: renders prompts, caches and validates replies, stops when all fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from runner.judges._api import vectors
from runner.judges._breaker import CircuitBreaker
from runner.judges._meter import BudgetSpent, Meter
from runner.judges._replies import Invalid, read, validated
from runner.judges._single_flight import SingleFlight
from runner.judges.chat import Chat
from runner.judges.recorded import Recording
from runner.model import JudgeAccount, Reply, Task, Unrated
from runner.spec import JudgeSpec
from runner.templating import Prompt, Prompts
from runner.text import language
from runner.units import count

_AGAIN = "That is not valid: {why}. Reply again, in the form that was asked for."
_QUOTED = 4_000  # characters of a reply that was not valid, when it is asked for again


class Sources(NamedTuple):
    """Where replies come from, in this order; each may be absent."""

    recording: Recording | None = None
    cache: Recording | None = None
    chat: Chat | None = None


class Judging:
    """Rates for a run; threads share it.

    What was asked before is not asked again: not in this run, and with a cache in none
    after it. A reply that is not valid is asked for once more. After ``stop_after``
    ratings that failed in a row nothing is asked any more.

    Args:
        spec: The judge's block.
        templates: The folder of the prompts.
        sources: Where replies come from.
        meter: Counts what is rated.
        hide: Takes secrets out of what is sent and told.
    """

    def __init__(
        self,
        spec: JudgeSpec,
        templates: Path,
        sources: Sources,
        meter: Meter,
        hide: Callable[[str], str],
    ) -> None:
        self._spec = spec
        self._prompts = Prompts(templates)
        self._sources = sources
        self._meter = meter
        self._hide = hide
        self._single_flight = SingleFlight()
        self._breaker = CircuitBreaker(spec.stop_after)

    def judge(self, trial: int = 1, *, fresh: bool = False) -> TrialJudge:
        """Give the judge of one trial of a case.

        Another trial is another answer, and is rated by itself even where it says the
        same. A ``fresh`` one asks past every memory, and leaves nothing behind.
        """
        return TrialJudge(self, trial, fresh=fresh)

    def account(self) -> JudgeAccount:
        """Give what was counted so far."""
        return self._meter.account()

    def notices(self) -> list[str]:
        """Give notices on where replies came from."""
        recording, cache, chat = self._sources
        said = list(chat.notices()) if chat else []
        for name, file in (("cache", cache), ("recorded", recording)):
            if file and file.unread:
                lines = count(file.unread, "line")
                said.append(f"judge.{name}: {lines} could not be read")
        return [self._hide(line) for line in said]

    def stop(self) -> None:
        """End every call in flight; nothing is asked any more."""
        if self._sources.chat:
            self._sources.chat.close()

    def close(self) -> None:
        """End every call in flight, and close the files."""
        for source in self._sources:
            if source:
                source.close()

    def rate(
        self, task: Task[Reply], texts: dict[str, Any], trial: int, *, fresh: bool
    ) -> Reply:
        """Give the reply to a task about some texts.

        Raises:
            Unrated: None came that is valid; why, without secrets.
        """
        spoken = language(*(text for text in texts.values() if isinstance(text, str)))
        prompt = self._prompts.render(f"{task.name}.{spoken}", texts)
        prompt = prompt._replace(data=self._hide(prompt.data))
        about = {"task": task.name, "version": task.version}
        wanted = _Query(
            key_of(self._spec.identity, about, prompt, trial),
            {**about, "model": self._spec.model},
            partial(self._ask_twice, task, texts, prompt),
            partial(_is_valid, task, texts),
        )
        return validated(task, texts, self._reply(wanted, fresh=fresh))

    def embed(self, texts: Sequence[str], *, fresh: bool) -> Sequence[Sequence[float]]:
        """Give one vector for each text.

        Raises:
            Unrated: None came; why, without secrets.
        """
        hidden = [self._hide(text) for text in texts]
        model = self._spec.embeddings and self._spec.embeddings.model
        about = {"task": "embeddings", "model": model}
        wanted = _Query(
            key_of({}, about, hidden, 1),
            about,
            partial(self._vectors, hidden),
            partial(_are_vectors, len(texts)),
        )
        found: Sequence[Sequence[float]] = self._reply(wanted, fresh=fresh)
        return found

    def _reply(self, wanted: _Query, *, fresh: bool) -> Any:
        if fresh:
            return self._ask_and_count(wanted.ask)
        return self._single_flight.get(wanted.key, partial(self._look_up, wanted))

    def _look_up(self, wanted: _Query) -> Any:
        """Give the stored reply, else ask and store the reply."""
        recording, cache, _ = self._sources
        for store in (recording, cache):
            kept = store.get(wanted.key) if store else None
            if kept is not None and wanted.fits(kept):
                self._meter.rated(stored=True)
                return kept
        reply = self._ask_and_count(wanted.ask)
        if cache:
            cache.put(wanted.key, reply, **wanted.about)
        return reply

    def _ask_and_count(self, ask: Callable[[], Any]) -> Any:
        """Ask, unless the circuit breaker is open, and count the result."""
        try:
            self._breaker.check()
            reply = ask()
        except Unrated as error:
            self._meter.failed()
            reason = self._hide(error.reason)
            if not isinstance(error, BudgetSpent | NotRecorded):
                self._breaker.failed(reason)
            raise Unrated(reason) from None
        self._breaker.held()
        self._meter.rated(stored=False)
        return reply

    def _ask_twice(self, task: Task[Any], texts: dict[str, Any], prompt: Prompt) -> Any:
        """Ask the model, a second time where its reply is not valid."""
        chat, schema = self._chat(), schema_of(task)
        said = chat.say(prompt, schema)
        try:
            return read(task, texts, said)
        except Invalid as error:
            turns = _turns(said, str(error))
        try:
            return read(task, texts, chat.say(prompt, schema, turns))
        except Invalid as error:
            raise Unrated(f"the judge's reply is not valid: {error}") from None

    def _vectors(self, texts: Sequence[str]) -> Any:
        return self._chat().vectors(texts)

    def _chat(self) -> Chat:
        if self._sources.chat is None:
            raise NotRecorded(
                "the recording has no such reply (model, prompt or text differ)"
            )
        return self._sources.chat


class NotRecorded(Unrated):
    """The recording has no such reply, and no model is asked."""


class TrialJudge:
    """The judge of one trial of a case, as a metric sees it."""

    def __init__(self, judging: Judging, trial: int, *, fresh: bool) -> None:
        self._judging = judging
        self._trial = trial
        self._fresh = fresh

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply to a task about some texts.

        Raises:
            Unrated: None came that is valid.
        """
        return self._judging.rate(task, texts, self._trial, fresh=self._fresh)

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give one vector for each text.

        Raises:
            Unrated: None came, or there is nobody to ask.
        """
        return self._judging.embed(texts, fresh=self._fresh)


class _Query(NamedTuple):
    """One question: its key in caches, how it is asked, how a reply is checked."""

    key: str
    about: Mapping[str, Any]
    """Readable fields that are stored beside the reply."""
    ask: Callable[[], Any]
    fits: Callable[[Any], bool]
    """Whether a stored reply is still valid."""


def key_of(
    identity: Mapping[str, Any], about: Mapping[str, Any], sent: Any, trial: int
) -> str:
    """Hash a question into the key of its stored reply.

    Args:
        identity: What decides a judge's ratings.
        about: The task and its version.
        sent: All that was asked.
        trial: Of the case, from 1.
    """
    parts = [identity, about, sent, *([trial] if trial > 1 else [])]
    return blake2b(to_json(parts), digest_size=16).hexdigest()


def _is_valid(task: Task[Any], texts: dict[str, Any], found: Any) -> bool:
    try:
        validated(task, texts, found)
    except Invalid:
        return False
    return True


def _are_vectors(wanted: int, found: Any) -> bool:
    try:
        return isinstance(found, list) and len(vectors(found)) == wanted
    except Unrated:
        return False


def _turns(said: str, why: str) -> list[dict[str, str]]:
    """Give the messages that ask again after an invalid reply."""
    again = {"role": "user", "content": _AGAIN.format(why=why)}
    if not said.strip():
        return [again]
    return [{"role": "assistant", "content": said[:_QUOTED]}, again]


@lru_cache(64)
def schema_of(task: Task[Any]) -> Mapping[str, Any]:
    """Give the JSON Schema of what a task asks for."""
    schema: Mapping[str, Any] = task.reply.model_json_schema()
    return schema
