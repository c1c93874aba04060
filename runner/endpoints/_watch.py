"""Finds mapped paths that match in no reply: a typo is no fault of the system."""

from __future__ import annotations

from typing import Any

from runner.endpoints._values import described, nearest
from runner.errors import InputError
from runner.model import Passage
from runner.spec import ResponseMap
from runner.templating import Locate
from runner.units import count


class Watch:
    """The paths of answer and passages, each until it was seen once."""

    def __init__(self, spec: ResponseMap, place: Locate) -> None:
        # Nothing is judged by a score, which a search may give or not.
        watched = (spec.context.model_fields_set | {"id", "text"}) - {"score"}
        paths = {field: getattr(spec.context, field) for field in Passage._fields}
        self._unseen: dict[tuple[str, ...], str] = {
            (name,): path
            for name, path in (("answer", spec.answer), ("contexts", spec.contexts))
            if path is not None
        } | {
            ("context", field): path
            for field, path in paths.items()
            if field in watched and path is not None
        }
        self._place = place
        self._replies = 0
        self._reply: Any = None
        self._entry: Any = None

    def answered(self) -> None:
        """Record that a reply had an answer."""
        self._unseen.pop(("answer",), None)

    def see(
        self,
        reply: Any,
        contexts: list[Any] | None,
        passages: tuple[Passage, ...] | None,
    ) -> None:
        """Record the fields of one reply; cheap once every path was seen."""
        if not self._unseen:
            return
        # Threads may lose a count here, which changes a sentence and nothing else.
        self._replies += 1
        if self._reply is None or contexts:  # one with passages has more to show
            self._reply = reply
        if contexts is None or passages is None:
            return
        self._unseen.pop(("contexts",), None)
        if contexts:
            self._entry = contexts[0]
        for key in list(self._unseen):
            if key[0] == "context" and any(
                getattr(passage, key[-1]) is not None for passage in passages
            ):
                self._unseen.pop(key, None)

    def missing(self) -> InputError | None:
        """Give help for the first path that was never seen, None without one."""
        # A copy: threads may be taking paths out.
        for key, path in list(self._unseen.items()):
            sample = self._entry if key[0] == "context" else self._reply
            if sample is not None:
                return self._help(key, path, sample)
        return None

    def _help(self, key: tuple[str, ...], path: str, sample: Any) -> InputError:
        name = key[-1]
        hints = [
            nearest(path, sample),
            f"write {name}: null where the system does not show it",
        ]
        if isinstance(sample, str):
            hints = [
                "a passage is a plain string: write context: {id: null, text: '@'}"
            ]
        what = "reply" if sample is self._reply else "passage"
        return InputError(
            f"`{path}` found nothing in {count(self._replies, 'reply', 'replies')}; "
            f"{described(sample, what)}",
            where=self._place("endpoint", "response", *key),
            hint="; ".join(filter(None, hints)),
        )
