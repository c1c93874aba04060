"""What a newcomer does: copies the workflow, pushes, and pushes again."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from runner.github._marker import Marker, after
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import BASE, HEAD

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
NEXT = "c" * 40


def written(team):
    """Give the files of a repository by their paths."""
    paths = (path for path in team.rglob("*") if path.is_file())
    found = {path.relative_to(team).as_posix(): path.read_bytes() for path in paths}
    return {name: text for name, text in found.items() if not name.startswith(".git/")}


@pytest.fixture
def push(engine, service, github, tmp_path):
    """Run the workflow of a repository for a push to its pull request."""

    def run(team, head, number="1"):
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        engine.must("git", "init", "-q", cwd=team)
        engine.must("git", "add", "-A", cwd=team)
        engine.must("git", *who, "commit", "-qm", "Push", "--allow-empty", cwd=team)
        github.pulls[7]["head"]["sha"] = head
        github.commit(written(team), sha=BASE)  # which the change leaves as it is
        repository = {"full_name": "org/bot", "private": False}
        event = {
            "number": 7,
            "repository": repository,
            "pull_request": {
                "number": 7,
                "head": {"sha": head, "ref": "topic", "repo": repository},
                "base": {"sha": BASE, "ref": "main", "repo": repository},
            },
        }
        (tmp_path / "event.json").write_text(json.dumps(event))
        environ = {
            "GITHUB_REPOSITORY": "org/bot",
            "GITHUB_API_URL": github.url,
            "GITHUB_GRAPHQL_URL": f"{github.url}/graphql",
            "GITHUB_RUN_NUMBER": number,
        }
        return engine.run(
            *("act", "pull_request", "--rm", "-e", tmp_path / "event.json"),
            *("-P", "ubuntu-latest=python:3.13-slim", "--pull=false"),
            *("--network", "host", "--var", f"RAG_URL={service}"),
            *("-s", f"GITHUB_TOKEN={TOKEN}", "-s", "RAG_TOKEN=made-up"),
            *("--local-repository", f"org/rag-eval-action@v1={engine.action}"),
            *(word for pair in environ.items() for word in ("--env", "=".join(pair))),
            cwd=team,
        )

    return run


def test_the_first_push_makes_the_comment_and_the_second_renews_it(
    github, push, tmp_path
):
    # What `rag-eval init` writes, word for word.
    team = shutil.copytree(ROOT / "templates/init", tmp_path / "team")

    first = push(team, HEAD)
    assert github.comments, first.stdout
    [made] = github.comments
    begun, identity = made["body"], made["id"]
    second = push(team, NEXT, "2")
    [renewed] = github.comments

    assert after(begun).startswith("## ❌ RAG eval `my-rag`"), first.stdout
    assert renewed["id"] == identity, second.stdout
    heads = [Marker.read(body).head for body in (begun, renewed["body"])]
    assert heads == [HEAD, NEXT], second.stdout
    assert len([call for call in github.calls if call.startswith("POST /repos")]) == 1


def test_this_repository_judges_its_own_demo(engine, github, push, tmp_path):
    own = shutil.copytree(engine.action, tmp_path / "own")
    for part in (".github/workflows", "demo", "specs"):
        shutil.copytree(ROOT / part, own / part)
    for other in ("check.yml", "image.yml"):
        (own / ".github/workflows" / other).unlink()
    path = own / ".github/workflows/rag-eval.yml"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    path.write_text(path.read_text("utf-8").replace("9000", port), "utf-8")

    done = push(own, HEAD)

    assert done.returncode == 0, done.stdout
    [body] = github.bodies
    assert after(body).startswith("## ✅ RAG eval helpdesk: 15 of 15 gates passed")
