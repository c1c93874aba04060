"""The replies of an earlier run, found by the id of the case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from runner.endpoints.recorded import RecordedEndpoint
from runner.model import Case, Response
from runner.pipeline import Plan


class Replies:
    """The usable replies in a ``responses.jsonl``, read as the spec's mapping has it.

    Of a case with several trials it is the first.

    Raises:
        InputError: The file is no recording.
    """

    def __init__(self, plan: Plan, path: Path) -> None:
        self._cases: Mapping[str, Case] = {case.id: case for case in plan.cases}
        self._recorded = RecordedEndpoint(
            path, plan.spec.endpoint.response, place=plan.place
        )

    def look_up(self, name: str) -> tuple[Case, Response] | None:
        """Give the case of an id with its reply, None where either is not known."""
        case = self._cases.get(name)
        result = self._recorded.ask(case) if case else None
        if case is None or not isinstance(result, Response):
            return None
        return case, result

    def close(self) -> None:
        """Close the file."""
        self._recorded.close()
