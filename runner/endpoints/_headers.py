"""The headers that go out with a request unless its spec writes its own."""

from __future__ import annotations

from runner import __version__
from runner.errors import InputError
from runner.spec import StepSpec
from runner.templating import Locate

_ACCEPTED = {
    None: "application/json",
    "sse": "text/event-stream, application/json;q=0.5, */*;q=0.1",
    "ndjson": "application/x-ndjson, application/json;q=0.5, */*;q=0.1",
    "prefixed": "text/plain, */*;q=0.5",
}
_OWN_HEADERS = ("content-length", "transfer-encoding", "connection")


def defaults(spec: StepSpec, place: Locate) -> dict[str, str]:
    """Give the headers that go out unless the spec writes its own.

    Raises:
        InputError: It writes one that belongs to the connection.
    """
    own = {name.lower(): name for name in spec.headers}
    for name in _OWN_HEADERS:
        if name in own:
            where = place("headers", own[name])
            raise InputError(f"{name} is set by the connection itself", where=where)
    lines = {
        "User-Agent": f"rag-eval-action/{__version__}",
        "Accept": _ACCEPTED[spec.stream],
        # What compresses a stream tends to hold it back.
        "Accept-Encoding": "identity" if spec.stream else "gzip",
    }
    if spec.body is not None:
        text = isinstance(spec.body, str)
        kind = "text/plain; charset=utf-8" if text else "application/json"
        lines["Content-Type"] = kind
    return {name: value for name, value in lines.items() if name.lower() not in own}
