"""The formats of the OpenAI-compatible API: URLs, replies, usage, error bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from pydantic_core import from_json

from runner.judges._meter import Tokens
from runner.model import Unrated
from runner.spec import JudgeSpec
from runner.text.shorten import excerpt

_CHAT = "/chat/completions"
_EMBEDDINGS = "/embeddings"
_CODE = re.compile(r"[A-Za-z][\w.-]{0,40}")
_SHOWN = 160
_ECHO = 16  # characters in a row by which a message is taken to repeat what was sent
_FILTERS = (
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
)
_TOKENS_MOST = 10**9  # of one reply; what is more is no count
_LARGEST = 1e100  # in a vector, so that its length is a number; NaN is not below it
_TOKENS = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))


class Address(NamedTuple):
    """Where one kind of request goes, and the key of the spec that says so."""

    url: str
    key: tuple[str, ...]


def addresses(spec: JudgeSpec) -> tuple[Address, Address | None]:
    """Give the URLs of chat completions and of embeddings; None without embeddings."""
    url = spec.url or ""
    chat = Address(_ending(url, _CHAT), ("url",))
    if spec.embeddings is None:
        return chat, None
    if spec.embeddings.url:
        ended = _ending(spec.embeddings.url, _EMBEDDINGS)
        return chat, Address(ended, ("embeddings", "url"))
    return chat, Address(_ending(url, _EMBEDDINGS, _CHAT), ("url",))


def _ending(url: str, path: str, instead: str = "") -> str:
    """Complete a base URL with the path of a call; its query stays."""
    parts = urlsplit(url)
    base = parts.path.rstrip("/").removesuffix(instead)
    return parts._replace(path=base.removesuffix(path) + path, fragment="").geturl()


def credentials(spec: JudgeSpec, url: str) -> dict[str, str]:
    """Give the authentication header; that of Azure where the URL has its query."""
    if not spec.api_key:
        return {}
    if "api-version" in parse_qs(urlsplit(url).query):
        return {"api-key": spec.api_key}
    return {"Authorization": f"Bearer {spec.api_key}"}


def answered(value: Any) -> str:
    """Give the text of a chat completion.

    Raises:
        Unrated: It refused, was cut off, or the reply is none of a chat.
    """
    choice = _first(value, "choices")
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    ended = choice.get("finish_reason")
    if ended == "content_filter" or message.get("refusal"):
        raise Unrated("the judge refused to answer")
    if ended == "length":
        raise Unrated("the judge's reply was cut off at its limit of tokens")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_texts(content))
    if not isinstance(content, str):
        raise Unrated("the judge's reply has no text")
    return content


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            yield text


def embedded(value: Any, wanted: int) -> list[list[float]]:
    """Give the vectors of a reply in the order of the texts.

    Raises:
        Unrated: They are not as many as the texts, not of one length, or no numbers.
    """
    _first(value, "data")
    rows = [row if isinstance(row, Mapping) else {} for row in value["data"]]
    if len(rows) != wanted:
        raise Unrated(f"{len(rows)} vectors came for {wanted} texts")
    if all(isinstance(row.get("index"), int) for row in rows):
        rows = sorted(rows, key=lambda row: row["index"])
    return vectors([row.get("embedding") for row in rows])


def vectors(values: Sequence[Any]) -> list[list[float]]:
    """Check that some JSON is a list of vectors, and give them.

    Raises:
        Unrated: They are not of one length, or no numbers.
    """
    found = [_vector(value) for value in values]
    if len({len(vector) for vector in found}) != 1:
        raise Unrated("the vectors that came are not of one length")
    return found


def _vector(value: Any) -> list[float]:
    numbers = value if isinstance(value, list) else []
    plain = all(type(n) in (int, float) and abs(n) <= _LARGEST for n in numbers)
    if not numbers or not plain:
        raise Unrated("what came is no vector")
    return [float(number) for number in numbers]


def _first(value: Any, name: str) -> Mapping[str, Any]:
    """Give the first entry of a list in a reply."""
    found = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(found, list) and found and isinstance(found[0], Mapping):
        first: Mapping[str, Any] = found[0]
        return first
    said = value.get("error") if isinstance(value, Mapping) else None
    if said:  # some servers tell an error with a status of success
        raise Unrated(f"the judge's server reports an error{_coded(said)}")
    raise Unrated(f"the judge's reply has no {name}")


def _coded(error: Any) -> str:
    code = error.get("code") if isinstance(error, Mapping) else error
    known = isinstance(code, str) and _CODE.fullmatch(code)
    return f": {code}" if known else ""


def usage(value: Any) -> Tokens | None:
    """Give the token counts of a reply; None where it has none."""
    said = value.get("usage") if isinstance(value, Mapping) else None
    for names in _TOKENS:
        counts = [said.get(name) for name in names] if isinstance(said, Mapping) else []
        numbers = [n for n in counts if type(n) is int and 0 <= n <= _TOKENS_MOST]
        if len(numbers) == len(names):
            return Tokens(*numbers)
    return None


class ErrorBody(NamedTuple):
    """The error that a server states in the body of a reply."""

    text: str
    """The whole body in lower case."""
    code: str
    message: str

    @property
    def filtered(self) -> bool:
        """Whether a filter of contents stopped the request."""
        return any(word in self.text for word in _FILTERS)

    def shown(self, material: str) -> str:
        """Give a message that does not repeat the texts of the request.

        Some servers send a request back within their complaint.
        """
        message = excerpt(self.message, _SHOWN)
        pieces = (message[at : at + _ECHO] for at in range(len(message) - _ECHO + 1))
        if any(piece in material for piece in pieces):
            message = ""
        return ": ".join(filter(None, (self.code, message)))


def error_body(body: bytes) -> ErrorBody:
    """Parse the body of an error, whatever its format."""
    text = body.decode(errors="replace")
    try:
        found = from_json(body)
    except ValueError:
        return ErrorBody(text.lower(), "", "")
    error = found.get("error", found) if isinstance(found, Mapping) else {}
    if isinstance(error, str):
        return ErrorBody(text.lower(), "", error)
    if not isinstance(error, Mapping):
        return ErrorBody(text.lower(), "", "")
    code, message = error.get("code") or error.get("type"), error.get("message")
    return ErrorBody(
        text.lower(),
        code if isinstance(code, str) and _CODE.fullmatch(code) else "",
        message if isinstance(message, str) else "",
    )
