import json
import os

import pytest

from runner.cases import load
from runner.errors import InputError, Place, Problems
from runner.files import named, read_cases, read_document, read_jsonl, read_rows
from runner.metrics import registry
from runner.spec import parse

CHINESE = "id,question,reference\nq1,企业版套餐支持多少并发会话?,支持 500 个\n"


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def document(folder, text):
    return read_document(write(folder, "spec.yaml", text), root=folder)


def rows(folder, name, content):
    return read_rows(write(folder, name, content), file=name)


def told(action, *arguments, **options):
    with pytest.raises(InputError) as caught:
        action(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("1:30", "1:30"),
        ("010", "010"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        (".inf", ".inf"),
        ("12345678901234567890", "12345678901234567890"),
        ("=", "="),
        ("12", 12),
        ("-3", -3),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_the_traps_of_yaml_stay_the_text_that_was_written(tmp_path, written, expected):
    assert document(tmp_path, f"value: {written}").data == {"value": expected}


def test_keys_are_text(tmp_path):
    data = document(tmp_path, "on: 1\nno: 2\n3: 4\nnull: 5\ntrue: 6").data

    assert list(data) == ["on", "no", "3", "null", "true"]


def test_every_key_path_has_its_line(tmp_path):
    text = "a:\n  b: [1,\n      2]\nc:\n- d: 1\n  e: 2\n"

    found = document(tmp_path, text)

    assert found.lines == {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 2,
        ("a", "b", 1): 3,
        ("c",): 4,
        ("c", 0): 5,
        ("c", 0, "d"): 5,
        ("c", 0, "e"): 6,
    }
    assert found.place("c", 0, "x") == Place("spec.yaml", 5, "c[0].x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x {k: 1}\nb: *x", {"k": 1}),
        ("a: &x {k: 1}\nb: {<<: *x, m: 2}", {"k": 1, "m": 2}),
        ("a: &x {k: 1}\nb: {k: 3, <<: *x}", {"k": 3}),
        ("a: &x {k: 1}\nc: &y {k: 2, m: 2}\nb: {<<: [*x, *y]}", {"k": 1, "m": 2}),
        ("b: {'<<': 1}", {"<<": 1}),
    ],
)
def test_aliases_and_merge_keys_are_filled_in(tmp_path, text, expected):
    assert document(tmp_path, text).data["b"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("a: 1\n--- \nb: 2", ":2: holds a second document"),
        ("a: 1\nb: 1\na: 2", ":3 a: stands twice, first in line 1"),
        ("a: *b", "names no finished value"),
        ("a: &a [*a]", "names no finished value"),
        ("? [a]\n: b", "stands where a key should"),
        ("x: &a 1\n*a : 2", "an alias stands where a key should"),
        ("<<: 3", "<< takes a mapping"),
        ("a: !!set {b}", "the tag !!set is not read"),
        ("a: !python/name:os.system x", "is not read"),
        ("a: \x07", "the control character U+0007"),
        ("a:\n\tb: 1", "a tab stands"),
        ("[" * 101, "nested more than 100"),
        ("[" * 100_000, "nested more than 100"),
        ("- " * 5_000, "nested more than 100"),
    ],
)
def test_yaml_that_is_not_accepted_says_where_and_why(tmp_path, text, expected):
    assert expected in told(document, tmp_path, text)


def test_all_keys_that_stand_twice_are_told(tmp_path):
    with pytest.raises(Problems) as caught:
        document(tmp_path, "a: 1\na: 2\nb: {c: 1, c: 2}")

    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("utf-32-le", b"\xff\xfe\0\0"),
        ("gb18030", b""),
        ("gbk", b""),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_sheet_in_any_usual_encoding_loads_right(tmp_path, encoding, mark, newline):
    content = mark + CHINESE.replace("\n", newline).encode(encoding)

    case = load(rows(tmp_path, "cases.csv", content)).cases[0]

    assert (case.id, case.question, case.reference) == (
        "q1",
        "企业版套餐支持多少并发会话?",
        "支持 500 个",
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "id,question\na,caf\xe9 ouvert\n".encode("latin-1"),
            "cases.csv:2: is not UTF-8",
        ),
        ("id,question\na,été à Orléans\n".encode("cp1252"), "byte 0xe9"),
        ("id,question\n1,東京の天気は？\n".encode("cp932"), "save it as UTF-8"),
        ("id,question\n1,企業版支援多少人\n".encode("big5"), "save it as UTF-8"),
        (b"id,question\n\x00a,b\n", "zero byte"),
        (b"\xff\xfea", "begins like utf-16-le"),
    ],
)
def test_another_encoding_is_named_and_not_guessed(tmp_path, content, expected):
    assert expected in told(rows, tmp_path, "cases.csv", content)


