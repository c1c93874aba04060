"""What an installation needs is in the package."""

import tomllib


def test_every_template_is_installed(root):
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    listed = settings["tool"]["setuptools"]["data-files"]
    installed = {
        f"{folder}/{path.name}": path
        for folder, patterns in listed.items()
        for pattern in patterns
        for path in root.glob(pattern)
    }

    templates = [path for path in (root / "templates").rglob("*") if path.is_file()]
    wanted = {
        f"share/rag-eval-action/{path.relative_to(root).as_posix()}": path
        for path in templates
    }
    assert installed == wanted
