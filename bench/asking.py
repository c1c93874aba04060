"""What asking costs: `collect` with `HttpEndpoint` beside bare `requests` in threads.

    python bench/asking.py

prints what the steps of a call cost without the call, and for each load the wall time
over ideal (cases x latency / concurrency) and the CPU time of this process a case. Both
ways run in turn against the same stub; the best of three counts.
"""

from __future__ import annotations

import json
import random
import threading
import time
import timeit
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import requests
from pydantic_core import from_json
from stub import reply, running

from runner.endpoints import ReplyMap
from runner.endpoints.http import HttpEndpoint
from runner.endpoints.recorded import RecordedEndpoint
from runner.model import Case
from runner.responses import Exchanges, Limits, collect
from runner.spec import EndpointSpec
from runner.templating import RequestTemplate


class Load(NamedTuple):
    """So many cases, so slow an endpoint, so many threads."""

    cases: int
    latency: float
    concurrency: int


LOADS = (Load(1000, 0.05, 16), Load(4000, 0.0, 32))
ROUNDS = 3


def bare(url: str, load: Load) -> None:
    """Ask with what everybody would write first."""
    numbers = iter(range(load.cases))
    lock = threading.Lock()

    def work() -> None:
        session = requests.Session()
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            body = {"query": f"question {number}", "top_k": 8}
            got = session.post(url, json=body, timeout=30)
            got.raise_for_status()
            got.json()

    threads = [threading.Thread(target=work) for _ in range(load.concurrency)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def exchanges(endpoint: HttpEndpoint, cases: int, concurrency: int) -> Exchanges:
    """Give what comes of so many questions, asked as a run asks them."""
    return collect(
        endpoint,
        (Case(str(n), f"question {n}") for n in range(cases)),
        Limits(concurrency),
        clock=time.monotonic,
        uniform=random.uniform,
        now=lambda: datetime.now(UTC),
    )


def ours(url: str, load: Load) -> None:
    """Ask as a run does."""
    body = {"query": "{{ question }}", "top_k": 8}
    endpoint = HttpEndpoint(EndpointSpec(url=url, body=body), {})
    for exchange in exchanges(endpoint, load.cases, load.concurrency):
        assert exchange.result.latency is not None  # noqa: S101 - a bench checks itself
    endpoint.close()


def measure(
    ask: Callable[[str, Load], None], url: str, load: Load
) -> tuple[float, float]:
    """Give wall and CPU seconds of one pass."""
    wall, cpu = time.perf_counter(), time.process_time()
    ask(url, load)
    return time.perf_counter() - wall, time.process_time() - cpu


def parts(cases: int = 20_000) -> None:
    """Print what the steps of one call cost, without the call."""
    case, parsed = Case("qa-1", "question 1"), reply(random.Random(7))
    spec = EndpointSpec(url="http://rag", body={"query": "{{ question }}", "top_k": 8})
    template, mapping = RequestTemplate(spec, {}), ReplyMap(spec.response)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "responses.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for n in range(cases):
                record = {"case_id": f"qa-{n}", "trial": 1, "response": parsed}
                lines.write(json.dumps(record) + "\n")
        ids = [Case(f"qa-{n}", "") for n in range(cases)]

        def replay() -> None:
            endpoint = RecordedEndpoint(file, spec.response)
            for each in ids:
                endpoint.ask(each)
            endpoint.close()

        rows = file.read_bytes().splitlines()
        steps: dict[str, Callable[[], object]] = {
            "render a request": lambda: [template.render(case, "") for _ in ids],
            "map ten passages": lambda: [mapping.read(parsed) for _ in ids],
            "parse a record": lambda: [from_json(row) for row in rows],
            "index and replay": replay,
        }
        for name, step in steps.items():
            seconds = min(timeit.repeat(step, number=1, repeat=ROUNDS))
            print(f"  {name:18} {seconds / cases * 1e6:6.2f} us")


def main() -> None:
    """Measure both ways in turn and print the best of each."""
    print("one case, without a call")
    parts()
    for load in LOADS:
        best: dict[str, tuple[float, float]] = {}
        with running(load.latency) as url:
            for _ in range(ROUNDS):
                for ask in (bare, ours):
                    figures = measure(ask, url, load)
                    before = best.get(ask.__name__, figures)
                    best[ask.__name__] = (
                        min(before[0], figures[0]),
                        min(before[1], figures[1]),
                    )
        ideal = load.cases * load.latency / load.concurrency
        latency = f"{load.latency * 1000:g} ms"
        print(f"{load.cases} cases, {latency}, {load.concurrency} threads")
        for name, (wall, cpu) in best.items():
            over = f"{wall / ideal:.3f} of ideal" if ideal else f"{wall:.2f} s"
            print(
                f"  {name:5} wall {over:16} CPU {cpu / load.cases * 1000:.3f} ms a case"
            )


if __name__ == "__main__":
    main()
