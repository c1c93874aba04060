"""Reads text files: in the workspace, of limited size, in a known encoding."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from runner.errors import InputError, Place, did_you_mean, reason

_BYTE_ORDER_MARKS = (  # longest first: UTF-32's begins with UTF-16's
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CHINESE = 0.8  # share of GB2312's characters in text that really is Chinese
_ZEROS = 0.1  # share of zero bytes in UTF-16 with any Latin letters in it
_POINTER = b"version https://git-lfs.github.com/spec/"
"""How a file begins in whose place Git LFS has put a pointer to it."""
_POINTED = 1024  # bytes that no pointer has
_FEW = 3  # files of a folder that a hint names
_NAMES = 200  # files of a folder that are looked through for a hint


class Text(NamedTuple):
    """The text of a file, and its encoding."""

    text: str
    encoding: str


def inside(path: Path, root: Path) -> Path:
    """Resolve a path, and see that it is inside the workspace.

    Symbolic links are followed first, so that none can lead out.

    Raises:
        InputError: It lies outside.
    """
    real, top = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    if not real.is_relative_to(top):
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        raise InputError(
            f"leads out of the workspace {top}",
            where=Place(shown.as_posix()),
            hint="only files in the workspace are read",
        )
    return real


def named(written: str, *, spec: str, root: Path, where: Place) -> Path:
    """Resolve a path in a spec; the file need not exist.

    Args:
        written: Relative to the spec; ``/x`` is in the workspace.
        spec: The spec's own file, relative to the workspace.
        root: The workspace.
        where: The key in the spec.

    Raises:
        InputError: It lies outside of the workspace, whatever links say.
    """
    start = root if written.startswith("/") else root / Path(spec).parent
    top = os.path.realpath(root)
    if "\0" not in written:
        real = Path(os.path.realpath(start / written.lstrip("/")))
        if real.is_relative_to(top):
            return real
    raise InputError(
        f"{written} leads out of the workspace {top}",
        where=where,
        hint="only files in the workspace are read",
    )


def name_of(path: Path, root: Path) -> str:
    """Give a path as errors and reports show it: relative to the workspace."""
    return inside(path, root).relative_to(os.path.realpath(root)).as_posix()


def check_file(path: Path, file: str, limit: int | None = None) -> None:
    """See that a path is a regular file of at most ``limit`` bytes.

    Raises:
        InputError: It is not there (with the nearest name), no file, too large, or a
            pointer to one.
    """
    where = Place(file)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError("is not there", where=where, hint=near(path)) from None
        raise unread(error, where) from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError("is a folder", where=where, hint=_within(path, file))
    if not stat.S_ISREG(status.st_mode):
        raise InputError("is no regular file", where=where)
    if limit is not None and status.st_size > limit:
        size = f"{status.st_size / 2**20:,.0f} MiB"
        raise InputError(
            f"is {size}; the limit is {limit // 2**20} MiB",
            where=where,
            hint="split it, and name the parts with a glob",
        )
    if status.st_size < _POINTED and _begins(path).startswith(_POINTER):
        raise InputError(
            "is a pointer of Git LFS, and the file itself was not fetched",
            where=where,
            hint="run `git lfs pull`; in a workflow, give actions/checkout `lfs: true`",
        )


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_POINTER))
    except OSError:  # which is told by whoever reads it
        return b""


def _within(folder: Path, file: str) -> str:
    """Give a hint with files of a folder that was named in place of a file."""
    try:
        found = sorted(entry for entry in folder.iterdir() if entry.is_file())
    except OSError:
        found = []
    few = [path for path in found if not path.name.startswith(".")][:_FEW]
    if not few:
        return "name a file"
    every = f"{file.rstrip('/')}/*{few[0].suffix}"
    return f"name a file in it, such as {', '.join(path.name for path in few)}" + (
        f", or {every}" if len({path.suffix for path in few}) == 1 < len(few) else ""
    )


def near(path: Path) -> str:
    """Give a hint with the nearest name in the first folder above that exists."""
    if os.path.islink(path):  # noqa: PTH114 - too long a name is none
        return "it is a link that leads to no file"
    while not path.parent.is_dir():
        path = path.parent
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return ""
    return did_you_mean(path.name, names[:_NAMES])


def read_text(path: Path, *, file: str, limit: int) -> Text:
    """Give the text of a file in UTF-8, UTF-16, UTF-32 or GB18030.

    Raises:
        InputError: It cannot be read, its encoding is another one, or git has left it
            in the middle of a merge.
    """
    found = decode(read_bytes(path, file=file, limit=limit), file)
    before, ours, theirs = found.text.partition("<<<<<<< ")
    begins = ours and before[-1:] in ("", "\n")
    if begins and "\n=======" in theirs and "\n>>>>>>> " in theirs:
        where = Place(file, before.count("\n") + 1)
        what, hint = "holds a merge conflict", "decide for one side of it"
        raise InputError(what, where=where, hint=hint)
    return found


def read_bytes(path: Path, *, file: str, limit: int) -> bytes:
    """Read a file of at most ``limit`` bytes.

    Raises:
        InputError: It is not there, no regular file, too large, or cannot be read.
    """
    check_file(path, file, limit)
    try:
        return path.read_bytes()
    except OSError as error:
        raise unread(error, Place(file)) from None


def unread(error: Exception, where: Place) -> InputError:
    """Make the error for a file that cannot be read."""
    return InputError(f"cannot be read: {reason(error)}", where=where)


def decode(raw: bytes, file: str) -> Text:
    """Decode bytes.

    A byte-order mark decides. Without one it is UTF-8; or UTF-16, where zero bytes
    stand at even or at odd places only; or GB18030, which sheets in China are saved
    in, where that gives Chinese and not chance characters.

    Raises:
        InputError: None of them fits; says which byte of which line is no UTF-8.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _decode(raw[len(mark) :], encoding, file)
    if b"\0" in raw:
        return _decode(raw, _zeros(raw, file), file)
    try:
        return Text(raw.decode(), "utf-8")
    except UnicodeDecodeError as error:
        if text := _chinese(raw):
            return Text(text, "gb18030")
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"is not UTF-8: byte 0x{raw[error.start]:02x}",
            where=Place(file, line),
            hint="save it as UTF-8",
        ) from None


def _decode(raw: bytes, encoding: str, file: str) -> Text:
    try:
        return Text(raw.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        what = f"begins like {encoding}, and byte {error.start:,} does not fit"
        raise InputError(what, where=Place(file), hint="save it as UTF-8") from None


def _zeros(raw: bytes, file: str) -> str:
    even, odd = raw[::2].count(0), raw[1::2].count(0)
    if (even and odd) or max(even, odd) < _ZEROS * len(raw):
        line = raw.count(b"\n", 0, raw.index(0)) + 1
        what, hint = "holds a zero byte: it is no text", "save it as text in UTF-8"
        raise InputError(what, where=Place(file, line), hint=hint)
    return "utf-16-le" if odd else "utf-16-be"


def _chinese(raw: bytes) -> str | None:
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return None
    plain = len(text.encode("ascii", "ignore"))
    known = (len(text.encode("gb2312", "ignore")) - plain) / 2
    return text if known >= _CHINESE * (len(text) - plain) else None
