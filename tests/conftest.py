"""What tests of the whole program share."""

from threading import Thread

import pytest

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server


@pytest.fixture(scope="session")
def service():
    """The URL of a healthy RAG service: the demo's, on a free port of loopback."""
    desk = Desk(Pipeline(Index(load())), None, 0)
    with Server("127.0.0.1", 0, desk) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server.url
        server.shutdown()


@pytest.fixture
def github():
    """GitHub's API on loopback; all that was said was as GitHub describes it."""
    # Its checker takes half a second to load, which other tests need not wait for.
    from tests.contract._github.server import GitHub, Server  # noqa: PLC0415 - see above

    github = GitHub()
    with Server(github) as server:
        github.url = server.url
        yield github
    assert github.wrong == []
