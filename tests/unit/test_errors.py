import pytest

from runner.errors import LISTED, InputError, Place, Problems, Unavailable, masking


def hide(text: str) -> str:
    return text.replace("s3cret", "***")


def test_what_is_raised_within_masking_tells_no_secret():
    where = Place("spec.yaml", 3, "endpoint.s3cret")
    wrong = InputError("s3cret is none", where=where, hint="not s3cret")

    with pytest.raises(InputError) as error, masking(hide):
        raise wrong

    told = "spec.yaml:3 endpoint.***: *** is none (not ***)"
    assert (str(error.value), error.value.args) == (told, ("*** is none",))


def test_all_of_several_problems_are_masked():
    with pytest.raises(Problems) as error, masking(hide):
        raise Problems([InputError("s3cret"), InputError("b", hint="s3cret")])

    assert str(error.value) == "***\nb (***)"
    assert [problem.hint for problem in error.value] == ["", "***"]


def test_masking_keeps_the_kind_of_what_was_raised():
    with pytest.raises(Unavailable), masking(hide):
        raise Unavailable("it does not answer")


def test_a_flood_of_problems_is_counted_and_not_printed():
    flood = Problems(InputError(f"mistake {number}") for number in range(LISTED + 1000))

    lines = str(flood).splitlines()
    assert (len(lines), lines[-1]) == (LISTED + 1, "and 1,000 more")
    assert len(list(flood)) == LISTED + 1000


def test_what_others_wrote_makes_no_second_line_and_no_flood():
    where = Place("a.yaml", 1, "x\u2028y")
    forged = InputError("unknown z\r\na.yaml:9 ok: fine", where=where, hint="w" * 9_000)

    told = str(Problems([forged]))

    assert told.startswith("a.yaml:1 x y: unknown z a.yaml:9 ok: fine (www")
    assert (len(told.splitlines()), len(told) < 1_000) == (1, True)
