"""Makes the judge that a spec names, with its client, its cache and its recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from runner import files
from runner.hosts import Access
from runner.judges._meter import Meter
from runner.judges.chat import Chance, Chat
from runner.judges.fingerprints import PROMPTS
from runner.judges.judging import Judging, Sources
from runner.judges.recorded import Recording
from runner.redact import Redactor
from runner.spec import JudgeSpec
from runner.templating import Locate


class Context(NamedTuple):
    """Where the files of a judge are, and what it may reach."""

    root: Path
    """The workspace."""
    templates: Path
    spec: str
    """The file of the spec, relative to the workspace."""
    place: Locate
    """Where a key stands in the user's file."""
    secrets: Sequence[str] | Redactor = ()
    access: Access = Access()


def open_judge(spec: JudgeSpec, around: Context, chance: Chance) -> Judging:
    """Open the judge of a spec, ready to rate; nothing is sent yet.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
    """
    hide = Redactor.of(around.secrets).text
    meter = Meter(spec, chance.clock)

    def stored(key: str, written: str | None, *, writable: bool) -> Recording | None:
        if written is None:
            return None
        where = around.place("judge", key)
        path = files.named(written, spec=around.spec, root=around.root, where=where)
        return Recording(path, where, writable=writable, hide=hide)

    chat = None
    if spec.recorded is None:
        place, access = around.place, around.access
        chat = Chat(spec, meter, chance, place=place, access=access)
    sources = Sources(
        stored("recorded", spec.recorded, writable=False),
        stored("cache", spec.cache, writable=True),
        chat,
    )
    return Judging(spec, around.templates / PROMPTS, sources, meter, hide)
