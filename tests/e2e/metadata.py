"""Asks a metadata service in every way, on a network where there is one; no test.

The test runs it as a process with a network and a file of host names of its own. It
prints what was said to each URL, and how many connections the service got.
"""

import json
import socket
import sys
import threading
from contextlib import suppress

from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError
from runner.hosts import Access
from runner.model import Case
from runner.spec import EndpointSpec

SERVICES = (("169.254.169.254", 80), ("fe80::1%lo", 80), ("100.100.100.200", 80))
REDIRECT = b"HTTP/1.1 307 Go\r\nLocation: http://169.254.169.254/\r\n\r\n"


def listening(host, port, serve):
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.create_server(address, family=family)

    def accept():
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                serve(connection)

    threading.Thread(target=accept, daemon=True).start()


def asked(url, nearby=()):
    spec = EndpointSpec(url=url, timeout="2s")
    endpoint = HttpEndpoint(spec, {}, access=Access((), nearby))
    try:
        return endpoint.ask(Case("qa-1", "Why?")).message
    except InputError as error:
        return str(error)


def main(urls):
    reached = []
    for host, port in SERVICES:
        listening(host, port, reached.append)
    listening("127.0.0.1", 8000, lambda connection: connection.sendall(REDIRECT))
    for service in SERVICES:  # that it would be counted
        socket.create_connection(service).recv(1)
    before = len(reached)
    told = {url: asked(url) for url in urls}
    told["nearby"] = asked("http://localhost:80/", ("169.254.169.254", "cloud.test"))
    found = {"before": before, "after": len(reached), "told": told}
    print(json.dumps(found))  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(sys.argv[1:])
