"""Requests from templates: what they may say, and what they may not do."""

from importlib.util import cache_from_source
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from runner.errors import InputError, Problems
from runner.model import Case, Turn
from runner.spec import EndpointSpec
from runner.templating import RequestTemplate, report_environment

CASE = Case(
    "qa-7",
    "退货 10% off? a/b#c&d",
    type="fact",
    tags=("nightly", "zh"),
    meta={"lang": "zh", "documents": ["a", "b"], "limit": 3},
)


TALK = CASE._replace(turns=(Turn("user", "手机呢？"), Turn("assistant", "14 天。")))
SAID = [
    {"role": "user", "content": "手机呢？"},
    {"role": "assistant", "content": "14 天。"},
]


def render(**parts: Any):
    variables = parts.pop("variables", {})
    case = parts.pop("case", CASE)
    spec = EndpointSpec(**{"url": "http://rag/ask", **parts})
    return RequestTemplate(spec, variables).render(case, "f00d")


def body_of(template: str, **parts: Any):
    return render(body=template, **parts).body


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ question }}", CASE.question),
        ("{{ tags }}", ["nightly", "zh"]),
        ("{{ meta }}", dict(CASE.meta)),
        ("{{ meta.limit }}", 3),
        ("{{ meta.limit + 1 }}", 4),
        ("{{ meta.limit > 2 }}", True),
        ("{{ tags | map('upper') }}", ["NIGHTLY", "ZH"]),
        ("{{ tenant }}", None),
        ("{{ meta.absent }}", None),
        ("{{ tenant or 'public' }}", "public"),
        ("{{ meta.absent | default('x') }}", "x"),
        ("eval-{{ id }}-{{ uuid }}", "eval-qa-7-f00d"),
        (" {{ meta.limit }}", " 3"),
        ("{% if tenant %}T{% else %}none{% endif %}", "none"),
        ("{% for tag in tags %}[{{ tag }}]{% endfor %}", "[nightly][zh]"),
        ("line\n", "line\n"),
        ("{{ id }}\n", "qa-7\n"),
        ('{q: {{ meta.documents | join("+") | tojson }}}', '{q: "a+b"}'),
        ("<{{ '<&>' | tojson }}>", '<"<&>">'),
    ],
)
def test_a_string_is_rendered_and_a_lone_expression_keeps_its_type(template, value):
    assert body_of(template) == value


def test_every_string_of_a_tree_is_rendered_and_the_rest_is_kept():
    body = {
        "q": "{{ question }}",
        "k": 8,
        "filters": [{"lang": "{{ meta.lang }}"}, None],
    }

    request = render(body=body)

    assert request.body == {
        "q": CASE.question,
        "k": 8,
        "filters": [{"lang": "zh"}, None],
    }


def test_rendering_leaves_the_spec_as_it_was():
    spec = EndpointSpec(url="http://rag", body={"a": {"b": "{{ id }}", "c": [1]}})
    template = RequestTemplate(spec, {})

    first = template.render(CASE, "").body
    second = template.render(CASE._replace(id="other"), "").body

    assert (first["a"]["b"], second["a"]["b"]) == ("qa-7", "other")
    assert spec.body == {"a": {"b": "{{ id }}", "c": [1]}}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ history }}", SAID),
        ("{{ history[-1].content }}", "14 天。"),
        (
            "{{ history + [{'role': 'user', 'content': question}] }}",
            [*SAID, {"role": "user", "content": CASE.question}],
        ),
        ("{% for t in history %}{{ t.role }}: {{ t.content }}/{% endfor %}", None),
        ("{{ session }}", None),
        ("{{ session or '' }}", ""),
    ],
)
def test_what_was_said_before_is_history(template, value):
    written = "user: 手机呢？/assistant: 14 天。/" if "for" in template else value

    assert body_of(template, case=TALK) == written


def test_a_case_that_stands_alone_has_an_empty_history():
    assert body_of("{{ history }}") == []


@pytest.mark.parametrize(
    ("url", "rendered"),
    [
        ("http://rag/{{ meta.lang }}/ask", "http://rag/zh/ask"),
        (
            "http://rag/{{ question }}",
            "http://rag/%E9%80%80%E8%B4%A7%2010%25%20off%3F%20a%2Fb%23c%26d",
        ),
        ("http://rag/?q={{ 'a&b=c' }}", "http://rag/?q=a%26b%3Dc"),
        ("http://rag/?q={{ 'a b' | urlencode }}", "http://rag/?q=a%20b"),
        ("${BASE}/ask", "https://u:p@host:81/x/ask"),
        ("${NONE:-http://localhost:9000}/ask", "http://localhost:9000/ask"),
    ],
)
def test_an_expression_in_a_url_is_percent_encoded(url, rendered):
    variables = {"BASE": "https://u:p@host:81/x", "NONE": ""}

    assert render(url=url, variables=variables).url == rendered


