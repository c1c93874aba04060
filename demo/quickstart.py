"""``python -m demo.quickstart``: starts the service, then judges it over HTTP."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

from demo.faults import NAMES, listing
from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server

ROOT = Path(__file__).parents[1]
COMMAND = (sys.executable, "-m", "runner", "run", "specs/quickstart.yaml")


def main() -> int:
    """Give the exit status of the run; options that are not known here go to it."""
    parser = argparse.ArgumentParser(
        prog="python -m demo.quickstart",
        description="Start the service of the demo, and judge it over HTTP.",
        epilog=f"faults:\n{listing()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--fault", choices=NAMES, metavar="NAME", help="what is wrong with the service"
    )
    options, others = parser.parse_known_args()

    desk = Desk(Pipeline(Index(load())), options.fault)
    with Server("127.0.0.1", 0, desk) as server:
        signal.signal(signal.SIGINT, lambda *_: None)  # the run ends itself, tidily
        Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        environment = {**os.environ, "RAG_URL": server.url}
        ended = subprocess.run(  # noqa: S603  our own program
            [*COMMAND, *others], cwd=ROOT, env=environment, check=False
        )
        server.shutdown()
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