A = {"a": 1}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '[{"a": 1},\n\n {"a": 2}]', [({"a": 1}, 1), ({"a": 2}, 3)]),
        ("a.json", '{"v": 1,\n"cases": [\n{"a": 1}]}', [({"a": 1}, 3)]),
        ("a.json", '{"tags": ["x"], "data": [{"a": 1}]}', [({"a": 1}, 1)]),
        ("a.jsonl", '{"a": 1}\n\n{"a": "\u2028"}\r\n', [(A, 1), ({"a": "\u2028"}, 3)]),
        ("a.ndjson", '{"a": 1}', [({"a": 1}, 1)]),
        ("a.yaml", "- a: 1\n- a: no\n", [({"a": 1}, 1), ({"a": "no"}, 2)]),
        ("a.yml", "v: 1\ncases:\n- a: 1\n", [({"a": 1}, 3)]),
        ("a.csv", "a,b\n1,\n,\n\n2,x\n", [({"a": "1"}, 2), ({"a": "2", "b": "x"}, 5)]),
        ("a.csv", 'a\n"x\ny"\n"""q"""\n', [({"a": "x\ny"}, 2), ({"a": '"q"'}, 4)]),
        ("a.csv", "a;b\n1,5;2\n", [({"a": "1,5", "b": "2"}, 2)]),
        ("a.csv", "sep=;\r\na,b;c\r\n1;2\r\n", [({"a,b": "1", "c": "2"}, 3)]),
        ("a.csv", "a,b,,\n1,2,,\n", [({"a": "1", "b": "2"}, 2)]),
        ("a.csv", " a , b\r\n1,2\r\n,,,\r\n", [({"a": "1", "b": "2"}, 2)]),
        ("a.tsv", "a\tb\n1,5\t2\n", [({"a": "1,5", "b": "2"}, 2)]),
        ("A.CSV", "a\n1\n", [({"a": "1"}, 2)]),
    ],
)  # fmt: skip
def test_each_format_gives_records_with_their_lines(tmp_path, name, content, expected):
    found = [(dict(row.data), row.place.line) for row in rows(tmp_path, name, content)]

    assert found == expected


def test_records_in_one_line_are_told_apart_by_their_position(tmp_path):
    found = rows(tmp_path, "a.json", '[{"a": 1}, {"a": 2}]')

    assert [str(row.place) for row in found] == ["a.json:1", "a.json:1 [1]"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", "[{}", "is no JSON"),
        ("a.json", '[{"a": 1}]]', "something follows"),
        ("a.json", '[{"a": 1},]', "a comma stands before the closing bracket"),
        ("a.json", '[{"a": Infinity}]', "Infinity is no value"),
        ("a.json", '[{"a": 1e999}]', "too large a number"),
        ("a.json", '[{"a": ' + "1" * 5000 + "}]", "has 5,000 digits"),
        ("a.json", '[{"a": 1, "a": 2}]', "the key a stands twice"),
        ("a.json", '[{"a": "\\udc00"}]', "surrogate"),
        ("a.json", "[" * 100_000, "nested more than 100"),
        ("a.json", '[{"a": ' + "[" * 150 + "]" * 150 + "}]", "nested more than 100"),
        ("a.json", '"text"', "holds no list of cases"),
        ("a.json", '{"a": 1}', "there are: a"),
        ("a.json", '{"a": [{}], "b": [{}]}', "two lists of cases, a and b"),
        ("a.jsonl", '{"a": 1} {"b": 2}', "one line holds one record"),
        ("a.jsonl", "x" * (33 * 2**20), "a.jsonl:1: is longer than 32 MiB"),
        ("a.yaml", "a: 1", "holds no list of cases"),
        ("a.csv", "a,a\n", "the column a stands twice"),
        ("a.csv", "a,,b\n", "column 2 has no name"),
        ("a.csv", "a,b\n1\n", "has 1 cells, and the header has 2"),
        ("a.csv", 'a,b\n1,"x\n2,3\n', "a.csv:2: is no CSV"),
        ("a.txt", "", "a case file ends in .json"),
        ("a.xlsx", "", "save the sheet as CSV UTF-8"),
        ("a.csv", "", "is empty"),
        ("a.json", " \n", "is empty"),
    ],
)
def test_a_broken_file_says_where_and_why(tmp_path, name, content, expected):
    assert expected in told(rows, tmp_path, name, content)


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as stream:
        stream.truncate(300 * 2**20)

    assert "is 300 MiB; the limit is 256 MiB" in told(read_rows, path, file="huge.json")


