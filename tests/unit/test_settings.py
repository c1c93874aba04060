import pytest

from runner import settings
from runner.errors import InputError
from runner.hosts import Host
from runner.settings import Branches, Change, Run

HEAD, MERGE, BASE = "a" * 40, "b" * 40, "c" * 40
SPEC = {"INPUT_SPEC": "evals/rag.yaml"}


def pull(head="org/bot", base="org/bot"):
    repo = None if head is None else {"full_name": head}
    return {
        "action": "synchronize",
        "number": 7,
        "pull_request": {
            "number": 7,
            "head": {"sha": HEAD, "ref": "topic", "repo": repo},
            "base": {"sha": BASE, "ref": "main", "repo": {"full_name": base}},
        },
    }


@pytest.mark.parametrize(
    ("event", "payload", "expected"),
    [
        (
            "pull_request",
            pull(),
            Change("pull_request", HEAD, 7, "main", BASE, merge=MERGE),
        ),
        (
            "pull_request",
            pull("someone/bot"),
            Change("pull_request", HEAD, 7, "main", BASE, fork=True, merge=MERGE),
        ),
        (
            "pull_request",
            pull(None),
            Change("pull_request", HEAD, 7, "main", BASE, fork=True, merge=MERGE),
        ),
        ("push", {"after": MERGE, "ref": "refs/heads/main"}, Change("push", MERGE)),
        ("schedule", {"schedule": "0 3 * * *"}, Change("schedule", MERGE)),
        ("workflow_dispatch", {"inputs": None}, Change("workflow_dispatch", MERGE)),
        (
            "merge_group",
            {"merge_group": {"head_sha": HEAD, "base_ref": "refs/heads/main"}},
            Change("merge_group", HEAD, base="main"),
        ),
        (
            "workflow_run",
            {"workflow_run": {"head_sha": HEAD, "pull_requests": []}},
            Change("workflow_run", HEAD),
        ),
        (
            "issue_comment",
            {"issue": {"number": 7, "pull_request": {}}},
            Change("issue_comment", None, 7),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_event_tells_what_is_evaluated(event, payload, expected):
    environ = {"GITHUB_EVENT_NAME": event, "GITHUB_SHA": MERGE}

    assert settings.change(environ, payload) == expected


def test_outside_of_a_workflow_nothing_is_known_of_the_change():
    assert settings.change({}, {}) == Change()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change(), "no event"),
        (Change("push", HEAD), "push at aaaaaaa"),
        (
            Change("pull_request", HEAD, 7, "main", fork=True),
            "pull_request #7 into main from a fork at aaaaaaa",
        ),
    ],
)
def test_a_change_reads_as_one_line(change, expected):
    assert str(change) == expected


def test_what_is_not_given_has_its_default():
    read = settings.read(
        {**SPEC, "INPUT_FAIL-ON": "", "INPUT_BASELINE": " ", "INPUT_ARGS": ""}, {}
    )

    assert read == settings.Settings(
        specs=("evals/rag.yaml",),
        fail_on="gate",
        baseline=None,
        out="rag-eval-results",
        args=(),
        change=Change(),
        run=Run(),
    )


@pytest.mark.parametrize("name", ["INPUT_FAIL-ON", "INPUT_FAIL_ON"])
def test_an_input_is_read_under_both_spellings(name):
    assert settings.read({**SPEC, name: "never"}, {}).fail_on == "never"


def test_specs_stand_one_a_line_and_count_once():
    environ = {"INPUT_SPEC": " a b.yaml\n\nevals/*.yaml \r\na b.yaml\n"}

    assert settings.read(environ, {}).specs == ("a b.yaml", "evals/*.yaml")


def test_arguments_are_split_as_a_shell_would():
    environ = {**SPEC, "INPUT_ARGS": "--tag 'must hold'\n--limit 3"}

    args = settings.read(environ, {}).args

    assert args == ("--tag", "must hold", "--limit", "3")


def test_allowed_hosts_stand_one_a_line():
    environ = {**SPEC, "INPUT_ALLOWED-HOSTS": "localhost:9000\n*.example.com\n"}

    assert settings.read(environ, {}).allowed == (
        Host("localhost", 9000),
        Host("example.com", below=True),
    )


