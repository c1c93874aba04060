"""A RAG system that is a Python function, called in this process."""

from __future__ import annotations

import inspect
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from runner.endpoints._local import Handed, LocalEndpoint
from runner.endpoints._stream import Stream
from runner.endpoints._workers import EventLoop, Raised, Worker
from runner.errors import InputError, Place, RagEvalError, did_you_mean
from runner.http_client.client import NO_STATUS, Reply
from runner.model import Failure
from runner.spec import EndpointSpec
from runner.text.shorten import excerpt

_SAID = 300  # characters of an exception that a message shows
_BY_POSITION = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


class FunctionEndpoint(LocalEndpoint):
    """Calls a function for each case, from several threads at once.

    It is given the question, and where it takes a second argument the case. Coroutines
    run together in one event loop. What does not return in time is left to itself,
    since no thread can be ended.

    Args:
        spec: The endpoint's block.
        variables: Environment values by name.
        folders: Where its module is looked for first.
        options: As of ``LocalEndpoint``.

    Raises:
        InputError: It cannot be imported, or cannot be called so.
    """

    where = "the function"

    def __init__(
        self,
        spec: EndpointSpec,
        variables: Any,
        *,
        folders: Sequence[Path],
        **options: Any,
    ) -> None:
        super().__init__(spec, variables, **options)
        self._name = spec.python or ""
        where = self._place("endpoint", "python")
        self._function = _import(self._name, folders, where)
        self._takes_case = _takes_case(self._function, self._name, where)
        self._folders = tuple(f"{folder}/" for folder in folders)
        self._loop = EventLoop()
        self._local = threading.local()
        self._workers: set[Worker] = set()

    def close(self) -> None:
        """Wait for no call any more; functions in threads end with the process."""
        for worker in list(self._workers):
            worker.give_up()
        self._loop.stop()

    @property
    def _call_text(self) -> str:
        return f"{self._name}(question{', case' if self._takes_case else ''})"

    def _call(self, handed: Handed, stream: Stream | None) -> Reply | Failure:
        del stream  # a function gives one value
        worker = getattr(self._local, "worker", None) or Worker(self._loop)
        self._workers.add(worker)
        arguments = (handed.question, handed.given)[: 1 + self._takes_case]
        came = worker.call(self._function, arguments, self._spec.timeout)
        self._local.worker = worker
        if came is None:
            self._local.worker = None
            self._workers.discard(worker)
            return self._late()
        if isinstance(came, Raised):
            return Failure("service.crashed", self._exception_text(came.error))
        return self._reply(came[0])

    def _reply(self, value: Any) -> Reply | Failure:
        try:
            body = to_json(value)
        except (ValueError, RecursionError) as error:
            what = f"what {self.where} gave is no JSON: {excerpt(str(error))}"
            return Failure("service.malformed", what)
        if len(body) > self._spec.max_response:
            return self._too_large()
        return Reply(NO_STATUS, "", {}, body)

    def _exception_text(self, error: BaseException) -> str:
        """Tell of an exception: its kind, its text, and the last line of the user's."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename.startswith(self._folders)]
        at = next(reversed(own or frames), None)
        line = f", at {Path(at.filename).name}:{at.lineno}" if at else ""
        text = excerpt(self._redact(_formatted(error)), _SAID)
        return f"{self.where} raised {text}{line}"


def _formatted(error: BaseException) -> str:
    """Give kind and text of an exception, also where its text cannot be had."""
    return "".join(traceback.format_exception_only(error))


def _import(name: str, folders: Sequence[Path], where: Place) -> Callable[..., Any]:
    module_name, _, path = name.partition(":")
    module = _module(module_name, folders, where)
    try:
        found: Any = reduce(getattr, path.split("."), module)
    except AttributeError:
        known = [key for key, value in vars(module).items() if callable(value)]
        what = f"{module_name} has no {path}"
        hint = did_you_mean(path, known)
        raise InputError(what, where=where, hint=hint) from None
    if not callable(found) or inspect.isclass(found):
        what = f"{name} is no function (name one, or a method of an object)"
        raise InputError(what, where=where)
    function: Callable[..., Any] = found
    return function


def _module(name: str, folders: Sequence[Path], where: Place) -> Any:
    sys.path[:0] = [path for path in map(str, folders) if path not in sys.path]
    try:
        return import_module(name)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | RagEvalError):
            raise  # which speak of the run, and not of the module
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(
            f"{error.name}."
        ):
            listed = ", ".join(dict.fromkeys(map(str, folders)))
            what = f"there is no module {error.name}"
            if name.startswith("runner."):
                what += ": runner is the package of rag-eval itself"
            hint = f"looked in {listed}, and among what is installed; endpoint.cwd "
            hint += "names another folder"
            raise InputError(what, where=where, hint=hint) from None
        at = traceback.extract_tb(error.__traceback__)[-1]
        what = f"importing {name} fails: {excerpt(_formatted(error))}"
        hint = f"at {at.filename}:{at.lineno}"
        raise InputError(what, where=where, hint=hint) from error


def _takes_case(function: Callable[..., Any], name: str, where: Place) -> bool:
    """Whether it is given the case too: as a second argument that it needs or names."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of one that is not written in Python
        return False
    takes = any(
        second.kind in _BY_POSITION
        and (second.name == "case" or second.default is second.empty)
        for second in list(signature.parameters.values())[1:2]
    )
    try:
        signature.bind(*("", {})[: 1 + takes])
    except TypeError as error:
        what = f"{name}{signature} cannot be called with a question: {error}"
        hint = "write it as name(question) or name(question, case)"
        raise InputError(what, where=where, hint=hint) from None
    return takes
