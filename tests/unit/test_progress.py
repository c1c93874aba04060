from __future__ import annotations

import io

from runner.model import Record
from runner.progress import counting, shown, silent


class Terminal(io.StringIO):
    def isatty(self):
        return True


def record(outcome):
    return Record("qa-1", outcome, "", "", {})


def ticking(step):
    times = iter(n * step for n in range(10_000))
    return lambda: next(times)


def test_elsewhere_than_on_a_terminal_a_line_is_written_now_and_then():
    stream = io.StringIO()
    with shown(4, "replayed", stream, ticking(0.001)) as advance:
        for outcome in ("passed", "failed", "undetermined", "error"):
            advance(record(outcome))

    assert stream.getvalue() == (
        "replayed 4 of 4 cases: 1 passed, 1 failed, 1 undetermined, 1 error\n"
    )


def test_a_long_run_says_every_ten_seconds_that_it_lives():
    stream = io.StringIO()
    with shown(100, "asked", stream, ticking(6.0)) as advance:
        for _ in range(10):
            advance(record("passed"))

    assert (
        stream.getvalue().splitlines()[0] == "asked 2 of 100 cases: 2 passed, 0 failed"
    )
    assert len(stream.getvalue().splitlines()) < 10


def test_a_terminal_gets_a_bar_that_goes_when_it_is_done():
    stream = Terminal()
    with shown(3, "asked", stream, ticking(1.0)) as advance:
        for _ in range(3):
            advance(record("passed"))

    assert "3/3" in stream.getvalue()
    assert "3 passed, 0 failed" in stream.getvalue()


def test_silence_is_silent(capsys):
    with silent(3, "asked") as advance:
        advance(record("passed"))

    assert capsys.readouterr() == ("", "")


class Gone(io.StringIO):
    def write(self, _):
        raise BrokenPipeError


def test_a_reader_who_left_does_not_end_the_run():
    with shown(1, "asked", Gone(), ticking(1)) as advance:
        advance(record("passed"))


def test_things_that_are_counted_are_told_every_ten_seconds():
    stream, times = io.StringIO(), iter([0.0, 1, 11, 11, 12, 21.5, 21.5])
    tick = counting(1_200, "rated", stream, lambda: next(times))
    for _ in range(4):
        tick()

    assert stream.getvalue() == "rated 2 of 1,200\nrated 4 of 1,200\n"


def test_a_count_that_nobody_reads_any_more_stops_nothing():
    stream = io.StringIO()
    stream.close()
    times = iter([0.0, 11, 11])

    counting(1, "rated", stream, lambda: next(times))()


def test_where_there_is_no_stream_counting_is_silent():
    counting(1, "rated", None)()
