"""The results of a spec, out of an archive that may be anybody's."""

import random
import struct
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from runner.base._archive import results_of
from runner.github.client import Refused
from runner.report import Report, Totals

SPEC = "evals/rag.yaml"


def results(**fields):
    given = {
        "name": "helpdesk",
        "verdict": "passed",
        "totals": Totals(cases=1),
        "spec": SPEC,
        **fields,
    }
    return Report.model_validate(given).model_dump_json()


@pytest.fixture
def archive(tmp_path):
    def make(files):
        path = tmp_path / "archive.zip"
        with ZipFile(path, "w", ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        return path

    return make


@pytest.fixture
def to(tmp_path):
    folder = tmp_path / "to"
    folder.mkdir()
    return folder


def why(*args):
    with pytest.raises(Refused) as error:
        results_of(*args)
    return error.value.reason.why


@pytest.mark.parametrize("above", ["", "evals/rag/", "a/b/c/"])
def test_the_results_of_a_spec_are_found_wherever_they_are(archive, to, above):
    other = results(spec="evals/other.yaml")
    packed = archive(
        {
            "0/results.json": other,
            "0/cases.jsonl": "other",
            f"{above}results.json": results(),
            f"{above}cases.jsonl": "{}\n",
            f"{above}responses.jsonl": "secret",
        }
    )

    assert results_of(packed, SPEC, to)
    assert sorted(path.name for path in to.iterdir()) == ["cases.jsonl", "results.json"]
    assert (to / "cases.jsonl").read_text() == "{}\n"
    assert (to / "results.json").read_text() == results()


@pytest.mark.parametrize(
    "content",
    [
        results(spec="evals/other.yaml"),
        results(filters=("--limit 3",)),
        results(verdict="error"),
        results(totals=Totals(cases=3, not_asked=1)),
        "{",
        "",
    ],
)
def test_what_is_no_whole_run_of_the_spec_is_passed_over(archive, to, content):
    packed = archive({"results.json": content, "cases.jsonl": ""})

    assert not results_of(packed, SPEC, to)
    assert list(to.iterdir()) == []


def test_a_name_leads_nowhere(archive, to, tmp_path):
    packed = archive({"../../results.json": results(), "../../cases.jsonl": "x"})

    assert results_of(packed, SPEC, to)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive.zip", "to"]


def test_results_without_cases_are_told(archive, to):
    assert "has no cases.jsonl beside it" in why(
        archive({"a/results.json": results()}), SPEC, to
    )


def test_what_grows_without_end_is_cut_off(archive, to):
    packed = archive({"results.json": b" " * (65 * 2**20)})

    assert packed.stat().st_size < 2**20
    assert why(packed, SPEC, to) == "results.json has more than 64 MiB"


def test_a_size_that_is_a_lie_is_not_believed(archive, to):
    packed = archive({"results.json": b" " * (65 * 2**20)})
    raw = packed.read_bytes()
    packed.write_bytes(raw.replace(struct.pack("<L", 65 * 2**20), struct.pack("<L", 9)))

    with pytest.raises(Refused):
        results_of(packed, SPEC, to)


def test_an_archive_of_very_many_files_is_refused(archive, to):
    packed = archive({f"{number}": "" for number in range(10_001)})

    assert why(packed, SPEC, to) == "the archive holds more than 10,000 files"


def test_a_damaged_archive_is_only_refused(archive, to):
    packed = archive({"results.json": results(), "cases.jsonl": "{}\n"})
    raw = packed.read_bytes()
    chance = random.Random(4)
    for _ in range(500):
        broken = bytearray(raw)
        for _ in range(chance.randint(1, 8)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        packed.write_bytes(broken[: chance.randint(1, len(broken))])
        try:
            results_of(packed, SPEC, to)
        except Refused as refused:
            assert refused.reason.why  # noqa: PT017 - which of them are is chance
