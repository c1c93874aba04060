"""What a command pays before it does anything."""

import subprocess
import sys

import pytest

HEAVY = {
    *("jinja2", "jmespath", "pydantic", "pydantic_core", "re2", "requests", "rich"),
    *("runner.metrics", "runner.spec", "tabulate", "urllib3", "yaml"),
}


def loaded(statement):
    code = f"import sys; {statement}; print(*sorted(sys.modules), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split("\n"))


@pytest.mark.parametrize("module", ["runner", "runner.errors", "runner.cli"])
def test_the_command_line_imports_nothing_heavy_before_a_command(module):
    assert loaded(f"import {module}") & HEAVY == set()


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        (
            "runner.metrics",
            {"jinja2", "jmespath", "requests", "rich", "tabulate", "yaml"},
        ),
        (
            "runner.scores",
            {"jinja2", "jmespath", "requests", "rich", "tabulate", "yaml"},
        ),
        ("runner.spec", {"jmespath", "requests", "rich", "tabulate", "yaml"}),
        ("runner.action", {"requests", "rich", "urllib3"}),
        ("runner.files", {"jinja2", "jmespath", "requests", "rich", "tabulate"}),
    ],
)
def test_a_part_of_the_line_imports_only_what_it_needs(module, spared):
    assert loaded(f"import {module}") & spared == set()
