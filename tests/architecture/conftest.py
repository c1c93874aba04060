import ast
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[2] / "runner"


class Source(NamedTuple):
    """One file of the package; ``unit`` is the module or folder it belongs to."""

    path: str
    unit: str
    tree: ast.Module
    lines: int

    def imports(self):
        """Every name that is imported anywhere in the file, dotted."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.fixture(scope="session")
def sources():
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path, text = file.relative_to(PACKAGE), file.read_text(encoding="utf-8")
        unit = path.parts[0].removesuffix(".py")
        tree = ast.parse(text)
        found.append(Source(path.as_posix(), unit, tree, text.count("\n")))
    return found
