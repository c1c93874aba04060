"""What a repository of the fake holds: commits with their files, and branches.

Blobs go by the names that git gives them, so that what is equal has one name here and
in a work tree.
"""

import base64
import hashlib
import io
import json
import textwrap
from zipfile import ZIP_DEFLATED, ZipFile

from tests.contract._github.contract import example
from tests.contract._github.replies import INTEGRATION, Reply, refused

MUCH = 8 * 2**20  # characters of a tree that is handed in with what it holds
LINE = 60  # characters of a line of Base64, as GitHub breaks it
FOLDER, FILE, LINK = "040000", "100644", "120000"
GIT = "https://api.github.com/repos/org/bot/git"


class Store:
    """Commits, trees and blobs by their names, and branches by theirs."""

    def __init__(self):
        self.blobs = {}
        self.trees = {}
        self.commits = {}
        self.branches = {}
        self.artifacts = {}
        self.archives = {}
        self.runs = {}
        self.fetched = []
        self.cut = 100_000  # entries of a tree, after which GitHub leaves out the rest

    def commit(self, files, *parents, sha=None, message=""):
        """Keep a commit of files, each as its text, its bytes, or (mode, bytes)."""
        tree = self.add_tree(dict(map(normal, files.items())))
        name = sha or hashed(repr((tree, parents, message, len(self.commits))).encode())
        self.commits[name] = {"tree": tree, "parents": parents, "message": message}
        return name

    def add_tree(self, files):
        """Keep a tree of (mode, content) by path; give its name."""
        inner, below = {}, {}
        for path, entry in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            else:
                inner[name] = (entry[0], self.add_blob(entry[1]))
        for name, part in below.items():
            inner[name] = (FOLDER, self.add_tree(part))
        sha = hashed(repr(sorted(inner.items())).encode())
        self.trees[sha] = inner
        return sha

    def add_blob(self, content):
        sha = hashed(b"blob %d\0" % len(content) + content)
        self.blobs[sha] = content
        return sha

    def files(self, commit):
        """Give the files of a commit: path to content."""
        return {
            path: self.blobs[sha]
            for path, (mode, sha) in self.below(self.commits[commit]["tree"]).items()
            if mode != FOLDER
        }

    def on(self, branch):
        """Give the texts of the files on a branch, by path."""
        found = self.files(self.branches[branch])
        return {path: content.decode() for path, content in found.items()}

    def below(self, tree, prefix=""):
        found = {}
        for name, (mode, sha) in sorted(self.trees[tree].items()):
            found[prefix + name] = (mode, sha)
            if mode == FOLDER:
                found |= self.below(sha, f"{prefix}{name}/")
        return found

    def upload(self, name, files, *, run, branch="main", **told):
        """Keep what a run uploaded, as a ZIP file; ``told`` changes what is said."""
        content = files if isinstance(files, bytes) else zipped(files)
        identity = told.pop("id", len(self.artifacts) + 11)
        of_run = {
            "id": run,
            "repository_id": 1,
            "head_repository_id": told.pop("repository", 1),
            "head_branch": branch,
            "head_sha": told.pop("sha", "d" * 40),
        }
        self.runs.setdefault(run, {"head_branch": branch})
        self.artifacts[identity] = {
            **example("artifact"),
            "id": identity,
            "name": name,
            "size_in_bytes": len(content),
            "digest": f"sha256:{hashlib.sha256(content).hexdigest()}",
            "workflow_run": of_run,
            **told,
        }
        self.archives[identity] = content
        return identity

    # What the API answers

    def get_commit(self, _sent, who, sha):
        if problem := self.unread(who, sha in self.commits):
            return problem
        return Reply(200, self.shown_commit(sha))

    def shown_commit(self, sha):
        kept = self.commits[sha]
        parents = [
            {"sha": each, "url": f"{GIT}/commits/{each}", "html_url": GIT}
            for each in kept["parents"]
        ]
        tree = {"sha": kept["tree"], "url": f"{GIT}/trees/{kept['tree']}"}
        shown = {"sha": sha, "parents": parents, "tree": tree}
        return example("git-commit") | shown | {"message": kept["message"]}

    def get_tree(self, sent, who, name):
        tree = self.commits[name]["tree"] if name in self.commits else name
        if problem := self.unread(who, tree in self.trees):
            return problem
        deep = "recursive" in sent.query
        found = self.below(tree) if deep else self.trees[tree]
        entries = [self.shown_entry(path, *each) for path, each in found.items()]
        cut = len(entries) > self.cut
        return Reply(200, {"sha": name, "truncated": cut, "tree": entries[: self.cut]})

    def shown_entry(self, path, mode, sha):
        kind = "tree" if mode == FOLDER else "blob"
        entry = {"path": path, "mode": mode, "type": kind, "sha": sha}
        entry["url"] = f"{GIT}/{kind}s/{sha}"
        return entry if mode == FOLDER else {**entry, "size": len(self.blobs[sha])}

    def get_blob(self, _sent, who, sha):
        if problem := self.unread(who, sha in self.blobs):
            return problem
        content = self.blobs[sha]
        text = base64.b64encode(content).decode()
        broken = "".join(f"{line}\n" for line in textwrap.wrap(text, LINE))
        return Reply(
            200,
            {
                "sha": sha,
                "node_id": "x",
                "size": len(content),
                "url": f"{GIT}/blobs/{sha}",
                "content": broken,
                "encoding": "base64",
            },
        )

    def get_ref(self, _sent, who, branch):
        if problem := self.unread(who, branch in self.branches):
            return problem
        return Reply(200, self.shown_ref(branch))

    def shown_ref(self, branch):
        sha = self.branches[branch]
        to = {"type": "commit", "sha": sha, "url": f"{GIT}/commits/{sha}"}
        return example("git-ref") | {"ref": f"refs/heads/{branch}", "object": to}

    def get_repository(self, _sent, who):
        if not who.may_see:
            return refused(404, "Not Found")
        known = {"default_branch": "main", "has_discussions": False}
        return Reply(200, example("full-repository") | known)

    def post_blob(self, sent, who):
        if problem := self.unwritten(who):
            return problem
        asked = json.loads(sent.body)
        assert asked["encoding"] == "utf-8"
        sha = self.add_blob(asked["content"].encode())
        return Reply(201, {"sha": sha, "url": f"{GIT}/blobs/{sha}"})

    def post_tree(self, sent, who):
        if problem := self.unwritten(who):
            return problem
        asked = json.loads(sent.body)
        base = asked.get("base_tree")
        if base and base not in self.trees:
            return refused(404, "Not Found")
        if sum(len(each.get("content", "")) for each in asked["tree"]) > MUCH:
            return refused(422, "Sorry, your input was too large to process.")
        files = {
            path: (mode, self.blobs[sha])
            for path, (mode, sha) in (self.below(base) if base else {}).items()
            if mode != FOLDER
        }
        for each in asked["tree"]:
            text = each.get("content")
            content = self.blobs[each["sha"]] if text is None else text.encode()
            files[each["path"]] = (each["mode"], content)
        return self.get_tree(sent, who, self.add_tree(files))._replace(status=201)

    def post_commit(self, sent, who):
        if problem := self.unwritten(who):
            return problem
        asked = json.loads(sent.body)
        if asked["tree"] not in self.trees:
            return refused(422, "Tree SHA does not exist")
        sha = hashed(f"{sent.body}{len(self.commits)}".encode())
        self.commits[sha] = {**asked, "parents": tuple(asked["parents"])}
        return Reply(201, self.shown_commit(sha))

    def post_ref(self, sent, who):
        if problem := self.unwritten(who):
            return problem
        asked = json.loads(sent.body)
        branch = asked["ref"].removeprefix("refs/heads/")
        if branch in self.branches:
            return refused(422, "Reference already exists")
        self.branches[branch] = asked["sha"]
        return Reply(201, self.shown_ref(branch))

    def patch_ref(self, sent, who, branch):
        if problem := self.unwritten(who):
            return problem
        asked = json.loads(sent.body)
        if branch not in self.branches:
            return refused(422, "Reference does not exist")
        if self.branches[branch] not in self.commits[asked["sha"]]["parents"]:
            return refused(422, "Update is not a fast forward")
        self.branches[branch] = asked["sha"]
        return Reply(200, self.shown_ref(branch))

    def list_artifacts(self, sent, who):
        if not who.may_read:
            return refused(403, INTEGRATION)
        name = sent.query.get("name")
        found = [each for each in self.artifacts.values() if each["name"] == name]
        found.sort(key=lambda each: -each["id"])
        size, page = (int(sent.query[key]) for key in ("per_page", "page"))
        shown = found[(page - 1) * size : page * size]
        return Reply(200, {"total_count": len(found), "artifacts": shown})

    def get_artifact(self, sent, who, identity):
        if not who.may_read:
            return refused(403, INTEGRATION)
        found = self.artifacts.get(int(identity))
        if found is None:
            return refused(404, "Not Found")
        if found["expired"]:
            return refused(410, "Artifact has expired")
        # Another host, by its name, where the token must not go.
        port = sent.headers["Host"].rpartition(":")[2]
        return Reply(
            302, None, {"Location": f"http://localhost:{port}/blobs/{identity}"}
        )

    def get_run(self, _sent, who, identity):
        if not who.may_read:
            return refused(403, INTEGRATION)
        found = self.runs.get(int(identity))
        if found is None:
            return refused(404, "Not Found")
        told = {"id": int(identity), "conclusion": "success", "event": "push", **found}
        return Reply(200, example("workflow-run") | told)

    def give(self, path, headers):
        """Give status and content of an archive to whoever knows its address.

        None where the address is of the API.
        """
        identity = path.removeprefix("/blobs/")
        if identity == path:
            return None
        self.fetched.append({name.lower() for name in headers})
        content = self.archives.get(int(identity))
        return (404, b"") if content is None else (200, content)

    def unwritten(self, who):
        return None if who.may_push else refused(403, INTEGRATION)

    def unread(self, who, is_there):
        if not who.may_see:
            return refused(404, "Not Found")
        if not who.may_read:
            return refused(403, INTEGRATION)
        return None if is_there else refused(404, "Not Found")


