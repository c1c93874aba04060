import pytest

from runner.metrics.over_refusal import over_refusal
from runner.model import Unscored


@pytest.mark.parametrize(("declined", "expected"), [(True, 1.0), (False, 0.0)])
def test_an_answerable_case(declined, expected):
    assert over_refusal(declined, expect_refusal=False) == expected


@pytest.mark.parametrize("declined", [True, False])
def test_a_case_that_should_be_declined_is_unscored(declined):
    found = over_refusal(declined, expect_refusal=True)

    assert found == Unscored("the case should be declined")
