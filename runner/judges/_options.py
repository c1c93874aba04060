"""The options sent with a prompt, without those that the server rejected before."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from runner.judges._api import ErrorBody
from runner.spec import JudgeSpec

_WEAKER = {"json_schema": "json_object", "json_object": "text"}
_FORMATS = ("response_format", "json_schema", "json_object", "schema")


class Options:
    """The options of every request; threads share them."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._lock = threading.Lock()
        self._format: str = spec.response_format
        self._plain = {"temperature": spec.temperature, "seed": spec.seed}
        self._dropped: list[str] = []

    def of(self, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        """Give the options of a question; none where no JSON is wanted."""
        if schema is None:
            return {}
        formats: Mapping[str, Any] = {
            "json_schema": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": schema},
            },
            "json_object": {"type": "json_object"},
        }
        with self._lock:
            chosen = formats.get(self._format)
            return {**self._plain, **({"response_format": chosen} if chosen else {})}

    def drop(self, sent: Mapping[str, Any], said: ErrorBody) -> bool:
        """Drop the option that a server rejected; gives whether it was sent."""
        text = said.message.lower() or said.text
        named = [name for name in ("temperature", "seed") if name in text]
        if any(word in text for word in _FORMATS):
            named.insert(0, "response_format")
        found = next((name for name in named if name in sent), None)
        if found is None:
            return False
        with self._lock:
            if found == "response_format":
                kind = sent[found]["type"]
                if self._format == kind:  # else another thread has seen to it
                    self._format = _WEAKER[kind]
                    self._dropped.append(kind)
            elif self._plain.pop(found, None) is not None:
                self._dropped.append(found)
        return True

    def notices(self) -> Iterator[str]:
        """Say which options were dropped."""
        with self._lock:
            if self._dropped:
                yield f"the judge's server does not take {', '.join(self._dropped)}"
