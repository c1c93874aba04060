"""``python -m runner.docs``: bring what is generated below this folder up to date."""

from __future__ import annotations

from pathlib import Path

from runner.docs import write

write(Path.cwd())
