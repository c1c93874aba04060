"""A judge that answers from tables, for examples and hand-worked values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from runner.model import Reply, Task, Unrated


class Scripted:
    """Answers each task from the table of its name; it is held to the same replies.

    ``claims``: text to the claims that it makes. ``support``: claim to the passages
    that bear it out. ``questions``: answer to the questions that it answers, none where
    it is noncommittal. ``usefulness``: passage to whether it is of use. ``anchors`` and
    ``intents``: anchor or intent to its status. ``citations``: statement to the
    passages that say it. ``vectors``: text to its embedding. What no table holds is
    *unrated*, as with a model that fails.
    """

    TABLES = (
        *("claims", "support", "questions", "usefulness", "anchors", "intents"),
        *("citations", "vectors"),
    )

    def __init__(self, **tables: Mapping[str, Any]) -> None:
        self._tables = tables

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply to a task, as the tables have it.

        Raises:
            Unrated: A table does not hold what is asked, or the reply is not valid.
        """
        said = getattr(self, f"_{task.name}")(texts)
        try:
            return task.reply.model_validate(said, context=texts)
        except ValidationError as error:
            raise Unrated(str(error.errors()[0]["msg"])) from None

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give the vectors of some texts.

        Raises:
            Unrated: The table has none for one of them.
        """
        return [self._known("vectors", text) for text in texts]

    def _known(self, table: str, key: str) -> Any:
        try:
            return self._tables[table][key]
        except KeyError:
            raise Unrated(f"the script has no {table} of {key!r}") from None

    def _claims(self, texts: Mapping[str, Any]) -> object:
        return {"claims": self._known("claims", texts["text"])}

    def _support(self, texts: Mapping[str, Any]) -> object:
        held = [self._known("support", claim) for claim in texts["claims"]]
        found = [
            [n for n, text in enumerate(texts["passages"], 1) if text in bearers]
            for bearers in held
        ]
        return _verdicts({"passages": on, "supported": bool(on)} for on in found)

    def _questions(self, texts: Mapping[str, Any]) -> object:
        back = self._known("questions", texts["answer"])
        return {"noncommittal": not back, "questions": back}

    def _usefulness(self, texts: Mapping[str, Any]) -> object:
        said = [self._known("usefulness", text) for text in texts["passages"]]
        return _verdicts({"useful": each} for each in said)

    def _anchors(self, texts: Mapping[str, Any]) -> object:
        said = [self._known("anchors", text) for text in texts["anchors"]]
        return _verdicts({"status": each} for each in said)

    def _intents(self, texts: Mapping[str, Any]) -> object:
        said = [self._known("intents", text) for text in texts["intents"]]
        return _verdicts({"status": each} for each in said)

    def _citations(self, texts: Mapping[str, Any]) -> object:
        said = []
        for citation in texts["citations"]:
            passage, _, statement = citation.partition(": ")
            cited = texts["passages"][int(passage.split()[-1]) - 1]
            said.append(cited in self._known("citations", statement))
        return _verdicts({"says": each} for each in said)


def _verdicts(said: Any) -> object:
    return {
        "verdicts": [
            {"number": number, "reason": "as scripted", **verdict}
            for number, verdict in enumerate(said, 1)
        ]
    }
