import pytest

from runner.metrics.refusal import refusal
from runner.model import Unscored


@pytest.mark.parametrize(("declined", "expected"), [(True, 1.0), (False, 0.0)])
def test_a_case_that_should_be_declined(declined, expected):
    assert refusal(declined, expect_refusal=True) == expected


@pytest.mark.parametrize("declined", [True, False])
def test_an_answerable_case_is_unscored(declined):
    assert refusal(declined, expect_refusal=False) == Unscored("the case is answerable")
