"""Makes the small descriptions beside it from GitHub's own, as npm packages have them.

    npm pack @octokit/openapi@23.0.2
    npm pack @octokit/webhooks-schemas@7.6.1 @octokit/webhooks-examples@7.6.1
    python tests/contract/_github/reduce.py FOLDER_OF_THE_THREE_ARCHIVES

Of the API only the calls in ``CALLS`` stay, of the events those in ``EVENTS``, each
with what it refers to. Prose goes; no rule does. Of the examples a few stay whole, from
which the tests make their own. All three packages have the MIT licence; see NOTICE.md.
"""

import gzip
import json
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = "/repos/{owner}/{repo}"
CALLS = {
    f"{REPOSITORY}/pulls": ("get",),
    f"{REPOSITORY}/pulls/{{pull_number}}": ("get",),
    f"{REPOSITORY}/commits/{{commit_sha}}/pulls": ("get",),
    f"{REPOSITORY}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPOSITORY}/issues/comments/{{comment_id}}": ("get", "patch", "delete"),
    "/user": ("get",),
    REPOSITORY: ("get",),
    f"{REPOSITORY}/git/trees/{{tree_sha}}": ("get",),
    f"{REPOSITORY}/git/trees": ("post",),
    f"{REPOSITORY}/git/blobs/{{file_sha}}": ("get",),
    f"{REPOSITORY}/git/blobs": ("post",),
    f"{REPOSITORY}/git/commits/{{commit_sha}}": ("get",),
    f"{REPOSITORY}/git/commits": ("post",),
    f"{REPOSITORY}/git/ref/{{ref}}": ("get",),
    f"{REPOSITORY}/git/refs": ("post",),
    f"{REPOSITORY}/git/refs/{{ref}}": ("patch",),
    f"{REPOSITORY}/actions/artifacts": ("get",),
    f"{REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ("get",),
    f"{REPOSITORY}/actions/runs/{{run_id}}": ("get",),
}
EXAMPLES = (
    *("issue-comment", "pull-request", "pull-request-simple-items"),
    *("git-commit", "git-ref", "artifact", "workflow-run", "full-repository"),
)
EVENTS = (
    "pull_request$synchronize",
    "push$event",
    "merge_group$checks_requested",
    "workflow_run$completed",
    "issue_comment$created",
    "workflow_dispatch$event",
)
NAMES = {"properties", "headers", "responses"}
PROSE = {"description", "examples", "example", "externalDocs", "summary", "tags"}
API = ("octokit-openapi-23.0.2.tgz", "generated/api.github.com.json")
SCHEMAS = ("octokit-webhooks-schemas-7.6.1.tgz", "schema.json")
PAYLOADS = ("octokit-webhooks-examples-7.6.1.tgz", "api.github.com/index.json")


def main(folder):
    write("api", api(read(folder, *API)))
    write("events", events(read(folder, *SCHEMAS)))
    write("payloads", payloads(read(folder, *PAYLOADS)))


def read(folder, archive, member):
    with tarfile.open(folder / archive) as packed:
        return json.load(packed.extractfile(f"package/{member}"))


def write(name, value):
    text = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(text, 9, mtime=0))


def api(whole):
    """Give a description of some calls, with the components that they refer to."""
    paths = {
        path: {method: bare(whole["paths"][path][method]) for method in methods}
        for path, methods in CALLS.items()
    }
    small = {
        "openapi": whole["openapi"],
        "info": {
            "title": "A part of GitHub's API",
            "version": whole["info"]["version"],
        },
        "servers": [{"url": "/"}],
        "paths": paths,
    }
    small |= referred(paths, whole)
    examples = whole["components"]["examples"]
    small["components"]["examples"] = {name: examples[name] for name in EXAMPLES}
    return small


def payloads(whole):
    """Give the last example of each event: earlier ones lack what was added since."""
    named = {each["name"]: each["examples"] for each in whole}
    found = {}
    for kind in EVENTS:
        name, _, action = kind.partition("$")
        acts = [each for each in named[name] if each.get("action") == action]
        found[name] = (acts or named[name])[-1]
    return found


def events(whole):
    """Give the schemas of some events under their names, and what they refer to."""
    small = {"$schema": whole["$schema"]}
    tops = {"anyOf": [{"$ref": f"#/definitions/{name}"} for name in EVENTS]}
    return {**small, **referred(tops, whole)}


def referred(tops, whole):
    """Give all that stands where references lead, from some tops on."""
    found, waiting = {}, list(references(tops))
    seen = set()
    while waiting:
        reference = waiting.pop()
        if reference in seen:
            continue
        seen.add(reference)
        *above, last = reference.removeprefix("#/").split("/")
        source, target = whole, found
        for step in above:
            source, target = source[step], target.setdefault(step, {})
        target[last] = bare(source[last])
        waiting += references(target[last])
    return found


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def bare(value, *, names=False):
    """Give a part without prose; ``names``: its keys are names, not words of a schema.

    A reply keeps a description, if an empty one: the form asks for it.
    """
    if isinstance(value, list):
        return [bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: bare(each, names=key in NAMES and not names)
        for key, each in value.items()
        if names or not (key in PROSE or key.startswith("x-"))
    }
    is_schema = {"type", "properties", "schema"} & set(value)
    is_reply = "description" in value and not (names or is_schema)
    return {**kept, "description": ""} if is_reply else kept


if __name__ == "__main__":
    main(Path(sys.argv[1]))
