"""Which addresses are reached: real sockets, and a resolver that needs no network."""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from runner import endpoints, hosts
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError, Problems
from runner.hosts import Access
from runner.http_client._connect import Connector
from runner.http_client._connect import resolve as look_up
from runner.model import Case, Failure
from runner.spec import EndpointSpec, WaitFor

ROOT = Path(__file__).parents[2]
CASE = Case("qa-1", "Why?")
METADATA = "169.254.169.254"
GOOD = json.dumps({"answer": "Yes.", "contexts": []}).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests.append((self.path, self.headers["Host"]))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(GOOD)))
        self.end_headers()
        self.wfile.write(GOOD)

    def log_message(self, *_):
        pass


class Served(ThreadingHTTPServer):
    status, location = 200, ""

    def __init__(self, address, family=socket.AF_INET):
        self.address_family = family
        self.requests = []
        super().__init__((address, 0), Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def serve():
    started = []

    def start(address="127.0.0.1", family=socket.AF_INET):
        started.append(Served(address, family))
        return started[-1]

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def resolver(**names):
    """Give a resolver that knows these names, and counts how often it was asked."""

    def resolve(host, port):
        resolve.asked.append(host)
        found = names.get(host.replace(".", "_"), [host])
        if callable(found):
            found = found()
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        hints = {"type": socket.SOCK_STREAM, "flags": socket.AI_NUMERICHOST}
        return [
            each for name in found for each in socket.getaddrinfo(name, port, **hints)
        ]

    resolve.asked = []
    return resolve


def endpoint(url, access=Access(), resolve=resolver(), **spec):  # noqa: B008 - constants
    spec = EndpointSpec(url=url, **{"timeout": "5s", **spec})
    return HttpEndpoint(spec, {}, access=access, resolve=resolve)


def ask(*given, **spec):
    asked = endpoint(*given, **spec)
    try:
        return asked.ask(CASE)
    finally:
        asked.close()


# What is never reached.


@pytest.mark.parametrize(
    "host",
    [
        METADATA,
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "[::ffff:169.254.169.254]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "metadata.google.internal",
        f"user:password@{METADATA}",
    ],
)
def test_a_metadata_address_is_refused_before_anything_is_sent(host):
    asked = endpoint(f"http://{host}/latest/meta-data")

    with pytest.raises(InputError, match="link-local or metadata") as error:
        asked.admit([CASE])

    assert str(error.value.where) == "endpoint.url"
    with pytest.raises(InputError, match="link-local or metadata"):
        asked.ask(CASE)


@pytest.mark.parametrize("host", ["１６９.254.169.254", "169。254。169。254"])
def test_an_address_in_the_letters_of_another_script_is_none(host):
    resolve = resolver()

    with pytest.raises(InputError):
        ask(f"http://{host}/latest/meta-data", Access(), resolve)

    assert resolve.asked == []


@pytest.mark.parametrize(
    "addresses", [[METADATA], ["::ffff:169.254.169.254"], ["fe80::1", METADATA]]
)
def test_a_name_that_stands_for_metadata_is_refused_at_the_connection(addresses):
    resolve = resolver(innocent_example=addresses)

    with pytest.raises(InputError, match="link-local or metadata") as error:
        ask("http://innocent.example/rag", Access(), resolve)

    assert str(error.value.where) == "endpoint.url"
    assert resolve.asked == ["innocent.example"]


def test_of_several_addresses_only_harmless_ones_are_tried(serve):
    server = serve()
    resolve = resolver(both_example=[METADATA, "127.0.0.1"])

    response = ask(f"http://both.example:{server.port}/rag", Access(), resolve)

    assert response.answer == "Yes."
    assert server.requests == [("/rag", f"both.example:{server.port}")]


def test_a_name_that_is_rebound_is_refused_at_its_next_connection(serve):
    server = serve()
    answers = iter([["127.0.0.1"], [METADATA]])
    resolve = resolver(rebound_example=lambda: next(answers))
    asked = endpoint(f"http://rebound.example:{server.port}/rag", Access(), resolve)

    assert asked.ask(CASE).answer == "Yes."
    asked.close()
    again = endpoint(f"http://rebound.example:{server.port}/rag", Access(), resolve)
    with pytest.raises(InputError, match="link-local or metadata"):
        again.ask(CASE)

    assert resolve.asked == ["rebound.example"] * 2
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "location", [f"http://{METADATA}/", "//0xa9fea9fe/", "http://metadata.goog/"]
)
def test_a_redirect_to_metadata_is_not_followed(serve, location):
    server = serve()
    server.status, server.location = 307, location
    resolve = resolver()

    failure = ask(f"http://127.0.0.1:{server.port}/rag", Access(), resolve)

    assert isinstance(failure, Failure)
    assert "it was not followed" in failure.message
    assert resolve.asked == ["127.0.0.1"]