@pytest.mark.parametrize("gateway", ["auto", "off", "172.17.0.1", "::1", "my-host"])
def test_the_runner_is_where_a_workflow_says(gateway):
    environ = {**SPEC, "INPUT_HOST-GATEWAY": gateway}

    assert settings.read(environ, {}).gateway == gateway


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "input spec: it is needed (write spec: evals/rag.yaml below with:)"),
        ({"INPUT_SPEC": "\n "}, "input spec: it is needed"),
        (
            {**SPEC, "INPUT_FAIL-ON": "gates"},
            "input fail-on: 'gates' is none of gate, error, never (did you mean gate?)",
        ),
        (
            {**SPEC, "INPUT_BASLINE": "x"},
            "input basline: there is no such input (did you mean baseline?)",
        ),
        ({**SPEC, "INPUT_ARGS": "--tag 'a"}, "input args: no closing quotation"),
        (
            {**SPEC, "INPUT_ARGS": "--out=there"},
            "input args: --out is an input of its own (write out: ... below with:)",
        ),
        (
            {**SPEC, "INPUT_ARGS": "--before b --loosened fail"},
            "input args: --loosened is an input of its own (write loosened: ... below",
        ),
        (
            {**SPEC, "INPUT_LOOSENED": "no"},
            "input loosened: 'no' is none of fail, warn, ignore",
        ),
        (
            {**SPEC, "INPUT_ALLOWED-HOSTS": "a\nhttps://b"},
            "input allowed-hosts: 'https://b' is no host (write its name alone, as in",
        ),
        (
            {**SPEC, "INPUT_ALLOWED-HOSTS": "0xa9fea9fe"},
            "input allowed-hosts: 169.254.169.254 is a link-local or metadata address",
        ),
        (
            {**SPEC, "INPUT_HOST-GATEWAY": "172.17.0.1:9000"},
            "input host-gateway: '172.17.0.1:9000' is none of auto, off, and no host",
        ),
        (
            {**SPEC, "INPUT_HOST-GATEWAY": "a\nb"},
            "input host-gateway: 'a\\nb' is none of auto, off",
        ),
        (
            {**SPEC, "INPUT_HOST-GATEWAY": "*.example.com"},
            "input host-gateway: '*.example.com' is none of auto, off",
        ),
        (
            {**SPEC, "INPUT_HOST-GATEWAY": "metadata.google.internal"},
            "input host-gateway: metadata.google.internal is a link-local",
        ),
        (
            {**SPEC, "INPUT_HOST_GATWAY": "off"},
            "input host-gatway: there is no such input (did you mean host-gateway?)",
        ),
    ],
)
def test_a_wrong_input_is_named(environ, said):
    with pytest.raises(InputError) as error:
        settings.read(environ, {})

    assert str(error.value).startswith(said)


def test_an_input_that_resembles_none_is_not_ours():
    assert settings.read({**SPEC, "INPUT_WORKFLOW": "x"}, {}).specs


def test_what_is_published_is_not_evaluated():
    environ = {"GITHUB_EVENT_NAME": "pull_request_target", "INPUT_PUBLISH": "results"}

    read = settings.read(environ, pull("someone/bot"))

    assert (read.publish, read.specs) == ("results", ())


@pytest.mark.parametrize("name", ["spec", "baseline", "args"])
def test_what_is_said_of_an_evaluation_is_refused_beside_publish(name):
    environ = {"INPUT_PUBLISH": "results", f"INPUT_{name.upper()}": "x"}

    with pytest.raises(InputError) as error:
        settings.read(environ, {})

    assert str(error.value) == (
        f"input publish: with it nothing is evaluated, and {name} would say nothing "
        f"(leave out one of publish and {name})"
    )


def test_a_run_that_follows_another_knows_which():
    run = {"head_sha": HEAD, "id": 1184, "run_attempt": 2}

    found = settings.change({}, {"workflow_run": run})

    assert (found.run, found.attempt) == ("1184", "2")


