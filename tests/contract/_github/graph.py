"""GitHub's GraphQL, as far as a comment needs it: these questions and no others.

Each was held against GitHub's own schema, which is too large to keep here:

    npm pack @octokit/graphql-schema@15.26.1
    pip install graphql-core==3.2.6
    python -m tests.contract._github.graph octokit-graphql-schema-15.26.1.tgz
"""

import re
import sys
import tarfile

from runner.github._blobs import asked as asked_at_once

VIEWER = "query{viewer{login}}"
SEEN = (
    "query($owner:String!,$name:String!,$number:Int!){viewer{login}"
    "repository(owner:$owner,name:$name)"
    "{pullRequest(number:$number){headRefOid state}}}"
)


BLOBS = re.compile(
    r"query\(\$owner:String!,\$name:String!\)\{repository\(owner:\$owner,name:\$name\)"
    r'\{((?:b\d+:object\(oid:"[0-9a-f]+"\)\{\.\.\.on Blob\{text\}\} ?)+)\}\}'
)
BLOB = re.compile(r'(b\d+):object\(oid:"([0-9a-f]+)"\)')
CUT = 512_000  # characters of a file; of a longer one only these are told


def answered(asked, github, login):
    """Give the answer to a question, and what is wrong with it."""
    pulls, viewer = github.pulls, {"viewer": {"login": login}}
    if asked == {"query": VIEWER, "variables": {}}:
        return {"data": viewer}, []
    variables = asked["variables"]
    files = BLOBS.fullmatch(asked["query"])
    if files and variables == {"owner": "org", "name": "bot"}:
        told = {name: told_of(github, sha) for name, sha in BLOB.findall(files[1])}
        return {"data": {"repository": told}}, []
    known = variables.get("number")
    here = {"owner": "org", "name": "bot", "number": known}
    if asked["query"] != SEEN or variables != here or type(known) is not int:
        return {"errors": [{"message": "Parse error"}]}, [f"GraphQL: {asked}"]
    if known not in pulls:
        text = f"Could not resolve to a PullRequest with the number of {known}."
        missing = {"repository": {"pullRequest": None}}
        errors = [{"type": "NOT_FOUND", "message": text}]
        return {"data": {**viewer, **missing}, "errors": errors}, []
    pull = pulls[known]
    seen = {"headRefOid": pull["head"]["sha"], "state": pull["state"].upper()}
    return {"data": {**viewer, "repository": {"pullRequest": seen}}}, []


def told_of(github, sha):
    """Give a file as GraphQL tells it: no bytes that are no text, and not all of it."""
    content = github.blobs.get(sha)
    if content is None:
        return None
    try:
        return {"text": content.decode()[:CUT]}
    except UnicodeDecodeError:
        return {"text": None}


def main(archive):
    """Hold the questions against the schema."""
    from graphql import build_schema, parse, validate  # noqa: PLC0415 - for this alone

    with tarfile.open(archive) as packed:
        text = packed.extractfile("package/schema.graphql").read().decode()
    schema = build_schema(text, assume_valid=True)
    files = asked_at_once("", "org/bot", ["aa", "bb"]).data["query"]
    found = [
        str(each)
        for query in (VIEWER, SEEN, files)
        for each in validate(schema, parse(query))
    ]
    assert BLOBS.fullmatch(files)
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main(sys.argv[1])
