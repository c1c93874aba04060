"""Clients of the API on loopback, whose time only sleeping moves."""

from runner.github.client import PATIENCE, Caller, GitHub
from runner.github.contents import Contents

TOKEN = "token-of-the-job"  # noqa: S105 - made up
NOW = 1_780_000_000  # seconds of the epoch


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 1_000.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        if seconds:
            self.slept.append(seconds)
        self.now += seconds


class Clients:
    """Makes clients; without arguments that of a job's own token."""

    def __init__(self, url, clock):
        self.url = url
        self.clock = clock
        self.made = []

    def __call__(
        self, token=TOKEN, origin="ours", patience=PATIENCE, prefix="", url=None
    ):
        caller = Caller(
            token,
            patience=patience,
            clock=self.clock,
            wall=lambda: NOW,
            sleep=self.clock.sleep,
        )
        root = (url or self.url) + prefix
        rest = f"{root}/v3" if prefix else root
        self.made.append(GitHub(rest, f"{root}/graphql", "org/bot", origin, caller))
        return self.made[-1]

    def contents(self, token=TOKEN):
        """Give a client of what the repository holds."""
        caller = Caller(
            token, clock=self.clock, wall=lambda: NOW, sleep=self.clock.sleep
        )
        self.made.append(Contents(self.url, f"{self.url}/graphql", "org/bot", caller))
        return self.made[-1]

    def close(self):
        for each in self.made:
            each.close()
