"""What somebody asked for by name is written whole, or what stands there stays."""

import pytest

from runner.errors import InputError, Unavailable
from runner.publish.text_files import check, write


def test_folders_are_made_and_no_draft_is_left(tmp_path):
    write({tmp_path / "a/b.csv": "x\r\n甲\ud800"}, over=False)

    assert (tmp_path / "a/b.csv").read_bytes() == "x\r\n甲?".encode()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.csv"]


def test_nothing_is_written_where_one_of_them_is_there(tmp_path):
    (tmp_path / "b").write_text("labels of a week", "utf-8")

    with pytest.raises(InputError) as error:
        write({tmp_path / "a": "x", tmp_path / "b": "y"}, over=False)

    assert "is there already (nothing was written" in str(error.value)
    assert (tmp_path / "b").read_text("utf-8") == "labels of a week"
    assert not (tmp_path / "a").exists()


def test_what_may_go_is_replaced_and_a_link_is_not_followed(tmp_path):
    (tmp_path / "other").write_text("theirs", "utf-8")
    (tmp_path / "a").symlink_to(tmp_path / "other")

    write({tmp_path / "a": "x"}, over=True)

    assert (tmp_path / "a").read_text("utf-8") == "x"
    assert (tmp_path / "other").read_text("utf-8") == "theirs"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write({tmp_path: "x"}, over=True)


def test_a_path_through_a_file_cannot_be_written(tmp_path):
    (tmp_path / "a").write_text("", "utf-8")

    with pytest.raises(Unavailable, match="cannot be written"):
        write({tmp_path / "a/b": "x"}, over=True)


def test_whether_it_can_be_written_is_known_before(tmp_path):
    (tmp_path / "a").write_text("x", "utf-8")
    check(tmp_path / "a")
    check(tmp_path / "new/b")

    assert (tmp_path / "a").read_text("utf-8") == "x"
    assert list((tmp_path / "new").iterdir()) == []
    with pytest.raises(InputError, match="is a folder"):
        check(tmp_path)
    with pytest.raises(Unavailable, match="cannot be written"):
        check(tmp_path / "a/b")
