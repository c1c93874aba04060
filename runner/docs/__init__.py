"""Reference pages, README tables and the schemas, made from the declarations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runner import report
from runner.docs._action import inputs_table, outputs_table
from runner.docs._metrics import metric_page, metrics_table, overview
from runner.docs._spec import cases_table, spec_page
from runner.files import read_document
from runner.metrics import registry
from runner.spec import json_schema

_GENERATED = "<!-- made by `make docs` from the code; do not edit -->\n\n"


def generate(root: Path) -> dict[Path, str]:
    """Give every generated file below ``root`` with the text it should have.

    README.md is among them where there is one; what is outside of its markers stays
    as it is.
    """
    schema = json_schema(registry)
    pages = {
        Path("docs/metrics.md"): _GENERATED + overview(),
        Path("docs/spec.md"): _GENERATED + spec_page(schema),
        Path("schema/spec.schema.json"): _json(schema),
        Path("schema/results.schema.json"): _json(report.json_schema()),
    }
    for name, metric in sorted(registry.items()):
        pages[Path(f"docs/metrics/{name}.md")] = _GENERATED + metric_page(metric)
    readme = root / "README.md"
    if readme.exists():
        blocks = {"metrics": metrics_table("docs/metrics"), "cases": cases_table()}
        if (root / "action.yml").exists():
            declared = read_document(root / "action.yml", root=root).data
            blocks["inputs"] = inputs_table(declared)
            blocks["outputs"] = outputs_table(declared)
            blocks["workflow"] = _workflow(root)
        pages[Path("README.md")] = fill(readme.read_text(encoding="utf-8"), blocks)
    return pages


def write(root: Path) -> None:
    """Bring every generated file below ``root`` up to date; take stale pages away."""
    pages = generate(root)
    for stale in (root / "docs/metrics").glob("*.md"):
        if stale.relative_to(root) not in pages:
            stale.unlink()
    for path, text in pages.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def fill(text: str, blocks: Mapping[str, str]) -> str:
    """Give the text with each block between its ``<!-- name:start -->`` and ``:end``.

    >>> print(fill("<!-- x:start -->old<!-- x:end -->", {"x": "new"}))
    <!-- x:start -->
    new
    <!-- x:end -->
    """
    for name, block in blocks.items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        before, opened, rest = text.partition(start)
        _, closed, after = rest.partition(end)
        if opened and closed:
            text = f"{before}{start}\n{block.strip()}\n{end}{after}"
    return text


def _workflow(root: Path) -> str:
    """Give the workflow that ``rag-eval init`` writes, as the README shows it."""
    path = Path(".github/workflows/rag-eval.yml")
    text = (root / "templates/init" / path).read_text(encoding="utf-8")
    return f"```yaml\n# {path.as_posix()}\n{text.strip()}\n```"


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
