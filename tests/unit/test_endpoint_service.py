"""Starting the system under test, and ending it with everything it started."""

import os
import shlex
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from time import monotonic, sleep

import pytest

from runner.endpoints._service import LOG_LIMIT, Service
from runner.errors import InputError, Unavailable
from runner.spec import Start


def start(folder: Path, *words: str, secrets: tuple[str, ...] = ()) -> Service:
    return Service(
        Start(command=shlex.join(words)),
        folder=folder,
        log=folder / "service.log",
        secrets=secrets,
    )


def python(folder: Path, code: str, **options: tuple[str, ...]) -> Service:
    return start(folder, sys.executable, "-c", code, **options)


def until(condition, seconds=10.0):
    end = monotonic() + seconds
    while not condition() and monotonic() < end:
        sleep(0.01)
    return condition()


def ended(service: Service) -> bool:
    try:
        service.check()
    except Unavailable:
        return True
    return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def test_it_runs_in_its_folder_and_its_output_is_kept(tmp_path):
    code = "import os; print(os.getcwd(), flush=True); input()"
    code = code.replace("input()", "__import__('time').sleep(60)")

    with python(tmp_path, code) as service:
        log = tmp_path / "service.log"
        written = until(lambda: log.read_text(encoding="utf-8").strip())
        service.check()

    assert written == str(tmp_path.resolve())


def test_its_children_end_with_it(tmp_path):
    code = (
        "import subprocess, sys, time;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    with python(tmp_path, code):
        log = tmp_path / "service.log"
        child = int(until(lambda: log.read_text(encoding="utf-8").strip()))
        running = alive(child)

    assert (running, until(lambda: not alive(child))) == (True, True)


def test_children_end_although_it_ended_before_them(tmp_path):
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "print(p.pid, flush=True)"
    )
    with python(tmp_path, code):
        log = tmp_path / "service.log"
        child = int(until(lambda: log.read_text(encoding="utf-8").strip()))

    assert until(lambda: not alive(child))


def test_one_that_ended_says_how_and_shows_its_last_lines(tmp_path):
    code = "print('key s3cret-key\\x1b[31m'); raise SystemExit('port 9000 is taken')"

    with python(tmp_path, code, secrets=("s3cret-key",)) as service:
        until(lambda: ended(service))
        with pytest.raises(Unavailable) as error:
            service.check()

    text = str(error.value)
    assert "endpoint.start.command: the service ended with status 1 before" in text
    assert "port 9000 is taken" in text
    assert ("s3cret" in text, "\x1b" in text) == (False, False)


@pytest.mark.parametrize(
    "command", ["no-such-program-here --port 1", "'unclosed", "   "]
)
def test_a_command_that_cannot_run_is_an_input_error(tmp_path, command):
    with pytest.raises(InputError, match=r"endpoint\.start\.command: cannot be start"):
        Service(Start(command=command), folder=tmp_path, log=tmp_path / "log")


def test_there_is_no_shell(tmp_path):
    with start(
        tmp_path, sys.executable, "-c", "import sys; print(sys.argv)", ";", "$HOME"
    ):
        log = tmp_path / "service.log"
        written = until(lambda: log.read_text(encoding="utf-8").strip())

    assert written == "['-c', ';', '$HOME']"


def stubborn(tmp_path):
    """Give a service that ignores SIGTERM, and the id of its process."""
    code = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print(os.getpid(), flush=True); time.sleep(60)"
    )
    service = python(tmp_path, code)
    log = tmp_path / "service.log"
    return service, int(until(lambda: log.read_text(encoding="utf-8").strip()))


def test_one_that_does_not_heed_is_killed(tmp_path):
    service, process = stubborn(tmp_path)
    started = monotonic()

    service.stop(patience=0.2)

    assert (monotonic() - started < 3, alive(process)) == (True, False)


def test_the_log_holds_no_secret_and_has_an_end(tmp_path):
    code = f"print('key s3cret-key'); print('x' * {LOG_LIMIT + 2**20}); print('end')"

    with python(tmp_path, code, secrets=("s3cret-key",)) as service:
        until(lambda: ended(service))

    log = (tmp_path / "service.log").read_bytes()
    assert log.startswith(b"key ***\nxx")
    assert LOG_LIMIT <= len(log) < LOG_LIMIT + 2**17


def test_the_log_is_written_through_no_link(tmp_path):
    other = tmp_path / "other"
    other.write_text("kept", "utf-8")
    (tmp_path / "service.log").symlink_to(other)

    with python(tmp_path, "print('new')") as service:
        until(lambda: ended(service))

    assert other.read_text("utf-8") == "kept"
    assert (tmp_path / "service.log").read_text("utf-8") == "new\n"


def test_what_ended_with_an_error_while_it_was_asked_is_told(tmp_path):
    with python(tmp_path, "raise SystemExit(3)") as service:
        until(lambda: ended(service))
        with pytest.raises(Unavailable, match="status 3 while it was asked"):
            service.check(ready=True)


def test_what_ended_well_may_have_started_something_that_runs(tmp_path):
    with python(tmp_path, "") as service:
        until(lambda: ended(service))

        service.check(ready=True)


def test_it_is_killed_although_the_user_does_not_wait(tmp_path):
    service, process = stubborn(tmp_path)

    with interrupted(0.2), pytest.raises(KeyboardInterrupt):
        service.stop(patience=30)

    assert not alive(process)


@contextmanager
def interrupted(seconds):
    """Send the signal of Ctrl-C to this process after some seconds."""
    timer = Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        yield
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
