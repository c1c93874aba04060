"""What streaming costs: `collect` over a stub that streams, and the framing alone.

    python bench/streaming.py

prints for each load the wall time over ideal (cases x duration / concurrency), the CPU
time of this process a case, and how much later than it was sent the first token is
noted; then how fast the framing reads, in whole pieces and byte by byte.
"""

from __future__ import annotations

import json
import time
from statistics import median
from typing import NamedTuple

from asking import exchanges
from stub import running

from runner.endpoints._stream import Stream
from runner.endpoints.http import HttpEndpoint
from runner.model import Response
from runner.spec import EndpointSpec, ResponseMap

MAPPING = ResponseMap(
    stream="sse",
    answer="join('', events[].data.delta)",
    contexts="events[].data.contexts[]",
)


class Load(NamedTuple):
    """So many cases, each streamed as so many events over so many seconds."""

    cases: int
    events: int
    duration: float
    concurrency: int


LOADS = (Load(1000, 30, 0.2, 16), Load(1000, 100, 0.5, 16))


def ask(url: str, load: Load) -> list[float]:
    """Ask as a run does; give the time to the first token of each case."""
    body = {"query": "{{ question }}"}
    endpoint = HttpEndpoint(EndpointSpec(url=url, body=body, response=MAPPING), {})
    firsts = []
    for exchange in exchanges(endpoint, load.cases, load.concurrency):
        result = exchange.result
        assert isinstance(result, Response)  # noqa: S101 - a bench checks itself
        assert result.answer  # noqa: S101 - likewise
        firsts.append(result.time_to_first_token or 0.0)
    endpoint.close()
    return firsts


def framing() -> None:
    """Print how fast a stream is read that is all there."""
    event = b"data: " + json.dumps({"delta": "refund ", "n": 1}).encode() + b"\n\n"
    body = event * 20_000
    for name, size in (("64 KiB pieces", 65536), ("single bytes", 1)):
        cuts = [body[n : n + size] for n in range(0, len(body), size)]
        began = time.perf_counter()
        stream = Stream("sse", time.monotonic)
        for cut in cuts:
            stream.take(cut)
        stream.end()
        stream.collected()
        seconds = time.perf_counter() - began
        print(f"  {name:14} {seconds / 20_000 * 1e6:6.2f} us an event")


def main() -> None:
    """Print the figures of each load."""
    print("the framing alone")
    framing()
    for load in LOADS:
        with running(load.duration, load.events) as url:
            wall, cpu = time.perf_counter(), time.process_time()
            firsts = ask(url, load)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        ideal = load.cases * load.duration / load.concurrency
        late = median(firsts) - load.duration / load.events
        print(
            f"{load.cases} cases of {load.events} events over {load.duration:g} s, "
            f"{load.concurrency} threads: {wall / ideal:.3f} of ideal, "
            f"CPU {cpu / load.cases * 1000:.2f} ms a case, "
            f"first token noted {late * 1000:.1f} ms late"
        )


if __name__ == "__main__":
    main()