def test_url_parameters_repeat_for_lists_and_leave_null_out():
    query = {
        "q": "{{ id }}",
        "tag": "{{ tags }}",
        "tenant": "{{ tenant }}",
        "n": [1, 2],
    }
    query |= {"flag": True}

    assert render(query=query).query == (
        ("q", "qa-7"),
        ("tag", "nightly"),
        ("tag", "zh"),
        ("n", "1"),
        ("n", "2"),
        ("flag", "true"),
    )


def test_headers_are_text_and_a_null_one_is_left_out():
    headers = {"X-Id": "{{ id }}", "X-Limit": "{{ meta.limit }}", "X-T": "{{ tenant }}"}

    assert render(headers=headers).headers == {"X-Id": "qa-7", "X-Limit": "3"}


@pytest.mark.parametrize(
    ("method", "body", "sent"),
    [(None, None, "GET"), (None, "", "POST"), ("PUT", {"a": 1}, "PUT")],
)
def test_the_method_follows_the_body(method, body, sent):
    assert render(method=method, body=body).method == sent


def test_values_of_the_environment_are_data():
    variables = {"A": "{{ question }}", "B": "${A}", "N": ""}
    text = "${A} ${B} ${N:-n} $${A} {{ '${A}' | length }}"

    assert body_of(text, variables=variables) == "{{ question }} ${A} n ${A} 14"


def test_a_case_cannot_read_the_environment():
    case = CASE._replace(question="${TOKEN} {{ uuid }}")

    assert body_of("Q: {{ question }}", case=case, variables={"TOKEN": "s3cret"}) == (
        "Q: ${TOKEN} {{ uuid }}"
    )


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ questoin }}", r"unknown name 'questoin' \(did you mean question\?"),
        ("{{ range(10**9) }}", "unknown name 'range'"),
        ("{{ cycler }}", "unknown name 'cycler'"),
        ("{{ id | uper }}", r"unknown filter 'uper' \(did you mean upper\?"),
        ("{{ id | center(10) }}", "unknown filter 'center'"),
        ("{{ id.__class__ }}", "__class__ is not available"),
        ("{% set a = 1 %}", "Assign is not available"),
        ("{% macro f() %}{% endmacro %}", "Macro is not available"),
        ("{% include 'x' %}", "Include is not available"),
        ("{{ id", "unexpected end of template"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deeply"),
        (
            (
                "{% for a in tags %}{% for b in tags %}{% for c in tags %}"
                "{% endfor %}{% endfor %}{% endfor %}"
            ),
            "nested twice",
        ),
    ],
)
def test_what_is_not_in_the_language_is_refused_before_the_first_request(
    template, message
):
    spec = EndpointSpec(url="http://rag", body={"a": [template]})

    with pytest.raises(Problems, match=rf"^endpoint\.body\.a\[0\]: .*{message}"):
        RequestTemplate(spec, {})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("for {{ tenant }}", r"absent \(write \{\{ name or '' \}\}"),
        ("for {{ meta.absent }}", "no attribute 'absent'"),
        ("{{ 'x' * 10**9 }}", "not available"),
        ("{{ 'x' * 1000000000 }}", "for numbers only"),
        ("{{ [1] * 1000000000 }}", "for numbers only"),
        ("{{ 9 ** 9 ** 9 ** 9 }}", "not available"),
        ("{{ '%999999999d' % 1 }}", "for numbers only"),
        ("{{ id.ljust(1000000000) }}", "not safely callable"),
        ("{{ '{:999999999}'.format(1) }}", "not safely callable"),
        ("{{ id.upper }}", "which JSON cannot hold"),
        ("{{ meta['documents'].append(1) }}", "unsafe|not safely callable"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ id + 1 }}", "can only concatenate str"),
        ("{% for a in meta.many %}{% endfor %}", "more than 1000 rounds"),
        ("{{ meta.many | join(meta.long) }}", "more than 10485760 characters"),
        ("{{ meta.long | replace('x', meta.long) }}", "more than 10485760 char"),
        (
            (
                "{% for a in meta.some %}{% for b in meta.some %}{{ meta.long }}"
                "{% endfor %}{% endfor %}"
            ),
            "more than 10485760 characters",
        ),
        (
            (
                "{% for a in meta.some %}{% for b in meta.some %}"
                "{% if meta.long | replace('y', 'z') == b %}{% endif %}"
                "{% endfor %}{% endfor %}"
            ),
            "more than 10000 rounds together",
        ),
        (
            "{% for t in tags recursive %}{{ loop(tags) }}{% endfor %}",
            "not safely callable",
        ),
    ],
)
def test_a_template_that_fails_names_key_and_case_and_stays_small(template, message):
    meta = {"many": list(range(5000)), "some": list(range(900)), "long": "x" * 9000}
    case = CASE._replace(meta={**CASE.meta, **meta})
    started = perf_counter()

    with pytest.raises(InputError, match=r"endpoint\.body\.q: .* case qa-7: ") as error:
        render(body={"q": template}, case=case)

    assert (error.match(message), perf_counter() - started < 5) == (True, True)


