"""What a team starts from, `rag-eval init`: a spec, a case file and a workflow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from runner.errors import InputError, Place, did_you_mean, reason
from runner.variables import Use, substituted

_SPEC = "evals/rag.yaml"
_WORKFLOW = ".github/workflows/rag-eval.yml"
_MARKUP = re.compile(r"\[([^\]]+)\]\([^)]*\)|(?<!\w)\*([^*\n]+)\*")


def init(
    folder: Path, top: Path, templates: Path, recipes: Path, server: str | None = None
) -> list[Path]:
    """Write the files to start from; give what was written.

    GitHub reads workflows at the top of a repository alone, so that of a folder further
    down goes there. One that is there stays, and ``first_steps`` says what it lacks.

    Args:
        folder: Where spec and cases go.
        top: Of the repository; the folder itself where there is none.
        templates: The folder of the files to start from.
        recipes: Of the specs that are written already.
        server: The one whose spec it is; that of a server of one's own if left out.

    Raises:
        InputError: A file is there already, and nothing is written; there is no recipe
            for the server; or the folder cannot be written to.
    """
    paths = [path for path in sorted(templates.rglob("*")) if path.is_file()]
    files = {folder / path.relative_to(templates): path for path in paths}
    if server:
        files[folder / _SPEC] = _recipe(recipes, server)
    texts = {target: path.read_bytes() for target, path in files.items()}
    if inside := _inside(folder, top):
        text = texts.pop(folder / _WORKFLOW).decode()
        if not os.path.lexists(top / _WORKFLOW):
            spec = (inside / _SPEC).as_posix()
            text = text.replace(f"spec: {_SPEC}", f"spec: {spec}")
            texts[top / _WORKFLOW] = text.encode()
    there = [target for target in texts if os.path.lexists(target)]
    if there:
        raise InputError(
            "is there already", where=Place(there[0].as_posix()), hint="nothing written"
        )
    for target, content in texts.items():
        _write(target, content)
    return list(texts)


def _inside(folder: Path, top: Path) -> Path | None:
    """Give where a folder is below the top, None where it is the top."""
    real, above = (Path(os.path.realpath(each)) for each in (folder, top))
    return None if real == above else real.relative_to(above)


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    except OSError as error:
        what = f"cannot be written: {reason(error)}"
        raise InputError(what, where=Place(target.as_posix())) from None


def first_steps(folder: Path, top: Path, written: list[Path]) -> list[str]:
    """Give what to do next with the files that ``init`` has written."""
    spec = (folder / _SPEC).as_posix()
    names: list[str] = []

    def seen(use: Use) -> str:
        names.append(use.name or "")
        return ""

    substituted((folder / _SPEC).read_text(encoding="utf-8"), seen)
    listed = ", ".join(dict.fromkeys(filter(None, names)))
    cases = (folder / "evals/cases/first.yaml").as_posix()
    return [
        "next:",
        f"  set {listed}, or write the values into the spec",
        f"  rag-eval probe {spec}  # one question: the reply, and the ids to expect",
        f"  write questions of your own into {cases}",
        f"  rag-eval run {spec}  # writes rag-eval-results/, which git need not keep",
        *_to_add(folder, top, written),
    ]


def _to_add(folder: Path, top: Path, written: list[Path]) -> Iterator[str]:
    inside = _inside(folder, top)
    if inside and top / _WORKFLOW not in written:
        spec = (inside / _SPEC).as_posix()
        yield f"  add {spec} to the specs of {(top / _WORKFLOW).as_posix()}, one a line"


def about(pages: Path, server: str) -> list[str]:
    """Give what the page of a recipe says of its server, line by line.

    That is which layers it lets be judged, how to switch the others on, and which ids
    to expect; nothing where the page is not there.
    """
    page = pages / f"{server}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    _, known, section = text.partition(f"`rag-eval init --for {server}`. ")
    if not known:
        return []
    said = _MARKUP.sub(r"\1\2", section.rpartition("\n[All recipes]")[0]).strip()
    return [f"about {server}:", *(f"  {line}".rstrip() for line in said.split("\n"))]


def _recipe(recipes: Path, server: str) -> Path:
    """Give the spec that is written for a server.

    Raises:
        InputError: There is none; says for which there is.
    """
    known = {path.stem: path for path in sorted(recipes.glob("*.yaml"))}
    if server in known:
        return known[server]
    listed = did_you_mean(server, known) or f"there are {', '.join(known)}"
    raise InputError(f"there is no recipe for {server!r}", hint=listed)
