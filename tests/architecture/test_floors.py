"""Which module may import which, and what only some modules may do.

ARCHITECTURE.md shows the same table to people. Imports inside functions and under
TYPE_CHECKING count too.
"""

import ast
import re
import sys

import pytest

FLOORS = (
    {"__init__", "agreement", "errors", "inference", "text", "redact"},
    {"hosts", "model", "readback", "units", "variables"},
    {
        *("templating", "spec", "cases", "metrics", "aggregate", "advice"),
        *("search_regression", "quarantine", "calibration"),
    },
    {"responses", "scores", "comparison", "gates", "report", "yardstick"},
    {"diagnosis", "history", "ledger", "baseline", "render", "settings"},
    {"container", "files", "github", "http_client", "publish", "trials"},
    {"endpoints", "judges", "pipeline", "results", "interrupts", "terminal"},
    {"base", "endpoint_setup", "examples", "judge_setup", "progress"},
    {"docs", "labels", "probe", "session", "worked_examples"},
    {"annotation", "meta_evaluation", "offline", "scaffold"},
    {"action"},
    {"cli"},
    {"__main__"},
)
"""A module imports lower floors only, never its own or a higher one."""

PURE = frozenset().union(*FLOORS[:5])
"""No disk (but for templates), network, environment, clock or chance of their own."""

HOMES = {
    "click": {"cli"},
    "jinja2": {"templating"},
    "jmespath": {"endpoints"},
    "pydantic": {
        *("baseline", "calibration", "history", "metrics", "model", "readback"),
        *("report", "spec"),
    },
    "pydantic_core": {
        *("action", "calibration", "cases", "endpoints", "files", "judges", "labels"),
        *("github", "publish", "readback", "spec"),
    },
    "re2": {"endpoints"},
    "requests_aws4auth": {"endpoints"},
    "requests": {"endpoints", "github", "http_client"},
    "rich": {"progress"},
    "tabulate": {"render"},
    "urllib3": {"endpoints", "github", "http_client"},
    "yaml": {"files"},
}
"""Third-party package to the modules that may import it."""

WORLD = {
    *("asyncio", "ftplib", "glob", "http", "io", "os", "random", "secrets", "shutil"),
    *("signal", "smtplib", "socket", "sqlite3", "subprocess", "tempfile", "time"),
    *("uuid", "webbrowser"),
}
"""Standard modules that reach for the disk, the network, a clock or chance."""

FLOOR = {unit: floor for floor, units in enumerate(FLOORS) for unit in units}


def test_every_module_has_one_floor(sources):
    standing = sorted({source.unit for source in sources})

    assert sorted(unit for units in FLOORS for unit in units) == standing


def test_imports_go_down(sources):
    climbing = [
        f"{source.path} imports {unit}"
        for source in sources
        for unit in set(map(unit_of, source.imports())) - {None, source.unit}
        if FLOOR.get(unit, len(FLOORS)) >= FLOOR.get(source.unit, -1)
    ]

    assert climbing == []


def unit_of(name):
    """Give the module of ours that a dotted name leads into, None for any other."""
    package, _, rest = name.partition(".")
    first = rest.partition(".")[0]
    if package != "runner":
        return None
    return first if first in FLOOR else "__init__"


def test_a_room_is_entered_by_its_own_folder_alone(sources):
    entered = [
        f"{source.path} imports {name}"
        for source in sources
        for name in source.imports()
        if re.match(r"runner\.\w+\._[a-z]", name) and unit_of(name) != source.unit
    ]

    assert entered == []


def test_each_package_of_others_is_at_home(sources):
    astray = [
        f"{source.path} imports {package}"
        for source in sources
        for package in {name.partition(".")[0] for name in source.imports()}
        if package not in {"runner", *sys.stdlib_module_names}
        and source.unit not in HOMES.get(package, ())
    ]

    assert astray == []


def test_the_core_is_pure(sources):
    reaching = [
        f"{source.path} imports {module}"
        for source in sources
        if source.unit in PURE
        for module in {name.partition(".")[0] for name in source.imports()} & WORLD
    ]

    assert reaching == []


def test_the_core_opens_no_file_and_reads_no_clock(sources):
    calls = [
        f"{source.path}:{node.lineno} {called(node)}"
        for source in sources
        if source.unit in PURE
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and re.fullmatch(IMPURE, called(node))
    ]

    assert calls == []


IMPURE = r"open|input|(datetime|date)\.(now|utcnow|today)|.*\.(read|write)_(text|bytes)"


def called(call):
    return ast.unparse(call.func)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("os.environ", "os.getenv", "os.putenv"), id="environment"),
        pytest.param(("print", "sys.stdout", "sys.stderr"), id="printing"),
        pytest.param(("sys.exit", "SystemExit", "os._exit", "exit", "quit"), id="exit"),
    ],
)
def test_what_only_the_command_line_does(words, sources):
    elsewhere = [
        f"{source.path}:{node.lineno} {ast.unparse(node)}"
        for source in sources
        if source.unit != "cli"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in words
    ]

    assert elsewhere == []


def test_the_page_for_people_shows_the_same_floors(pytestconfig):
    page = (pytestconfig.rootpath / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|\s*(\d+)\s*\|([^|]*)\|", page, re.MULTILINE)

    shown = {int(floor): set(re.findall(r"`(\w+)/?`", cell)) for floor, cell in rows}

    assert shown == dict(enumerate(FLOORS))
