"""What a repository holds at a commit and on a branch, through GitHub's API.

A whole listing is one call, and names each file by the hash of what it holds: only what
differs from a file at hand has to be fetched.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from runner.github import _blobs
from runner.github._calls import Call, Caller, Reply
from runner.github._refusals import Reason, Refused, Remedy, refusal
from runner.github._replies import found, odd
from runner.github._trees import FILES, FOLDER, Entry, Tree, read_tree
from runner.settings import Run

__all__ = ["LARGEST", "Contents", "Entry", "connect", "hash_of"]

LARGEST = 40 * 2**20
"""The most bytes of a file that is fetched; GitHub allows 100 MB."""

_READ = Remedy(
    "add to the job `permissions: {contents: read}`", "the token may not read"
)
_WRITE = Remedy(
    "add to the job that runs on the default branch `permissions: {contents: write}`"
)
_INLINE = 2**20  # characters, above which each file is handed in by itself
_PATIENCE = 60.0
_FOUND, _CONFLICT = 302, (409, 422)
_SHA1 = 40  # hexadecimal digits; else it is SHA-256


class Contents:
    """The files of one repository.

    Args:
        api: Root of the REST API.
        graphql: The GraphQL API.
        repository: ``owner/name``.
        caller: Makes the calls.
    """

    def __init__(self, api: str, graphql: str, repository: str, caller: Caller) -> None:
        self._root = f"{api}/repos/{repository}"
        self._graphql = graphql
        self._repository = repository
        self._caller = caller
        self._trees: dict[str, Tree] = {}
        self._blobs: dict[str, bytes] = {}

    def close(self) -> None:
        """Drop the connections."""
        self._caller.close()

    @property
    def scheme(self) -> str:
        """The scheme of the API's URL: ``https``, but in tests."""
        return urlsplit(self._root).scheme

    def get(self, path: str, remedy: Remedy = _READ) -> Any:
        """GET a path below the repository's.

        Raises:
            Refused: GitHub does not give it.
        """
        return self._done(Call("GET", f"{self._root}/{path}"), remedy).data

    def redirect(self, path: str, remedy: Remedy) -> str:
        """Give the URL that a path of the repository redirects to.

        Raises:
            Refused: It leads nowhere.
        """
        reply = self._caller.do(Call("GET", f"{self._root}/{path}"))
        if reply.status != _FOUND:
            raise odd() if reply.is_good else refusal(reply, remedy)
        return reply.headers.get("Location", "")

    def parents(self, commit: str) -> list[str]:
        """Give the parents of a commit; of a merge its target comes first.

        Raises:
            Refused: GitHub does not tell.
        """
        data = self.get(f"git/commits/{commit}")
        return [found(str, each, "sha") for each in found(list, data, "parents")]

    def listing(self, commit: str, folder: str) -> Mapping[str, Entry]:
        """List the files below a folder, and perhaps more, by their paths from the top.

        Raises:
            Refused: GitHub does not tell, or the folder is too large for it.
        """
        whole = self._tree(commit, deep=True)
        if not whole.is_cut:
            return whole.entries
        tree = self._tree_of(commit, folder)
        if tree.is_cut:
            raise Refused(Reason("it has more files than GitHub lists"))
        return {f"{folder}/{path}": entry for path, entry in tree.entries.items()}

    def fetch(self, entries: Iterable[Entry]) -> None:
        """Fetch the content of several files in one call, where that is possible.

        What cannot be had so, ``blob`` gets by itself.
        """
        sizes = {each.sha: each.size for each in entries if each.sha not in self._blobs}
        if names := _blobs.worthwhile(sizes):
            call = _blobs.asked(self._graphql, self._repository, names)
            for sha, content in _blobs.read(self._caller.do(call).data, names):
                if hash_of(content, sha) == sha:
                    self._blobs[sha] = content

    def blob(self, entry: Entry) -> bytes:
        """Give the content of a file.

        Raises:
            Refused: GitHub does not give it, or it is larger than ``LARGEST``.
        """
        if entry.sha in self._blobs:
            return self._blobs[entry.sha]
        if entry.size > LARGEST:
            most = LARGEST // 2**20
            raise Refused(Reason(f"a file in it has more than {most} MiB"))
        data = self.get(f"git/blobs/{entry.sha}")
        if found(str, data, "encoding") != "base64":
            raise odd()
        try:
            content = b64decode(found(str, data, "content"))
        except ValueError:
            raise odd() from None
        if hash_of(content, entry.sha) != entry.sha:
            raise odd()
        return content

    def default_branch(self) -> str:
        """Give the name of the branch that pull requests go into.

        Raises:
            Refused: The token does not see the repository.
        """
        reply = self._done(Call("GET", self._root), _READ)
        return found(str, reply.data, "default_branch")

    def tip(self, branch: str) -> str | None:
        """Give the commit that a branch is at; None where there is no such branch.

        Raises:
            Refused: GitHub does not tell.
        """
        try:
            data = self.get(f"git/ref/heads/{quote(branch)}")
        except Refused as refused:
            if not refused.reason.is_gone:
                raise
            self.default_branch()  # a token sees nothing of what it may not read
            return None
        return found(str, data, "object", "sha")

    def grow(
        self, branch: str, tip: str | None, files: Mapping[str, str], message: str
    ) -> bool:
        """Add a commit to a branch; without a tip it is the first one.

        Gives whether it was added: not, where the branch has moved on meanwhile.

        Args:
            branch: Its name.
            tip: The commit that it is at.
            files: Path to text, of what the commit changes.
            message: Of the commit.

        Raises:
            Refused: GitHub does not let it be done.
        """
        tree: dict[str, Any] = {"tree": self._entries(files)}
        if tip:
            above = self.get(f"git/commits/{tip}")
            tree["base_tree"] = found(str, above, "tree", "sha")
        made = self._post("git/trees", tree)
        parents = [tip] if tip else []
        commit = self._post(
            "git/commits", {"message": message, "tree": made, "parents": parents}
        )
        return self._move(branch, commit, is_new=tip is None)

    def _entries(self, files: Mapping[str, str]) -> list[dict[str, str]]:
        known = {"mode": FILES[0], "type": "blob"}
        if sum(map(len, files.values())) <= _INLINE:
            return [
                {"path": path, "content": text, **known} for path, text in files.items()
            ]
        entries = []
        for path, text in files.items():
            blob = {"content": text, "encoding": "utf-8"}
            entries.append(
                {"path": path, "sha": self._post("git/blobs", blob), **known}
            )
        return entries

    def _post(self, path: str, data: Mapping[str, Any]) -> str:
        """Create a git object; creating it twice does no harm."""
        reply = self._done(Call("POST", f"{self._root}/{path}", data), _WRITE)
        return found(str, reply.data, "sha")

    def _move(self, branch: str, commit: str, *, is_new: bool) -> bool:
        if is_new:
            data = {"ref": f"refs/heads/{branch}", "sha": commit}
            call = Call("POST", f"{self._root}/git/refs", data)
        else:
            url = f"{self._root}/git/refs/heads/{quote(branch)}"
            call = Call("PATCH", url, {"sha": commit, "force": False})
        reply = self._caller.do(call)
        if reply.status in _CONFLICT:
            # A call that nobody answered may have done it all the same.
            return self.tip(branch) == commit
        if not reply.is_good:
            raise refusal(reply, _WRITE)
        return True

    def _tree_of(self, commit: str, folder: str) -> Tree:
        """List a folder of a commit, by walking down from the root."""
        if not folder:
            return Tree({}, is_cut=True)
        at = commit
        for name in folder.split("/"):
            tree = self._tree(at, deep=False)
            entry = tree.entries.get(name)
            if entry is None or entry.mode != FOLDER:
                return Tree({}, tree.is_cut)
            at = entry.sha
        return self._tree(at, deep=True)

    def _tree(self, sha: str, *, deep: bool) -> Tree:
        path = f"git/trees/{sha}" + "?recursive=1" * deep
        if path not in self._trees:
            self._trees[path] = read_tree(self.get(path))
        return self._trees[path]

    def _done(self, call: Call, remedy: Remedy) -> Reply:
        reply = self._caller.do(call)
        if not reply.is_good:
            raise refusal(reply, remedy)
        return reply


def connect(run: Run, token: str, patience: float = _PATIENCE) -> Contents:
    """Make the client for the repository of a run; nothing is requested yet.

    Args:
        run: Names it.
        token: Of the API.
        patience: Seconds after which no call is made again.

    Raises:
        Refused: There is no token.
    """
    if not token:
        raise Refused(Reason("there is no token", "leave the input token out"))
    return Contents(
        run.api, run.graphql, run.repository, Caller(token, patience=patience)
    )


def hash_of(content: bytes, like: str, kind: str = "blob") -> str:
    """Give the hash by which git names an object.

    Args:
        content: Of the object.
        like: Another hash of the repository, of 40 (SHA-1) or 64 digits (SHA-256).
        kind: ``blob`` for a file, or ``commit``.
    """
    made = hashlib.new(
        "sha1" if len(like) == _SHA1 else "sha256", usedforsecurity=False
    )
    made.update(f"{kind} {len(content)}\0".encode())
    made.update(content)
    return made.hexdigest()