def test_json_lines_come_one_by_one_with_their_numbers(tmp_path):
    path = write(tmp_path, "r.jsonl", b'\xef\xbb\xbf{"a": 1}\n\n[2]\r\n3')

    assert list(read_jsonl(path)) == [(1, {"a": 1}), (3, [2]), (4, 3)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"a": 1}\n{"a": NaN}\n', "r.jsonl:2: is no JSON"),
        (b'{"a": 1}\n{"a": \n', "r.jsonl:2: is no JSON"),
        (b'{"a": "\\ud800"}\n', "r.jsonl:1: is no JSON"),
        (b"[" * 10_000, "r.jsonl:1: is no JSON"),
        (b'"' + b"x" * (50 * 2**20), "r.jsonl:1: is longer than 32 MiB"),
    ],
    ids=["NaN", "torn", "surrogate", "deep", "long"],
)
def test_a_line_that_is_no_json_is_told_and_ends_the_reading(
    tmp_path, content, expected
):
    path = write(tmp_path, "r.jsonl", content)

    assert expected in told(lambda: list(read_jsonl(path)))


def test_a_name_that_is_not_there_shows_the_nearest(tmp_path):
    write(tmp_path, "quickstart.yaml", "a: 1")

    said = told(read_document, tmp_path / "quickstrat.yaml", root=tmp_path)

    assert said == "quickstrat.yaml: is not there (did you mean quickstart.yaml?)"


def test_a_link_that_leads_nowhere_is_told_as_one(tmp_path):
    (tmp_path / "a.json").symlink_to("b.json")

    said = told(read_rows, tmp_path / "a.json", file="a.json")

    assert said == "a.json: is not there (it is a link that leads to no file)"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_merge_that_was_not_finished_is_told_at_its_line(tmp_path, end):
    lines = ("a: 0", "<<<<<<< HEAD", "b: 1", "=======", "b: 2", ">>>>>>> topic", "")
    path = write(tmp_path, "spec.yaml", end.join(lines))

    said = told(read_document, path, root=tmp_path)

    assert said == "spec.yaml:2: holds a merge conflict (decide for one side of it)"


def test_a_pointer_of_git_lfs_is_not_taken_for_the_file(tmp_path):
    oid = f"oid sha256:{'4d' * 32}"
    lines = ("version https://git-lfs.github.com/spec/v1", oid, "size 12345", "")
    path = write(tmp_path, "cases.json", "\n".join(lines))

    said = told(read_rows, path, file="cases.json")

    assert said.startswith("cases.json: is a pointer of Git LFS, and the file itself")
    assert "lfs: true" in said


def test_a_folder_that_is_not_there_shows_the_nearest(tmp_path):
    write(tmp_path, "specs/a.yaml", "a: 1")

    said = told(read_document, tmp_path / "spec/a.yaml", root=tmp_path)

    assert said == "spec/a.yaml: is not there (did you mean specs?)"


def test_a_folder_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")

    assert "is a folder" in told(read_document, tmp_path, root=tmp_path)
    pipe = tmp_path / "pipe.yaml"
    assert "no regular file" in told(read_document, pipe, root=tmp_path)


def test_nothing_outside_the_workspace_is_read(tmp_path):
    write(tmp_path, "secret.yaml", "a: 1")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")

    for name in ("../secret.yaml", "link.yaml"):
        assert "leads out of the workspace" in told(
            read_document, inside / name, root=inside
        )


def test_a_link_within_the_workspace_is_followed(tmp_path):
    write(tmp_path, "real.yaml", "a: 1")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")

    assert read_document(tmp_path / "link.yaml", root=tmp_path).data == {"a": 1}


def cases_of(folder, cases, file="specs/spec.yaml"):
    """Give the ids and notices of the cases that ``cases:`` finds."""
    text = json.dumps({"endpoint": {"url": "http://x"}, "cases": cases})
    found = read_document(write(folder, file, text), root=folder)
    spec = parse(found, registry=registry, environ={})
    read, notices = read_cases(spec, root=folder)
    return [case.id for case in read], notices