def test_secrets_are_known_by_the_names_of_their_variables():
    environ = {"RAG_TOKEN": "abcdef", "api_key": "ghijkl", "HOME": "/github/home"}

    assert settings.secrets(environ) == ("abcdef", "ghijkl")


@pytest.mark.parametrize("odd", [5, True, [1], {"a": 1}, None])
def test_a_payload_of_another_shape_tells_nothing(odd):
    pull = {"head": {"sha": odd}, "base": {"ref": odd}, "number": str(odd)}

    for event in ({"pull_request": pull}, {"workflow_run": {"head_sha": odd}}):
        found = settings.change({"GITHUB_EVENT_NAME": "push"}, event)

        assert (found.commit, found.number, found.base) == (None, None, None)
        assert str(found).startswith("push")


def test_a_run_is_known_by_the_variables_of_the_step():
    environ = {
        "GITHUB_RUN_ID": "1658821493",
        "GITHUB_RUN_NUMBER": "1184",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_WORKFLOW": "RAG evaluation",
        "GITHUB_WORKFLOW_REF": "org/bot/.github/workflows/rag.yml@refs/pull/7/merge",
        "GITHUB_JOB": "evaluate",
        "GITHUB_REPOSITORY": "org/bot",
        "GITHUB_ACTOR": "octocat",
        "GITHUB_SERVER_URL": "https://ghes.example.org",
        "GITHUB_API_URL": "https://ghes.example.org/api/v3/",
        "GITHUB_GRAPHQL_URL": "https://ghes.example.org/api/graphql",
    }

    assert settings.run(environ) == Run(
        "1658821493",
        1184,
        2,
        ".github/workflows/rag.yml",
        "evaluate",
        "org/bot",
        "octocat",
        "https://ghes.example.org",
        "https://ghes.example.org/api/v3",
        "https://ghes.example.org/api/graphql",
    )


@pytest.mark.parametrize("odd", ["", "-1", "1.5", "٣", "x"])
def test_a_run_without_a_number_is_run_0(odd):
    environ = {"GITHUB_RUN_NUMBER": odd, "GITHUB_RUN_ATTEMPT": odd}

    assert settings.run(environ) == Run()


def test_a_workflow_without_a_file_goes_by_its_name():
    environ = {"GITHUB_WORKFLOW_REF": "", "GITHUB_WORKFLOW": "RAG evaluation"}

    assert settings.run(environ).workflow == "RAG evaluation"


def test_the_comment_is_asked_for_in_one_of_four_ways():
    asked = {**SPEC, "INPUT_COMMENT": "on-failure"}

    with pytest.raises(InputError) as error:
        settings.read(asked, {})

    assert str(error.value) == (
        "input comment: 'on-failure' is none of always, change, failure, never "
        "(did you mean failure?)"
    )


@pytest.mark.parametrize(
    ("event", "reference", "default", "expected"),
    [
        ("push", "refs/heads/main", "main", Branches("main", "main", is_here=True)),
        ("push", "refs/heads/topic", "main", Branches("main", "main")),
        ("push", "refs/tags/main", "main", Branches("main", "main")),
        ("push", "refs/heads/main", None, Branches()),
        ("push", "", None, Branches()),
        (
            "schedule",
            "refs/heads/trunk",
            None,
            Branches("trunk", "trunk", is_here=True),
        ),
        ("schedule", "", None, Branches()),
        ("workflow_run", "refs/heads/main", "main", Branches("main", "main")),
        ("issue_comment", "refs/heads/main", "main", Branches("main", "main")),
    ],
)
def test_a_run_on_the_default_branch_is_known(event, reference, default, expected):
    environ = {"GITHUB_EVENT_NAME": event, "GITHUB_REF": reference}
    told = {"repository": {"default_branch": default}}

    assert settings.branches(environ, told, settings.change(environ, told)) == expected


def test_a_pull_request_is_held_against_the_branch_that_it_goes_into():
    environ = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/7/merge"}
    event = {**pull(), "repository": {"default_branch": "trunk"}}

    found = settings.branches(environ, event, settings.change(environ, event))

    assert found == Branches("trunk", "main")
