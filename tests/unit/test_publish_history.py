from pathlib import Path

import pytest

from runner.errors import InputError
from runner.history import Point
from runner.publish.history import append

POINT = Point(verdict="passed", cases=3)


def test_a_line_is_added_in_folders_that_are_made(tmp_path):
    path = tmp_path / "data/runs.jsonl"

    append(path, POINT, root=tmp_path)
    append(path, POINT, root=tmp_path)

    assert path.read_text("utf-8") == 2 * '{"verdict":"passed","cases":3,"values":{}}\n'


def test_a_link_out_of_the_workspace_is_not_followed(tmp_path):
    inside, outside = tmp_path / "workspace", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    Path(inside / "data").symlink_to(outside)

    with pytest.raises(InputError, match="in the workspace only"):
        append(inside / "data/runs.jsonl", POINT, root=inside)

    assert list(outside.iterdir()) == []
