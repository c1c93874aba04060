"""What judging costs: a whole run of recorded replies, rated by a model that is slow.

    python bench/rating.py --cases 1000 --latency 0.2 --concurrency 16

prints the wall time of the run over ideal (requests x latency / concurrency), without
what the same run takes with nothing to judge, and what a second run asks that has the
first one's cache. Each case takes two requests in turn: its claims, and their support.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLAIMS = {"claims": ["Refunds are paid within ten days."]}
SUPPORT = {
    "verdicts": [{"number": 1, "reason": "", "supported": True, "passages": [1]}]
}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "


def reply(said: dict[str, Any]) -> bytes:
    """Give the reply of a chat, as it goes over the wire."""
    message = {"role": "assistant", "content": json.dumps(said)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 50}
    body = json.dumps({"choices": [choice], "usage": usage}).encode()
    return b"%b%d\r\n\r\n%b" % (HEAD, len(body), body)


async def serve(latency: float) -> None:
    """Answer each request after a latency; print the port, and on each line a count."""
    known = {True: reply(CLAIMS), False: reply(SUPPORT)}
    asked = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r")[0])
            body = await reader.readexactly(length)
            asked += 1
            await asyncio.sleep(latency)
            writer.write(known[b'"title": "Claims"' in body])

    async def quietly(*both: Any) -> None:
        try:
            await talk(*both)
        except (asyncio.IncompleteReadError, ConnectionError):
            both[1].close()

    server = await asyncio.start_server(quietly, "127.0.0.1", 0, limit=2**24)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(asked, flush=True)


def write(folder: Path, cases: int, url: str, concurrency: int) -> None:
    """Write the spec of a run, its cases and what was replied to them."""
    judge = {
        "url": url,
        "model": "stub",
        "concurrency": concurrency,
        "drift": 0,
        "cache": "cache.jsonl",
    }
    spec = {"endpoint": {"url": "http://localhost:9/"}, "cases": "cases.json"}
    plain = {**spec, "metrics": ["key_points"]}
    whole = {**spec, "metrics": ["key_points", "faithfulness"], "judge": judge}
    (folder / "plain.yaml").write_text(json.dumps(plain))
    (folder / "spec.yaml").write_text(json.dumps(whole))
    asked, replied = [], []
    for number in range(cases):
        asked.append({"id": f"c{number}", "question": f"How long does {number} take?"})
        passage = {"id": "d#1", "text": f"Refunds of {number} take ten days." * 40}
        said = {"answer": f"Refunds of {number} take ten days.", "contexts": [passage]}
        replied.append(json.dumps({"case_id": f"c{number}", "response": said}))
    (folder / "cases.json").write_text(json.dumps(asked))
    (folder / "replies.jsonl").write_text("\n".join(replied))


def run(folder: Path, spec: str) -> float:
    """Run a spec, and give the seconds that it took."""
    words = ["run", spec, "--replay", "replies.jsonl", "--quiet"]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "runner", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - began


def main() -> None:
    """Serve, or measure against a server in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--serve", action="store_true")
    chosen = parser.parse_args()
    if chosen.serve:
        asyncio.run(serve(chosen.latency))
        return
    with (
        TemporaryDirectory() as made,
        subprocess.Popen(
            [sys.executable, __file__, "--serve", f"--latency={chosen.latency}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        try:
            measure(Path(made), chosen, server)
        finally:
            server.kill()


def measure(folder: Path, chosen: argparse.Namespace, server: Any) -> None:
    """Print what two runs take, and what they ask."""

    def asked() -> int:
        server.stdin.write("\n")
        server.stdin.flush()
        return int(server.stdout.readline())

    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    write(folder, chosen.cases, url, chosen.concurrency)
    plain = run(folder, "plain.yaml")
    first = run(folder, "spec.yaml")
    calls = asked()
    ideal = calls * chosen.latency / chosen.concurrency
    print(f"{chosen.cases} cases, {calls} requests of {chosen.latency * 1000:g} ms")
    print(f"without a judge        {plain:7.2f} s")
    print(f"ideal for the requests {ideal:7.2f} s")
    print(f"with a judge           {first:7.2f} s")
    print(f"over ideal             {(first - plain) / ideal:7.3f}")
    second = run(folder, "spec.yaml")
    print(f"again from its cache   {second:7.2f} s, {asked() - calls} requests")


if __name__ == "__main__":
    main()