ROUTES = {
    "GET /repos/org/bot/actions/artifacts": Store.list_artifacts,
    "GET /repos/org/bot/actions/artifacts/([0-9]+)/zip": Store.get_artifact,
    "GET /repos/org/bot/actions/runs/([0-9]+)": Store.get_run,
    "GET /repos/org/bot": Store.get_repository,
    "GET /repos/org/bot/git/ref/heads/(.+)": Store.get_ref,
    "POST /repos/org/bot/git/refs": Store.post_ref,
    "PATCH /repos/org/bot/git/refs/heads/(.+)": Store.patch_ref,
    "POST /repos/org/bot/git/blobs": Store.post_blob,
    "POST /repos/org/bot/git/trees": Store.post_tree,
    "POST /repos/org/bot/git/commits": Store.post_commit,
    "GET /repos/org/bot/git/commits/([0-9a-f]+)": Store.get_commit,
    "GET /repos/org/bot/git/trees/([0-9a-f]+)": Store.get_tree,
    "GET /repos/org/bot/git/blobs/([0-9a-f]+)": Store.get_blob,
}


def zipped(files):
    """Give a ZIP file of texts by their paths."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as packed:
        for path, text in files.items():
            packed.writestr(path, text)
    return buffer.getvalue()


def normal(item):
    path, content = item
    if isinstance(content, tuple):
        return item
    return path, (FILE, content.encode() if isinstance(content, str) else content)


def hashed(content):
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
