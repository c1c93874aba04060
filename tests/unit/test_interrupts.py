import signal
from itertools import count

import pytest

from runner.errors import Cancelled
from runner.interrupts import Signals

ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(params=ALL)
def stop(request):
    """Send the signal to this process; handlers are put back at the end."""
    before = {number: signal.getsignal(number) for number in ALL}
    yield lambda: signal.raise_signal(request.param)
    for number, handler in before.items():
        signal.signal(number, handler)


def stopping(stop, at):
    """Give three items and ask to stop while one is waited for."""
    for number in range(3):
        if number == at:
            stop()
        yield number


def test_before_the_first_reply_it_is_raised_at_once(stop):
    Signals().install()

    with pytest.raises(Cancelled):
        stop()


def test_while_a_reply_is_waited_for_it_is_raised_at_once(stop):
    items = Signals().install().interruptible(stopping(stop, at=1))

    assert next(items) == 0
    with pytest.raises(Cancelled):
        next(items)


def test_while_a_reply_is_judged_it_waits_until_that_is_done(stop):
    items = Signals().install().interruptible(range(3))

    assert next(items) == 0
    stop()
    with pytest.raises(Cancelled):
        next(items)


def test_when_all_were_judged_the_results_are_written_all_the_same(stop):
    signals = Signals().install()

    assert list(signals.interruptible(range(3))) == [0, 1, 2]
    stop()
    with pytest.raises(Cancelled):
        next(signals.interruptible(range(3)))  # of the next spec


def test_asking_again_while_calls_are_given_up_keeps_what_was_finished(stop):
    def impatient():
        try:
            yield from stopping(stop, at=1)
        finally:
            stop()  # while threads are waited for

    seconds = count()
    items = Signals(lambda: next(seconds)).install().interruptible(impatient())
    next(items)

    with pytest.raises(Cancelled):
        next(items)


def test_a_stopped_run_writes_its_results_unless_it_is_asked_again(stop):
    clock = iter([10.0, 10.1, 12.0])
    signals = Signals(lambda: next(clock)).install()
    items = signals.interruptible(stopping(stop, at=1))
    next(items)
    with pytest.raises(Cancelled):
        next(items)

    stop()  # a wrapper passes on what the terminal has sent too
    with pytest.raises(KeyboardInterrupt):
        stop()
    assert signals.asked


@pytest.mark.usefixtures("stop")
def test_what_outlives_its_terminal_is_left_alone():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    Signals().install()

    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
