import pytest

from runner import hosts
from runner.hosts import Host

NEVER = [
    "169.254.169.254",
    "169.254.0.1",
    "169.254.170.2",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "0XA9FEA9FE",
    "025177524776",
    "0251.0376.0251.0376",
    "0xa9.254.0xa9fe",
    "169.254.43518",
    "169%2e254%2e169%2e254",
    "[::ffff:169.254.169.254]",
    "::ffff:a9fe:a9fe",
    "::a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "2001:0:0:0:0:0:5601:5601",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "fe80::1%eth0",
    "febf::1",
    "[fd00:ec2::254]",
    "fd00:0ec2:0:0::254",
    "fd20:ce::254",
    "100.100.100.200",
    "0x646464c8",
    "168.63.129.16",
    "192.0.0.192",
    "metadata.google.internal",
    "Metadata.Google.Internal.",
    "metadata.goog",
    "metadata.tencentyun.com",
    "instance-data.ec2.internal",
]
MAYBE = [
    "",
    "example.com",
    "metadata",
    "metadata.google.internal.example.com",
    "localhost",
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "172.17.0.1",
    "169.253.255.255",
    "169.255.0.0",
    "100.100.100.201",
    "fe7f::1",
    "fec0::1",
    "fd00::1",
    "64:ff9b::10.0.0.1",
    "1.2.3.4.5",
    "08.1",
    "0x",
    "4294967296",
    "256.1",
    "1.2.65536",
    "9" * 5000,
    "169.254.169.254.example.com",
]


@pytest.mark.parametrize("host", NEVER)
def test_metadata_is_never_reached_however_it_is_spelt(host):
    assert "is a link-local or metadata address" in hosts.forbidden(host)


@pytest.mark.parametrize("host", MAYBE)
def test_what_only_looks_alike_may_be_reached(host):
    assert hosts.forbidden(host) == ""


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.255.0.3", True),
        ("127.1", True),
        ("2130706433", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),  # noqa: S104 - asked for, and not listened at
        ("::", True),
        ("128.0.0.1", False),
        ("::2", False),
        ("localhost.example.com", False),
        ("notlocalhost", False),
        ("rag", False),
        ("", False),
    ],
)
def test_localhost_is_known_by_all_its_names(host, expected):
    assert hosts.is_loopback(host) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" \n\n", ()),
        (" Rag.Example.com \r\nb", (Host("rag.example.com"), Host("b"))),
        ("*.example.com", (Host("example.com", None, below=True),)),
        ("*.example.com:8443", (Host("example.com", 8443, below=True),)),
        ("localhost:9000", (Host("localhost", 9000),)),
        ("127.1:80", (Host("127.0.0.1", 80),)),
        ("::1", (Host("::1"),)),
        ("[::1]", (Host("::1"),)),
        ("[::1]:9000", (Host("::1", 9000),)),
        ("rag_server", (Host("rag_server"),)),
        ("xn--mnchen-3ya.de", (Host("xn--mnchen-3ya.de"),)),
    ],
)
def test_allowed_hosts_stand_one_a_line(text, expected):
    assert hosts.allowed(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://example.com", "'https://example.com' is no host"),
        ("example.com/rag", "'example.com/rag' is no host"),
        ("a, b", "'a, b' is no host"),
        ("*", "'*' is no host"),
        ("*.", "'*.' is no host"),
        ("a.*.com", "'a.*.com' is no host"),
        ("münchen.de", "'münchen.de' is no host"),
        ("user@example.com", "'user@example.com' is no host"),
        ("a:0", "'0' in 'a:0' is no port"),
        ("a:65536", "'65536' in 'a:65536' is no port"),
        ("a:", "'' in 'a:' is no port"),
        ("a:http", "'http' in 'a:http' is no port"),
        ("a:²", "'²' in 'a:²' is no port"),
        ("fine\n*bad", "'*bad' is no host"),
        ("0xa9fea9fe", "169.254.169.254 is a link-local or metadata address"),
        ("*.metadata.goog:80", "metadata.goog is a link-local or metadata address"),
    ],
)
def test_a_line_that_is_no_host_is_named(text, said):
    with pytest.raises(ValueError, match="is") as error:
        hosts.allowed(text)

    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("url", "allowed", "told"),
    [
        ("http://a/rag", "", ""),
        ("http://a/rag", "a", ""),
        ("http://A:9000/rag", "a", ""),
        ("http://a./rag", "a", ""),
        ("http://a/rag", "a:80", ""),
        ("https://a/rag", "a:443", ""),
        ("https://a/rag", "a:80", "a:443 is not among the allowed hosts"),
        ("http://a:9000", "b\na:9000", ""),
        ("http://a:9001", "b\na:9000", "a:9001 is not among the allowed hosts"),
        ("http://b.a", "*.a", ""),
        ("http://c.b.a", "*.a", ""),
        ("http://a", "*.a", "a:80 is not among the allowed hosts"),
        ("http://ba", "*.a", "ba:80 is not among the allowed hosts"),
        ("http://a.evil", "a", "a.evil:80 is not among the allowed hosts"),
        ("http://evil/a", "a", "evil:80 is not among the allowed hosts"),
        ("http://a@evil/", "a", "evil:80 is not among the allowed hosts"),
        ("http://[::1]:9000", "[::1]:9000", ""),
        ("http://2130706433/", "127.0.0.1", ""),
        ("http://localhost", "127.0.0.1", "localhost:80 is not among"),
        ("http://169.254.169.254/", "", "link-local or metadata"),
        ("http://metadata.goog/", "*.goog", "link-local or metadata"),
    ],
)
def test_only_allowed_hosts_are_asked(url, allowed, told):
    why = hosts.refusal(url, hosts.allowed(allowed))

    assert bool(why) == bool(told)
    assert told in why
