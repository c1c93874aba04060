import os
from pathlib import Path

import pytest

from tests.contract._github.clients import Clients, Clock

HERE = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of labelled data that lies beside the repository."""
    folder = Path(os.environ.get("RAG_EVAL_SHARED") or HERE.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no labelled data at {folder} (set RAG_EVAL_SHARED)")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return HERE


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def api(github, clock):
    clients = Clients(github.url, clock)
    yield clients
    clients.close()
