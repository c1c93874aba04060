"""A RAG system behind HTTP: one attempt at a case, and every way it can fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote, urlencode
from uuid import uuid4

import requests
from urllib3.exceptions import HTTPError

from runner.endpoints._came import Came
from runner.endpoints._failures import BLOCK
from runner.endpoints._headers import defaults
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._stream import Stream
from runner.errors import Unavailable
from runner.hosts import Access
from runner.model import Case, Failure, Response
from runner.redact import Redactor
from runner.spec import EndpointSpec, WaitFor
from runner.templating import Locate, Request, RequestTemplate, by_path, encoded
from runner.variables import expand
from runner.wire.caller import (
    NO_STATUS,
    REDIRECTS,
    SUCCESS,
    Bounds,
    Caller,
    Reply,
    Resolve,
    Unreadable,
    prepared,
    resolve,
    shown,
)

__all__ = ["NO_STATUS", "REDIRECTS", "Came", "HttpEndpoint", "Reply"]

_POLL = 0.25
_POLL_TIMEOUT = 5.0
_ANY = Access()


class HttpEndpoint:
    """Asks over HTTP, by the templates and the mapping of a spec.

    Threads may share it; each has its own connection. ``replies`` is the mapping, which
    also knows what it has not found so far.

    Args:
        spec: The endpoint's block.
        variables: Environment values by name.
        secrets: What no message may show.
        place: Where a key stands in the user's file.
        access: Which hosts may be asked, and where a service at localhost may be.
        resolve: Gives the addresses of a name.
        clock: Seconds, for latencies.
        wall: Seconds of the epoch, for a ``Retry-After`` that is a date.
        new_uuid: What ``{{ uuid }}`` stands for, fresh at each call.

    Raises:
        Problems: Templates or expressions that cannot be compiled.
    """

    def __init__(  # noqa: PLR0913 - what the world gives, each replaceable in a test
        self,
        spec: EndpointSpec,
        variables: Mapping[str, str],
        *,
        secrets: Iterable[str] = (),
        place: Locate = by_path,
        access: Access = _ANY,
        resolve: Resolve = resolve,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        new_uuid: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self.replies = ReplyMap(spec.response, place=place)
        self._spec = spec
        self._template = RequestTemplate(spec, variables, place=place)
        self._redact = Redactor(secrets).text
        self._place = place
        self._clock = clock
        self._new_uuid = new_uuid
        self._headers = defaults(spec, place)
        self._caller = Caller(
            expand(spec.url or "", variables),
            BLOCK,
            Bounds(spec.timeout, spec.max_response),
            place=place,
            access=access,
            resolve=resolve,
            wall=wall,
        )
        self._origins: tuple[str, ...] = ()

    def admit(self, cases: Iterable[Case]) -> None:
        """See, before anything is sent, that each host of the spec may be asked.

        What a name resolves to is seen only when it is connected to.

        Raises:
            InputError: One may not be, or is in no URL.
        """
        self._origins = tuple(dict.fromkeys(map(_origin, self._template.urls(cases))))
        for origin in self._origins:
            self._caller.parsed(origin, "url")
        if self._spec.wait_for:
            self._caller.parsed(self._spec.wait_for.url, "wait_for", "url")

    def notices(self) -> tuple[str, ...]:
        """Say where a service at localhost was found instead, if anywhere."""
        return tuple(self._caller.reach.notices())

    def ask(self, case: Case) -> Response | Failure:
        """Make one attempt; its latency is from the request to the last byte.

        Never raises for what the endpoint did: no connection, no reply in time, a
        status other than 2xx, an unusable body are failures with redacted messages.

        Raises:
            InputError: A template fails for this case, an expression of the mapping
                cannot take what it met, or the host is one that may not be asked.
        """
        result = self.fetch(case).result(self.replies)
        if isinstance(result, Failure):
            return result._replace(message=self._redact(result.message))
        return result

    def fetch(self, case: Case) -> Came:
        """Make one attempt and give what came, as ``ask`` does but unread."""
        request = self._prepared(self._template.render(case, self._new_uuid()))
        deadline = time.monotonic() + self._spec.timeout
        started = self._clock()
        framing = self._spec.response.stream
        stream = Stream(framing, self._clock) if framing else None
        reply = self._call(request, deadline, "url", stream=stream)
        latency = self._clock() - started
        where = shown(str(request.url))
        asked = f"{request.method} {where}"
        return Came(asked, where, request.body, reply, started, latency, stream)

    def wait(
        self,
        sleep: Callable[[float], object] = time.sleep,
        check: Callable[[], object] = lambda: None,
    ) -> None:
        """Poll ``wait_for`` until it answers 2xx.

        Where the spec has none it returns at once; but what the spec starts is waited
        for until it accepts connections.

        Args:
            sleep: Waits between two polls.
            check: Called between two polls; raises where waiting is in vain.

        Raises:
            Unavailable: It did not within its time-out; names the last answer.
        """
        waiting = self._spec.wait_for
        if waiting is None:
            if self._spec.start is None:
                return
            waiting = WaitFor(url=self._origins[0])
        end = self._clock() + waiting.timeout
        left = waiting.timeout
        while (said := self._missed(waiting.url, left)) is not None:
            check()
            left = end - self._clock()
            if left <= 0:
                raise Unavailable(
                    f"{shown(waiting.url)} was not ready within {waiting.timeout:g} s; "
                    f"the last try: {self._redact(said)}",
                    where=self._place("endpoint", "wait_for"),
                )
            sleep(_POLL)

    def is_ready(self) -> bool:
        """Whether the service is there now: what ``wait_for`` names, else its port."""
        waiting = self._spec.wait_for
        urls = [waiting.url] if waiting else self._origins
        return any(self._missed(url, 1.0) is None for url in urls)

    def _missed(self, url: str, limit: float) -> str | None:
        """Say why what is waited for is not there; None where it is."""
        if self._spec.wait_for is None:
            return (
                None
                if self._caller.reach.listens(url, limit)
                else "nothing listens there"
            )
        reply = self._poll(url, limit)
        return None if isinstance(reply, Reply) else reply.message

    def _poll(self, url: str, limit: float) -> Reply | Failure:
        key = ("wait_for", "url")
        request = prepared("GET", self._caller.parsed(url, *key)[0], self._headers)
        return self._call(request, time.monotonic() + min(limit, _POLL_TIMEOUT), *key)

    def close(self) -> None:
        """End every call in flight, at once, and drop the connections."""
        self._caller.close()

    def _prepared(self, request: Request) -> requests.PreparedRequest:
        url, authorization = self._caller.parsed(request.url, "url")
        headers = {**self._headers, **request.headers}
        if authorization:
            headers.setdefault("Authorization", authorization)
        if request.query:
            added = urlencode(request.query, quote_via=quote)
            url = f"{url}{'&' if '?' in url else '?'}{added}"
        body = encoded(request.body, self._place("endpoint", "body"))
        return prepared(request.method, url, headers, body)

    def _call(
        self,
        request: requests.PreparedRequest,
        deadline: float,
        *key: str,
        stream: Stream | None = None,
    ) -> Reply | Failure:
        """Give a reply with a status of 2xx, through redirects within the service.

        Its body goes to ``stream`` as it comes, where there is one.
        """
        url = str(request.url)
        take = stream.take if stream else None
        reply = self._caller.call(request, deadline, *key, take=take)
        if isinstance(reply, Failure):
            return reply
        try:
            if stream:
                stream.end()
        except (HTTPError, Unreadable) as error:
            return self._caller.broken(error, url)
        if reply.status in SUCCESS:
            return reply
        return self._caller.unsuccessful(reply, url)


def _origin(url: str) -> str:
    """Give a URL up to its path, so that what varies in that is looked at once."""
    return "/".join(url.split("/", 3)[:3])