@pytest.mark.parametrize(
    "value", ["a\r\nX-Admin: 1", "a\nb", "租户", "\x00", {"a": 1}, [1]]
)
def test_a_header_holds_one_line_of_ascii(value):
    case = CASE._replace(meta={"v": value})

    with pytest.raises(InputError, match=r"endpoint\.headers\.X-A"):
        render(headers={"X-A": "{{ meta.v }}"}, case=case)


def test_a_url_parameter_is_no_object():
    with pytest.raises(InputError, match=r"endpoint\.query\.m: a dict cannot stand"):
        render(query={"m": "{{ meta }}"})


@pytest.mark.parametrize("url", ["{{ meta.url }}", "ftp://rag", "rag:9000/ask"])
def test_the_url_says_where_to_by_itself(url):
    with pytest.raises(Problems, match=r"does not begin with http://"):
        render(url=url)


def test_all_mistakes_are_told_at_once():
    spec = EndpointSpec(
        url="http://rag/{{ a }}", headers={"B": "{{ b }}"}, body=["{{ c }}", "${D}"]
    )

    with pytest.raises(Problems) as problems:
        RequestTemplate(spec, {})

    assert [error.where.file for error in problems.value] == [
        "endpoint.url",
        "endpoint.headers.B",
        "endpoint.body[0]",
        "endpoint.body[1]",
    ]


def test_reports_escape_markup_and_miss_no_name(tmp_path: Path):
    for name in ("a.html.j2", "a.xml.j2", "a.md.j2"):
        (tmp_path / name).write_text("{{ x }}{{ x | shout }}", encoding="utf-8")
    (tmp_path / "bad.md.j2").write_text("{{ y }}", encoding="utf-8")
    environment = report_environment(tmp_path, {"shout": str.upper})

    rendered = [
        environment.get_template(f"a.{kind}.j2").render(x="<b>")
        for kind in ("html", "xml", "md")
    ]

    assert rendered == ["&lt;b&gt;&lt;B&gt;", "&lt;b&gt;&lt;B&gt;", "<b><B>"]
    with pytest.raises(Exception, match="'y' is undefined"):
        environment.get_template("bad.md.j2").render(x=1)


def test_the_rounds_of_one_case_do_not_count_for_the_next():
    template = "{% for n in meta.n %}{{ n }}{% endfor %}"
    made = RequestTemplate(EndpointSpec(url="http://rag", body={"q": template}), {})
    case = CASE._replace(meta={"n": list(range(900))})

    for _ in range(20):
        assert made.render(case, "u").body["q"].endswith("899")


def page(folder, **options):
    """Give what the page in a folder says to `<1>`, by an environment of its own."""
    environment = report_environment(
        folder, {"twice": lambda text: text * 2}, **options
    )
    return environment.get_template("page.html.j2").render(one="<1>")


def kept(folder):
    """Give the compiled pages of a folder, which Python says where to keep."""
    return [*Path(cache_from_source(folder / "page.py")).parent.glob("*.cache")]


def test_a_page_is_compiled_once_and_again_when_it_changed(tmp_path):
    source = tmp_path / "page.html.j2"
    source.write_text("{{ one | twice }}")
    first, compiled = page(tmp_path, keep=True), kept(tmp_path)
    again = page(tmp_path, keep=True)
    source.write_text("{{ one }}!")

    assert first == again == "&lt;1&gt;&lt;1&gt;"
    assert len(compiled) == 1
    assert page(tmp_path, keep=True) == "&lt;1&gt;!"
    assert kept(tmp_path) == compiled


@pytest.mark.parametrize("damaged", [b"", b"j2", b"x" * 500], ids=len)
def test_a_damaged_compiled_page_is_compiled_again(tmp_path, damaged):
    (tmp_path / "page.html.j2").write_text("{{ one }}")
    whole = page(tmp_path, keep=True)
    (compiled,) = kept(tmp_path)
    bytecode = compiled.read_bytes()
    for content in (damaged, bytecode[:-9], bytecode[:45]):
        compiled.write_bytes(content)

        assert page(tmp_path, keep=True) == whole


def test_nothing_is_kept_where_it_must_not_be_or_cannot_be(tmp_path):
    (tmp_path / "page.html.j2").write_text("{{ one }}")
    page(tmp_path, keep=False)
    (tmp_path / "__pycache__").write_text("no folder")

    assert page(tmp_path, keep=True) == "&lt;1&gt;"
    assert kept(tmp_path) == []
