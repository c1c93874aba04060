"""Every folder in ``broken`` is a mistake that people make, with what they are told.

``expected.txt`` is the whole text of the error. All mistakes of a file stand in it at
once, each with its line; where it gets better, the file is written anew by hand.
"""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.files import read_cases, read_document
from runner.metrics import registry
from runner.spec import parse

HERE = Path(__file__).parent / "broken"
FOLDERS = sorted(path.parent for path in HERE.glob("*/spec.yaml"))


def validate(folder):
    document = read_document(folder / "spec.yaml", root=folder)
    spec = parse(document, registry=registry, environ={})
    return read_cases(spec, root=folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_mistake_is_told_with_its_line_and_a_remedy(folder):
    expected = (folder / "expected.txt").read_text(encoding="utf-8")

    with pytest.raises(InputError) as caught:
        validate(folder)

    told = str(caught.value).replace(str(folder.resolve()), "<workspace>")
    assert told + "\n" == expected
    assert caught.value.exit_code == 2
