"""Renders a case as the input of a program or function, and encodes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from runner.errors import InputError, Place, Problems
from runner.model import Case
from runner.templating._leaf import Locate, by_path
from runner.templating._request import Compiler, names_of, rendered


class InputTemplate:
    """The ``body`` of an endpoint that is no URL; all that templates read without one.

    Raises:
        Problems: Every template that cannot be compiled.
    """

    def __init__(
        self, body: Any, variables: Mapping[str, str], *, place: Locate = by_path
    ) -> None:
        compiler = Compiler(variables, place)
        self._whole = body is None
        self._body = compiler.tree(body, "endpoint", "body")
        if compiler.problems:
            raise Problems(compiler.problems)

    def render(self, case: Case, uuid: str, session: Any = None) -> Any:
        """Give what is handed over for a case.

        Raises:
            InputError: A template fails for this case, at its key.
        """
        names = names_of(case, uuid, session)
        return names if self._whole else rendered(self._body, names)


def encoded(body: Any, where: Place) -> bytes | None:
    """Give a body as it is sent: text as it is, None as nothing, the rest as JSON.

    Raises:
        InputError: It holds what JSON cannot.
    """
    if body is None:
        return None
    try:
        text = body if isinstance(body, str) else json.dumps(body, allow_nan=False)
        return text.encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"it cannot be sent: {error}", where=where) from error
