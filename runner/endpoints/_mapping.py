"""A JSON reply becomes a Response, by the spec's mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

from runner.endpoints._citations import Cite, Passages, cite_by, cite_nothing
from runner.endpoints._expressions import Find, find_by, plain_name, regex, truth
from runner.endpoints._passages import Build, from_found, from_keys
from runner.endpoints._roots import roots
from runner.endpoints._values import (
    Malformed,
    described,
    kind,
    nearest,
    word,
)
from runner.endpoints._watch import Watch
from runner.errors import InputError, Place, Problems, did_you_mean
from runner.model import Failure, Passage, Response
from runner.spec import CitationMap, ContextMap, ResponseMap
from runner.templating import Locate, by_path
from runner.text.shorten import excerpt


class ReplyMap:
    """The ``response`` block of a spec, compiled once; safe to share between threads.

    Args:
        spec: The block.
        place: Where a key stands in the user's file.
        steps: What the top of the value that it reads is called, where a case takes
            several requests.
        streamed: Whether the answer is put together from events.

    Raises:
        Problems: Every expression and pattern that cannot be compiled.
    """

    def __init__(
        self,
        spec: ResponseMap,
        *,
        place: Locate = by_path,
        steps: Sequence[str] = (),
        streamed: bool | None = None,
    ) -> None:
        compiler = _Compiler(place, steps)
        self._spec = spec
        self._place = place
        self._streamed = spec.stream is not None if streamed is None else streamed
        self._error = compiler.find(spec.error, "error")
        self._answer = compiler.find(spec.answer, "answer")
        self._contexts = compiler.find(spec.contexts, "contexts")
        self._refused = compiler.find(spec.refused, "refused")
        self._usage = compiler.find(spec.usage, "usage")
        self._session = compiler.find(spec.session, "session")
        self._build = compiler.passages(spec.context)
        self._cite = compiler.cite(spec.citations)
        self._strip = compiler.strip(spec.strip)
        # A flag that the spec names is false where it is null; the default is unknown.
        self._null_flag = False if "refused" in spec.model_fields_set else None
        self._watch = Watch(spec, place)
        if compiler.problems:
            raise Problems(compiler.problems)

    def read(self, reply: Any, latency: float | None = None) -> Response | Failure:
        """Give what a parsed reply says, or a Failure where it cannot be used.

        An error that the reply states is ``service.http_error``; an answer that is null
        or no string, and contexts that are no list, are ``service.malformed``. Contexts
        that are null are unknown, ``[]`` is nothing found. What a reply that cannot be
        used shows all the same is in the Failure.

        Raises:
            InputError: An expression of the spec cannot take the type it met.
        """
        if self._error is not None:
            stated = self._error(reply)
            if truth(stated):
                return Failure(
                    "service.http_error",
                    f"the reply states an error: {excerpt(stated, 300)}",
                    latency=latency,
                    shown=self.shown(reply),
                )
        try:
            return self._read(reply, latency)
        except Malformed as error:
            shown = self.shown(reply)
            return Failure(
                "service.malformed", str(error), latency=latency, shown=shown
            )

    def shown(self, reply: Any) -> Response | None:
        """Give what can be read of a reply that cannot be used; None where nothing can.

        Never raises: each part is read by itself, and is unknown where it is not right.
        """
        contexts, passages = _or_none(self._contexts, reply), None
        if isinstance(contexts, list):
            built = [_or_none(self._build, [entry]) or () for entry in contexts]
            passages = tuple(chain.from_iterable(built))
        found = _or_none(self._answer, reply)
        answer = found if isinstance(found, str) else None
        cited = _or_none(lambda whole: self._cite(whole, answer, passages), reply)
        shown = Response(answer, passages, cited and cited.citations)
        return shown if any(part is not None for part in shown[:3]) else None

    def first_token(self, replies: Iterable[Any]) -> int | None:
        """Give the index of the first of several replies that has text of the answer.

        Each is one event of a stream alone; None where the expression of the answer
        needs several of them.
        """
        alone = map(self.partial_answer, replies)
        return next((index for index, part in enumerate(alone) if part), None)

    def partial_answer(self, reply: Any) -> str | None:
        """Give the answer in a reply that may be incomplete, None where there is none.

        Never raises: what an expression cannot take is missing, since more was to come.
        """
        try:
            found = self._answer(reply) if self._answer else None
        except InputError:
            return None
        return found if isinstance(found, str) and not found.isspace() else None

    def missing(self) -> InputError | None:
        """Give help where a mapped path found nothing in any reply that was read.

        Watched are ``answer``, ``contexts``, the passages' ``id`` and ``text``, and
        what else of a passage the spec names itself. None while all was seen, or
        nothing was read.
        """
        return self._watch.missing()

    def _read(self, reply: Any, latency: float | None) -> Response:
        passages = self._passages(reply)
        raw = answer = self._answer_in(reply)
        if answer is not None and self._strip:
            answer = self._strip_marks(answer)
        cited = self._cite(reply, answer, passages)
        usage = self._usage(reply) if self._usage else None
        return Response(
            cited.answer,
            passages,
            cited.citations,
            self._flag(reply),
            usage if isinstance(usage, dict) else None,
            latency,
            None,
            None if raw == cited.answer else raw,
            cited.marks,
            session=word(self._session(reply), "session") if self._session else None,
        )

    def _answer_in(self, reply: Any) -> str | None:
        if self._answer is None:
            return None
        answer = self._answer(reply)
        # Joining no events gives an empty text, also where the expression is wrong.
        if answer or (answer is not None and not self._streamed):
            self._watch.answered()
        if isinstance(answer, str):
            return answer
        path = self._spec.answer or ""
        what = f"no answer: endpoint.response.answer (`{path}`) is {kind(answer)}"
        what = f"{what}; {described(reply)}"
        hint = nearest(path, reply)
        raise Malformed(f"{what} ({hint})" if hint else what)

    def _passages(self, reply: Any) -> Passages:
        contexts = self._contexts(reply) if self._contexts else None
        if contexts is None:
            self._watch.see(reply, None, None)
            return None
        if not isinstance(contexts, list):
            path = self._spec.contexts
            raise Malformed(f"contexts (`{path}`) is {kind(contexts)}, not a list")
        passages = tuple(self._build(contexts))
        self._watch.see(reply, contexts, passages)
        return passages

    def _strip_marks(self, answer: str) -> str:
        kept = answer
        for pattern in self._strip:
            kept = pattern.sub("", kept)
        return kept if kept == answer else kept.strip()

    def _flag(self, reply: Any) -> bool | None:
        if self._refused is None:
            return None
        flag = self._refused(reply)
        return self._null_flag if flag is None else truth(flag)


def _or_none(read: Callable[[Any], Any] | None, value: Any) -> Any:
    try:
        return read(value) if read else None
    except (Malformed, InputError):
        return None


def _span(pattern: str, where: Place) -> Any:
    """Compile a pattern together with the spaces before it, as a mark is cut out."""
    regex(pattern, where)  # whose mistakes are in the words of the spec
    return regex(rf"[ \t]*(?:{pattern})", where)


class _Compiler:
    """Compiles the expressions of a mapping and keeps every mistake."""

    def __init__(self, place: Locate, steps: Sequence[str]) -> None:
        self.problems: list[InputError] = []
        self._place = place
        self._steps = steps

    def find(self, expression: str | None, *key: str | int) -> Find | None:
        """Compile what reads the whole reply."""
        self._check_steps(expression, *key)
        return self._find(expression, *key)

    def _find(self, expression: str | None, *key: str | int) -> Find | None:
        if expression is None:
            return None
        find: Find | None = self._compile(find_by, expression, self._key(*key))
        return find

    def _check_steps(self, expression: str | None, *key: str | int) -> None:
        """See that an expression reads steps that there are."""
        for name in sorted(roots(expression).difference(self._steps)):
            if self._steps:
                listed = f"the steps are {', '.join(self._steps)}"
                hint = did_you_mean(name, self._steps) or listed
                what = f"{expression!r} reads {name}, which is no step"
                self.problems.append(InputError(what, where=self._key(*key), hint=hint))

    def passages(self, spec: ContextMap) -> Build:
        paths = [getattr(spec, field) for field in Passage._fields]
        keys = [("context", field) for field in Passage._fields]
        finds = [self._find(path, *key) for path, key in zip(paths, keys, strict=True)]
        if self.problems or not all(path is None or plain_name(path) for path in paths):
            return from_found(finds)
        return from_keys([plain_name(path) for path in paths])

    def strip(self, patterns: tuple[str, ...]) -> list[Any]:
        return [
            self._compile(_span, pattern, self._key("strip", index))
            for index, pattern in enumerate(patterns)
        ]

    def cite(self, spec: str | CitationMap | None) -> Cite:
        if spec is None:
            return cite_nothing
        if isinstance(spec, str):
            self._check_steps(spec, "citations")
        else:
            self._check_steps(spec.path, "citations", "path")
            self._check_steps(spec.of, "citations", "of")
        place = partial(self._place, "endpoint", "response", "citations")
        return self._compile(cite_by, spec, place) or cite_nothing

    def _key(self, *key: str | int) -> Place:
        return self._place("endpoint", "response", *key)

    def _compile(self, compile_: Callable[..., Any], what: Any, where: Any) -> Any:
        try:
            return compile_(what, where)
        except InputError as error:
            self.problems.append(error)
            return None
