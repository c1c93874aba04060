"""No bytes crash the readers with anything but an InputError."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runner.cases import case_hash, labels_hash, load
from runner.errors import InputError
from runner.files import read_document, read_jsonl, read_rows
from runner.metrics import registry
from runner.spec import parse

ENDINGS = ("json", "jsonl", "yaml", "csv", "tsv")
SPEC = {
    "name": "x",
    "endpoint": {"url": "http://x/${A:-b}", "body": {"q": "{{ question }}"}},
    "cases": ["a.json", {"path": "b.csv", "fields": {"question": "q"}}],
    "metrics": ["recall@5", {"ndcg": {"k": 10}}],
    "pass": {"key_points": 1, "recall@5": "50%"},
    "thresholds": {"accuracy": {"min": 0.8, "slices": {"type=x": {"max_drop": "5%"}}}},
    "red_lines": [{"tag": "x"}],
}
CASE = {
    "id": "a",
    "question": "why",
    "tags": ["x"],
    "expected_doc_ids": {"a": 1},
    "must_include": [["a", "b"], "c"],
    "expect_refusal": False,
}
WORDS = st.sampled_from(
    [
        "",
        "x",
        "true",
        "no",
        "1:30",
        "010",
        "5%",
        "3s",
        "90",
        "recall@5",
        "${A}",
        "${{ a",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(WORDS | st.text(), inner)
)
fuzz = settings(
    deadline=None,
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def tolerant(action, *arguments, **options):
    with suppress(InputError):
        return action(*arguments, **options)
    return None


def assert_usable(loaded):
    """Each case can be hashed and written, whatever was in the file."""
    for case in loaded.cases if loaded else ():
        assert len(case_hash(case)) == len(labels_hash(case)) == 12
        assert json.dumps(case[:-2], ensure_ascii=False, default=dict).encode()


@pytest.mark.parametrize("ending", ENDINGS)
@given(raw=st.binary() | st.text().map(str.encode))
@example(raw=b"[" * 100_000)
@example(raw=b'{"a":' * 100_000)
@example(raw=b"- " * 10_000)
@example(raw=b"\xff\xfe[\x00")
@example(raw=b"\x00")
@example(raw=b'a,b\r\n"\x0b')
@example(raw=b"? ? ?")
@example(raw=b"&a [*a]")
@example(raw=b"<<: 3")
@fuzz
def test_bytes_become_cases_or_an_input_error(ending, raw, tmp_path):
    path = Path(tmp_path, f"cases.{ending}")
    path.write_bytes(raw)

    rows = tolerant(read_rows, path, file="cases")

    assert_usable(tolerant(load, rows or ()))


@given(raw=st.binary() | st.text().map(str.encode))
@fuzz
def test_bytes_become_lines_or_an_input_error(raw, tmp_path):
    path = Path(tmp_path, "responses.jsonl")
    path.write_bytes(raw)

    tolerant(lambda: list(read_jsonl(path)))


@given(raw=st.binary() | st.text().map(str.encode))
@fuzz
def test_bytes_become_a_spec_or_an_input_error(raw, tmp_path):
    path = Path(tmp_path, "spec.yaml")
    path.write_bytes(raw)

    document = tolerant(read_document, path, root=tmp_path)

    if document:
        tolerant(parse, document, registry=registry, environ={})


@st.composite
def damaged(draw, whole):
    """Give a document in which one value, at any depth, is another one."""
    copy = json.loads(json.dumps(whole))
    at = copy
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = draw(st.sampled_from(keys))
        if not (isinstance(at[key], dict | list) and at[key] and draw(st.booleans())):
            break
        at = at[key]
    at[key] = draw(VALUES)
    return copy


@given(data=damaged(SPEC))
@fuzz
def test_a_damaged_spec_is_accepted_or_an_input_error(data, tmp_path):
    path = Path(tmp_path, "spec.yaml")
    path.write_text(json.dumps(data), encoding="utf-8", errors="surrogatepass")

    document = tolerant(read_document, path, root=tmp_path)

    if document:
        tolerant(parse, document, registry=registry, environ={"A": "secret-value"})


@pytest.mark.parametrize("ending", ["json", "yaml"])
@given(data=damaged(CASE))
@fuzz
def test_a_damaged_case_is_accepted_or_an_input_error(ending, data, tmp_path):
    path = Path(tmp_path, f"cases.{ending}")
    path.write_text(json.dumps([data]), encoding="utf-8")

    rows = tolerant(read_rows, path, file="cases")

    assert_usable(tolerant(load, rows or ()))
