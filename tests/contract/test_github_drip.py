"""A reply that comes byte by byte is waited for no longer than one that hangs."""

import socket
from contextlib import closing, suppress
from itertools import count
from threading import Thread
from time import sleep

import pytest

from runner.github._calls import Call, Caller
from runner.github._download import download
from runner.github._refusals import Refused


@pytest.fixture
def url():
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        Thread(target=drip, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def drip(listener):
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
                with suppress(OSError):
                    while True:
                        connection.sendall(b" ")
                        sleep(0.001)


def test_a_call_ends(url):
    seconds = count(step=50)
    caller = Caller("t", clock=lambda: next(seconds), sleep=lambda _: None)

    reply = caller.do(Call("GET", url))

    assert (reply.status, reply.said) == (0, "no reply came in time")


def test_a_download_ends(url, tmp_path):
    seconds = count(step=100)

    with pytest.raises(Refused, match="no reply came in time"):
        download(url, tmp_path / "a.zip", 10**6, lambda: next(seconds))
