"""What an installation needs is in the package."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions


def test_every_template_and_recipe_is_installed_with_what_is_said_of_them(root):
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    listed = settings["tool"]["setuptools"]["data-files"]
    installed = {
        f"{folder}/{path.name}": path
        for folder, patterns in listed.items()
        for pattern in patterns
        for path in root.glob(pattern)
    }

    folders = (root / "templates", root / "specs/recipes", root / "docs/recipes")
    files = [p for folder in folders for p in folder.rglob("*") if p.is_file()]
    templates = [path for path in files if path.parent.name != "__pycache__"]
    wanted = {
        f"share/rag-eval-action/{path.relative_to(root).as_posix()}": path
        for path in templates
    }
    assert installed == wanted


def test_every_package_that_is_imported_is_declared(root):
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    declared = {
        re.match(r"[\w-]+", line)[0] for line in settings["project"]["dependencies"]
    }
    # pydantic asks for exactly the core that it was made with.
    made_of = {"pydantic-core": "pydantic"}
    homes = packages_distributions()

    needed = {
        made_of.get(home, home)
        for name in imported(root / "runner")
        for home in (each.lower().replace("_", "-") for each in homes[name])
    }

    assert needed == declared


def imported(folder):
    """Give the packages of others that the modules below a folder import."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"runner"}
