"""``python -m demo --port 9000``: serves until it is told to stop."""

from __future__ import annotations

import argparse
import signal
from threading import Thread

from demo.faults import NAMES, listing
from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server


def main() -> None:
    """Serve on the given port; SIGTERM and SIGINT end it with status 0."""
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description="Serve the knowledge base of the demo until told to stop.",
        epilog=f"faults:\n{listing()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9000, help="0 takes a free one")
    parser.add_argument(
        "--fault", choices=NAMES, metavar="NAME", help="what is wrong with it"
    )
    parser.add_argument("--seed", type=int, default=0, help="where a fault strikes")
    options = parser.parse_args()

    pipeline = Pipeline(Index(load()))
    desk = Desk(pipeline, options.fault, options.seed)
    with Server(options.host, options.port, desk) as server:

        def stop(*_: object) -> None:
            # shutdown() waits for the loop that this very thread is in.
            Thread(target=server.shutdown).start()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        print(f"listening on {server.url}", flush=True)
        server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
