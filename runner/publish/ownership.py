"""Changes the owner of files that a container wrote as root."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from runner.publish.artifacts import FILES


def give(folder: Path, workspace: Path) -> None:
    """Give a results folder and its files to the workspace's owner.

    A container runs as root, and what belongs to root there can be removed by no later
    step outside. Where we are not root, or the workspace is root's, nothing is done.
    """
    folder, workspace = (Path(os.path.realpath(each)) for each in (folder, workspace))
    if not workspace.is_dir():
        return
    status = workspace.stat()
    if os.geteuid() != 0 or status.st_uid == 0 or workspace not in folder.parents:
        return
    above = [each for each in folder.parents if each.is_relative_to(workspace)]
    folders = [folder, *(each for each in above if each != workspace)]
    for path in (*folders, *(folder / name for name in FILES)):
        with suppress(FileNotFoundError):
            if path.lstat().st_uid == 0:
                os.chown(path, status.st_uid, status.st_gid, follow_symlinks=False)
