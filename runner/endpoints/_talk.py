"""The conversation that a case is asked in: which question is next, and what was said.

A case whose turns are handed over, or that has none, is a conversation of one question.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from runner.diagnosis import unanswered
from runner.model import Case, Failure, Response, Turn


class Talk(NamedTuple):
    """How far the conversation of a case has come."""

    case: Case
    questions: tuple[str, ...]
    """Those that are asked, the last of which is that of the case."""
    at: int = 0
    """Which of them is next."""
    said: tuple[Turn, ...] = ()
    """What was asked and answered before it."""
    session: Any = None
    """What the server calls the conversation, where the spec says so."""

    @property
    def is_last(self) -> bool:
        """Whether what is next is what the case asks."""
        return self.at == len(self.questions) - 1

    @property
    def now(self) -> Case:
        """The case, as if what is next were all of it."""
        if len(self.questions) == 1:
            return self.case
        return self.case._replace(question=self.questions[self.at], turns=self.said)

    def told(self, result: Response | Failure) -> Response | Failure:
        """Give what came of the question, with its turn where it is not usable.

        An earlier answer that is empty is none: the conversation cannot go on from it.
        """
        if not self.is_last and isinstance(result, Response):
            result = unanswered(result) or result
        if isinstance(result, Response):
            return result._replace(turns=self.said) if self.said else result
        if len(self.questions) == 1:
            return result
        at = f"in turn {self.at + 1} of {len(self.questions)}: "
        return result._replace(message=f"{at}{result.message}")

    def after(self, response: Response) -> Talk:
        """Give the conversation with what has come of the question."""
        said = [*self.said, Turn("user", self.questions[self.at])]
        if answer := response.raw_answer or response.answer:
            said.append(Turn("assistant", answer))
        return self._replace(at=self.at + 1, said=tuple(said), session=response.session)


def begun(case: Case, *, live: bool) -> Talk:
    """Give the conversation of a case before anything was asked."""
    return Talk(case, case.questions if live else (case.question,))
