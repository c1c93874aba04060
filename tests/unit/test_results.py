import os

import pytest

from runner.errors import InputError
from runner.results import read_report, read_results


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def huge(path):
    with path.open("wb") as file:
        file.truncate(257 * 2**20)


def nothing(_path):
    pass


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (nothing, "base/results.json: no results are there (give the folder"),
        (fifo, "base/results.json: is no regular file"),
        (folder, "base/results.json: is a folder"),
        (huge, "base/results.json: is 257 MiB; the limit is 256 MiB"),
    ],
)
def test_results_that_are_no_sane_file_are_refused_at_once(tmp_path, make, expected):
    make(tmp_path / "results.json")

    for read in (read_report, read_results):
        with pytest.raises(InputError) as error:
            read(tmp_path, "base")

        assert str(error.value).startswith(expected)