def test_what_is_waited_for_is_held_to_the_same(serve):
    server = serve()
    ready = WaitFor(url="http://innocent.example/health", timeout="1s")
    resolve = resolver(innocent_example=[METADATA])
    url = f"http://127.0.0.1:{server.port}/rag"
    asked = endpoint(url, Access(), resolve, wait_for=ready)

    asked.admit([CASE])
    with pytest.raises(InputError, match="link-local or metadata") as error:
        asked.wait()

    assert str(error.value.where) == "endpoint.wait_for.url"


def test_a_spec_is_checked_for_metadata_without_asking():
    ready = WaitFor(url=f"http://{METADATA}/health", timeout="1s")
    good, wrong = EndpointSpec(url="http://a"), EndpointSpec(url=f"http://{METADATA}/")
    waiting = EndpointSpec(url="http://a", wait_for=ready)

    def place(*path):
        return ".".join(path)

    endpoints.check(good, {}, [CASE], place)
    for spec, where in ((wrong, "endpoint.url"), (waiting, "endpoint.wait_for.url")):
        with pytest.raises(InputError, match="link-local or metadata") as error:
            endpoints.check(spec, {}, [CASE], place)
        assert error.value.where == where


# What a workflow allows.


@pytest.mark.parametrize("allowed", ["127.0.0.1", "a.example\n*.example\n127.0.0.1"])
def test_an_allowed_host_is_asked(serve, allowed):
    server = serve()

    access = Access(hosts.allowed(allowed))
    asked = endpoint(f"http://127.0.0.1:{server.port}/rag", access)
    asked.admit([CASE])

    assert asked.ask(CASE).answer == "Yes."
    asked.close()


def test_any_other_host_is_refused_before_anything_is_sent(serve):
    server = serve()
    url = f"http://127.0.0.1:{server.port}/rag"
    asked = endpoint(url, Access(hosts.allowed("rag.example\n127.0.0.1:1")))

    with pytest.raises(InputError) as error:
        asked.admit([CASE])

    assert str(error.value) == (
        f"endpoint.url: 127.0.0.1:{server.port} is not among the allowed hosts "
        "(add it to the input allowed-hosts if it is right)"
    )
    assert server.requests == []


def test_a_host_that_one_case_alone_asks_for_is_found_before_the_first(serve):
    server = serve()
    cases = [Case(str(n), "Why?", meta={"host": "127.0.0.1"}) for n in range(50)]
    cases.append(Case("last", "Why?", meta={"host": "127.0.0.2"}))
    url = f"http://{{{{ meta.host }}}}:{server.port}/rag"
    asked = endpoint(url, Access(hosts.allowed("127.0.0.1")))

    asked.admit(cases[:-1])
    with pytest.raises(InputError, match=r"127\.0\.0\.2:\d+ is not among"):
        asked.admit(cases)


def test_what_is_waited_for_must_be_allowed_too():
    ready = WaitFor(url="http://b.example/health", timeout="1s")
    access = Access(hosts.allowed("a.example"))
    asked = endpoint("http://a.example/rag", access, wait_for=ready)

    with pytest.raises(InputError, match=r"b\.example:80 is not among") as error:
        asked.admit([CASE])

    assert str(error.value.where) == "endpoint.wait_for.url"