def case(name):
    return json.dumps([{"id": name, "question": "Why?"}])


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ("a.json", ["a"]),
        ("deep/*.json", ["b", "c"]),
        ("**/*.json", ["a", "b", "c", "d"]),
        ("deep/**", ["b", "c", "d"]),
        ("/top.json", ["t"]),
        ("../top.json", ["t"]),
        ("/specs/deep/c.json", ["c"]),
        (["deep/c.json", {"path": "a.json"}], ["c", "a"]),
        ("odd[1].json", ["o"]),
    ],
)
def test_paths_are_relative_to_the_spec_or_the_workspace(tmp_path, cases, expected):
    for name, path in {
        "a": "specs/a.json",
        "b": "specs/deep/b.json",
        "c": "specs/deep/c.json",
        "d": "specs/deep/er/d.json",
        "h": "specs/deep/.hidden.json",
        "t": "top.json",
    }.items():
        write(tmp_path, path, case(name))
    if "odd" in cases:
        write(tmp_path, "specs/odd[1].json", case("o"))

    assert cases_of(tmp_path, cases)[0] == expected


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ("/../outside.json", "leads out of the workspace"),
        ("../../../../etc/passwd", "leads out of the workspace"),
        ("link.json", "leads out of the workspace"),
        ("*.csv", "no file matches *.csv"),
        (
            "b.json",
            "specs/spec.yaml:1 cases: b.json is not there (did you mean a.json?)",
        ),
        (" ", "specs/spec.yaml:1 cases: ' ' is not there"),
        ("x" * 300, f"specs/spec.yaml:1 cases: {'x' * 300} is not there"),
        ("a**.json", "a**.json: ** stands for folders"),
        (["a.json", "./a.json"], "specs/a.json is named twice"),
        ("empty.json", "holds no case"),
    ],
)
def test_a_source_that_gives_nothing_is_an_error(tmp_path, cases, expected):
    workspace = tmp_path / "workspace"
    write(tmp_path, "outside.json", case("x"))
    write(workspace, "specs/a.json", case("a"))
    write(workspace, "specs/empty.json", "[]")
    (workspace / "specs/link.json").symlink_to(tmp_path / "outside.json")

    assert expected in told(cases_of, workspace, cases)


def test_the_mistakes_of_all_files_are_told_at_once(tmp_path):
    write(tmp_path, "a.json", "[")
    write(tmp_path, "b.csv", "id,question\n1\n2,Why?,x\n")
    write(tmp_path, "c.yaml", "- question: 1.5\n")

    said = told(cases_of, tmp_path, ["?.*", "d.json"], "spec.yaml").split("\n")

    assert [line.partition(" ")[0] for line in said] == [
        "a.json:1:",
        "b.csv:2:",
        "b.csv:3:",
        "c.yaml:1",
        "spec.yaml:1",
    ]


def test_a_guessed_encoding_and_unknown_columns_are_noticed(tmp_path):
    write(tmp_path, "a.csv", CHINESE.replace("reference", "notes").encode("gb18030"))

    _, notices = cases_of(tmp_path, "a.csv", "spec.yaml")

    assert notices == (
        "a.csv: read as GB18030, as it is not UTF-8",
        "a.csv: kept in meta, as no field has the name: notes",
    )


SHEET = """question,ground_truth,reference_docs,difficulty,category,notes
退款政策是什么?,30 天内退款,"docs/refund.md,docs/terms.md",easy,policy,
"""
CAMEL = """{"testCases": [
  {"question": "q", "expectedAnswer": "a", "relevantDocIds": [1]}
]}"""


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", SHEET, ("policy", {"docs/refund.md": 1, "docs/terms.md": 1})),
        ("a.json", CAMEL, (None, {"1": 1})),
    ],
)
def test_shapes_that_teams_already_have_load_without_a_map(
    tmp_path, name, content, expected
):
    case = load(rows(tmp_path, name, content)).cases[0]

    assert (case.type, case.qrels) == expected
    assert case.reference


def test_what_a_spec_names_is_beside_it_or_in_the_workspace(tmp_path):
    def real(written):
        where = Place("evals/rag.yaml", 3, "baseline.path")
        found = named(written, spec="evals/rag.yaml", root=tmp_path, where=where)
        return found.relative_to(tmp_path.resolve()).as_posix()

    assert [real(name) for name in ("base", "../base", "/base", ".")] == [
        "evals/base",
        "base",
        "base",
        "evals",
    ]


@pytest.mark.parametrize("written", ["../..", "/../x", "link", "link/x", "a\0b"])
def test_what_a_spec_names_outside_of_the_workspace_is_refused(tmp_path, written):
    root = tmp_path / "root"
    (root / "evals").mkdir(parents=True)
    (root / "evals/link").symlink_to(tmp_path)
    where = Place("evals/rag.yaml", 3, "baseline.path")

    said = told(named, written, spec="evals/rag.yaml", root=root, where=where)

    assert said.startswith(f"evals/rag.yaml:3 baseline.path: {written} leads out of")
