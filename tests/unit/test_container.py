import pytest

from runner import container

HEAD = (
    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
)
BRIDGE = (
    "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
)

TWO = (
    "eth1\t00000000\t0102A8C0\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
    "eth0\t00000000\t01580A0A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
)


@pytest.fixture
def root(tmp_path):
    """Give a file system as a container on Docker's bridge has it."""
    (tmp_path / "proc/net").mkdir(parents=True)
    (tmp_path / "proc/net/route").write_text(HEAD + BRIDGE)
    (tmp_path / ".dockerenv").touch()
    return tmp_path


def test_in_a_container_the_gateway_is_tried_and_then_the_name(root):
    assert container.nearby("auto", root) == ("172.17.0.1", "host.docker.internal")


def test_a_container_of_podman_is_one_too(root):
    (root / ".dockerenv").unlink()
    (root / "run").mkdir()
    (root / "run/.containerenv").touch()

    assert container.nearby("auto", root) == (
        *("172.17.0.1", "host.docker.internal", "host.containers.internal"),
    )


def test_without_routes_there_is_the_name(root):
    (root / "proc/net/route").unlink()

    assert container.nearby("auto", root) == ("host.docker.internal",)


def test_outside_of_a_container_nothing_is_near(root):
    (root / ".dockerenv").unlink()

    assert container.nearby("auto", root) == ()


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("off", ()), ("10.0.0.5", ("10.0.0.5",)), ("rag", ("rag",))],
)
def test_who_says_where_gets_that_alone(root, choice, expected):
    assert container.nearby(choice, root) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", []),
        (BRIDGE, ["172.17.0.1"]),
        ("eth0\t000011AC\t010011AC\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0\n", []),
        ("eth0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n", []),
        (
            TWO,
            ["10.10.88.1", "192.168.2.1"],
        ),
    ],
    ids=["none", "bridge", "a network", "no gateway", "two"],
)
def test_gateways_are_those_of_default_routes(rows, expected):
    assert list(container.gateways(HEAD + rows)) == expected