def test_a_redirect_to_a_port_that_is_not_allowed_is_not_followed(serve):
    server = serve()
    server.status, server.location = 307, "https://a.example/rag"

    def resolve(*_):  # a service at port 80, without the right to be there
        return socket.getaddrinfo("127.0.0.1", server.port, type=socket.SOCK_STREAM)

    access = Access(hosts.allowed("a.example:80"))
    failure = ask("http://a.example/rag", access, resolve)

    assert "redirects to https://a.example/rag" in failure.message
    assert server.requests == [("/rag", "a.example")]


PARTS = [
    *("a.example", "evil.example", "http://", "https://", "//", "/", "\\", "@", ":"),
    *("?", "#", "%2e", "%2f", "%40", "%00", ".", "..", "[", "]", "::1", "127.0.0.1"),
    *(":80", ":9", "\t", " ", "&", ";", "é", "。", "user:pass@", "A.EXAMPLE", "xn--"),
]


def test_however_a_url_is_made_up_only_allowed_hosts_are_looked_up():
    chance, looked_up = Random(7), []

    def resolve(host, _):
        looked_up.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for _ in range(3_000):
        url = "http://" + "".join(chance.choices(PARTS, k=chance.randint(1, 6)))
        with suppress(InputError, Problems):
            ask(url, Access(hosts.allowed("a.example")), resolve)

    assert len(looked_up) > 50
    assert {hosts.plain(name) for name in looked_up} == {"a.example"}


@pytest.mark.parametrize("host", ["a..example", f"{'a' * 64}.example", "a.example.."])
def test_a_name_that_can_have_no_address_is_unknown(host):
    failure = ask(f"http://{host}/rag", Access(), look_up)

    assert (failure.cause, failure.retryable) == ("service.unreachable", True)
    assert "the host name in" in failure.message


@pytest.mark.parametrize("url", ["http://]。:80:9@a.example", "http://[a.example/"])
def test_what_only_looks_like_a_url_is_a_mistake_at_its_key(url):
    with pytest.raises(InputError, match="is no URL") as error:
        endpoint(url).admit([CASE])

    assert str(error.value.where) == "endpoint.url"


# Where a service at localhost may be instead.


