"""Fingerprints of the judge's prompts, which tell two versions of them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from runner.calibration import TaskFingerprint
from runner.model import Task
from runner.text import LANGUAGES

PROMPTS = "judge"
"""The folder of the prompts, within that of the templates."""


def fingerprints(
    tasks: Sequence[Task[Any]], templates: Path
) -> Mapping[str, TaskFingerprint]:
    """Give the fingerprint of each task, by its name.

    Args:
        tasks: What a judge is asked.
        templates: The folder of all templates.
    """
    folder = templates / PROMPTS
    return {
        task.name: TaskFingerprint(
            version=task.version,
            prompts={spoken: _hash(folder, task, spoken) for spoken in LANGUAGES},
        )
        for task in tasks
    }


def _hash(folder: Path, task: Task[Any], spoken: str) -> str:
    """Hash a template together with the one that it includes."""
    parts = (f"{task.name}.{spoken}.j2", f"_data.{spoken}.j2")
    texts = [(folder / part).read_bytes() for part in parts]
    return blake2b(b"\0".join(texts), digest_size=8).hexdigest()
