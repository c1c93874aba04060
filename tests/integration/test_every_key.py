"""A wrong value at every key of every spec that stands here is told at its place."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from runner.errors import Problems
from runner.files import read_document
from runner.metrics import registry
from runner.spec import parse

ROOT = Path(__file__).parents[2]
SPECS = [ROOT / "specs/quickstart.yaml", *sorted(ROOT.glob("specs/recipes/*.yaml"))]
MARK = "MARK-x-MARK"
VALUES = (
    *("null", "true", "-1", "1.5", "1e308", ".nan", "9" * 30, "2026-01-01", "no"),
    *('""', '" "', "5%", '"${A"', '"${NONE}"', '"{{ nosuch }}"', '"{% for x in y %}"'),
    *("[]", "[[[]]]", "[null]", "{}", "{zzz: null}", "{1: 2}"),
    *('"a\\0b"', '"\\e[31m\\n::error::x"', "x" * 3_000, "../../etc/passwd", "(("),
)


def paths(node, at=()):
    """Give every key path of a tree, of lists the first item alone."""
    items = node.items() if isinstance(node, dict) else enumerate(node[:1])
    for key, value in items:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from paths(value, (*at, key))


def marked(spec, path):
    whole = copy.deepcopy(spec)
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = MARK
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=10**6)


def every_key():
    seen = {}
    for file in SPECS:
        spec = yaml.safe_load(file.read_text("utf-8"))
        for path in paths(spec):
            seen.setdefault(".".join(map(str, path)), (spec, path))
    return [pytest.param(*each, id=name) for name, each in seen.items()]


@pytest.mark.parametrize(("spec", "path"), every_key())
def test_a_wrong_value_is_told_with_file_line_and_key(spec, path, tmp_path):
    file, text = tmp_path / "s.yaml", marked(spec, path)
    environ = dict.fromkeys(re.findall(r"\$\{(\w+)", text), "http://localhost")
    for value in VALUES:
        file.write_text(text.replace(MARK, value), encoding="utf-8")
        try:
            document = read_document(file, root=tmp_path)
            parse(document, registry=registry, environ=environ)
        except Problems as found:
            for problem in found:
                told = str(problem)
                assert told.startswith(f"s.yaml:{problem.where.line} "), value
                assert (told.count("\n"), len(told) < 2_000) == (0, True), value