def refusing_port():
    """Give a port at which nothing listens, on any address of loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "app.localhost"])
def test_a_service_on_the_runner_is_reached_from_the_container(serve, host):
    server = serve("127.0.0.7")
    resolve = resolver(
        localhost=["127.0.0.1"], app_localhost=["127.0.0.1"], gateway=["127.0.0.7"]
    )
    url = f"http://{host}:{server.port}/rag"
    asked = endpoint(url, Access((), ("127.0.0.6", "gateway")), resolve)

    assert asked.ask(CASE).answer == "Yes."
    assert asked.ask(CASE).answer == "Yes."
    asked.close()

    name = host.strip("[]")
    assert server.requests == [("/rag", f"{host}:{server.port}")] * 2
    [notice] = asked.notices()
    assert notice == (
        f"{name}:{server.port} is not inside of the action's container; the service "
        f"was reached at gateway:{server.port}"
    )


def test_what_answered_once_is_asked_straight_away_afterwards(serve):
    server = serve("127.0.0.7")
    resolve = resolver(localhost=["127.0.0.1"])
    connector = Connector(("127.0.0.6", "127.0.0.7"), resolve)

    for _ in range(2):
        connector.connect("localhost", server.port, monotonic() + 5).close()

    assert resolve.asked == ["localhost", "127.0.0.6", "127.0.0.7", "127.0.0.7"]


def test_a_service_in_the_container_is_never_looked_for_elsewhere(serve):
    server, other = serve("127.0.0.1"), serve("127.0.0.7")
    asked = endpoint(f"http://127.0.0.1:{server.port}/", Access((), ("127.0.0.7",)))

    assert asked.ask(CASE).answer == "Yes."
    asked.close()

    assert (len(server.requests), other.requests, asked.notices()) == (1, [], ())


def test_ipv6_is_served_too(serve):
    server = serve("::1", socket.AF_INET6)
    resolve = resolver(localhost=["127.0.0.1", "::1"])

    for url in (f"http://localhost:{server.port}/", f"http://[::1]:{server.port}/"):
        assert ask(url, Access(), resolve).answer == "Yes."


def test_where_there_is_no_time_left_nothing_is_tried():
    resolve = resolver(localhost=["127.0.0.1"])

    with pytest.raises(TimeoutError, match="no time left"):
        Connector(("127.0.0.7",), resolve).connect("localhost", 9, monotonic() - 1)

    assert resolve.asked == ["localhost"]


def test_any_other_host_has_no_second_address(serve):
    server = serve("127.0.0.7")
    resolve = resolver(rag_example=["127.0.0.1"])
    url = f"http://rag.example:{server.port}/rag"

    failure = ask(url, Access((), ("127.0.0.7",)), resolve)

    assert failure.cause == "service.unreachable"
    assert server.requests == []


def test_outside_of_a_container_nothing_else_is_tried():
    resolve = resolver(localhost=["127.0.0.1"])

    failure = ask(f"http://localhost:{refusing_port()}/rag", Access(), resolve)

    assert resolve.asked == ["localhost"]
    assert "(is the service started, and the port right?" in failure.message


def test_where_nothing_answers_all_that_was_tried_is_named():
    port = refusing_port()
    nearby = ("127.0.0.7", "host.docker.internal", METADATA)
    resolve = resolver(localhost=["127.0.0.1"], host_docker_internal=[])

    failure = ask(f"http://localhost:{port}/rag", Access((), nearby), resolve)

    assert (failure.cause, failure.retryable) == ("service.unreachable", True)
    assert failure.message == (
        f"nothing listens at http://localhost:{port}/rag: port {port} was tried at "
        "localhost (refused), 127.0.0.7 (refused), host.docker.internal (unknown "
        f"name), {METADATA} (never asked); localhost is the action's own "
        "container (let the service listen on 0.0.0.0, or write the name of its "
        "service container in endpoint.url)"
    )


def test_an_address_that_swallows_everything_costs_its_patience_alone():
    listener = socket.socket()
    listener.bind(("127.0.0.7", 0))
    listener.listen(0)
    port = listener.getsockname()[1]
    with socket.create_connection(("127.0.0.7", port)):  # its only place is taken
        started = monotonic()
        failure = ask(
            f"http://127.0.0.1:{port}/rag", Access((), ("127.0.0.7",)), timeout="500ms"
        )
    listener.close()

    assert "127.0.0.7 (no answer)" in failure.message
    assert monotonic() - started < 2


# The program as a process of its own, with what only a process can have.

SPEC = """\
endpoint: {{url: "{url}", timeout: 5s, retries: 0, stop_after: 1}}
cases: cases.json
thresholds: {{coverage: {{min: 0}}}}
"""


def run(folder, url, **environ):
    """Run a spec of one case; give the exit status and what was printed."""
    (folder / "spec.yaml").write_text(SPEC.format(url=url))
    (folder / "cases.json").write_text('[{"id": "a", "question": "Why?"}]')
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    kept = {k: v for k, v in os.environ.items() if k.upper() not in proxies}
    done = subprocess.run(
        [sys.executable, "-m", "runner", "run", "spec.yaml", "--quiet"],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_proxy_is_not_asked_for_metadata(serve, tmp_path):
    proxy = serve()
    environ = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}

    assert run(tmp_path, "http://far.example/rag", **environ)[0] == 0
    for host in ("0xa9fea9fe", "metadata.google.internal", METADATA):
        status, printed = run(tmp_path, f"http://{host}/rag", **environ)
        assert (status, "link-local or metadata" in printed) == (2, True)

    assert [host for _, host in proxy.requests] == ["far.example"]


def test_a_proxy_at_a_metadata_address_is_refused(tmp_path):
    environ = {"HTTP_PROXY": f"http://{METADATA}:3128"}

    status, printed = run(tmp_path, "http://far.example/rag", **environ)

    assert (status, "link-local or metadata" in printed) == (2, True)
