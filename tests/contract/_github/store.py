"""What a repository of the fake holds: commits with their files, and branches.

Blobs go by the names that git gives them, so that what is equal has one name here and
in a work tree.
"""

import base64
import hashlib
import json
import textwrap

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

    def unwritten(self, who):
        return None if who.may_push else refused(403, INTEGRATION)

    def unread(self, who, is_there):
        if not who.may_see:
            return refused(404, "Not Found")
        if not who.may_read:
            return refused(403, INTEGRATION)
        return None if is_there else refused(404, "Not Found")


ROUTES = {
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


def normal(item):
    path, content = item
    if isinstance(content, tuple):
        return item
    return path, (FILE, content.encode() if isinstance(content, str) else content)


def hashed(content):
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
