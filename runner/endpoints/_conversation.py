"""The turns of one case: which question is sent next, and what was said before it.

Only with ``turns: live`` in the spec are earlier questions of a case sent as well. Else
a case is one question, with its earlier turns as part of the request.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from runner.diagnosis import empty_answer
from runner.model import Case, Failure, Response, Turn


class Conversation(NamedTuple):
    """A case, and how many of its questions were answered so far."""

    case: Case
    questions: tuple[str, ...]
    """Those that are sent, in order; the last one is ``case.question``."""
    position: int = 0
    """Of the question that is sent next, in ``questions``."""
    said: tuple[Turn, ...] = ()
    """The questions before that one, with their answers."""
    session: Any = None
    """The session id that the server gave, where ``response.session`` maps one."""

    @classmethod
    def of(cls, case: Case, *, live: bool) -> Self:
        """Give the conversation before anything was sent."""
        return cls(case, case.questions if live else (case.question,))

    @property
    def is_last(self) -> bool:
        """Whether the next question is the last one, whose answer is judged."""
        return self.position == len(self.questions) - 1

    @property
    def current(self) -> Case:
        """The case as templates see it: the next question, and the turns before it."""
        if len(self.questions) == 1:
            return self.case
        question = self.questions[self.position]
        return self.case._replace(question=question, turns=self.said)

    def annotated(self, result: Response | Failure) -> Response | Failure:
        """Give the result of the next question with the turns that led to it.

        A failure says in which turn it happened. An empty answer before the last
        question is a failure: there is nothing to go on from.
        """
        if not self.is_last and isinstance(result, Response):
            result = empty_answer(result) or result
        if isinstance(result, Response):
            return result._replace(turns=self.said) if self.said else result
        if len(self.questions) == 1:
            return result
        turn = f"in turn {self.position + 1} of {len(self.questions)}: "
        return result._replace(
            message=f"{turn}{result.message}", shown=self._with_turns(result.shown)
        )

    def _with_turns(self, shown: Response | None) -> Response | None:
        """Give what came of the next question with the answers before it."""
        if not self.said:
            return shown
        shown = shown or Response()
        return shown._replace(answer=shown.answer or "", turns=self.said)

    def after(self, response: Response) -> Conversation:
        """Give the conversation once the next question was answered."""
        said = [*self.said, Turn("user", self.questions[self.position])]
        if answer := response.raw_answer or response.answer:
            said.append(Turn("assistant", answer))
        return self._replace(
            position=self.position + 1, said=tuple(said), session=response.session
        )
