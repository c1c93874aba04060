"""What several files hold, asked of GraphQL at once, which gives texts alone.

What it leaves out, cuts or changes does not have the name that git gave the file, and
is not taken: REST has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from runner.github._calls import Call
from runner.github._replies import text

LARGEST = 500_000
"""Bytes of a file that GraphQL gives whole; larger ones are cut."""

MOST = 25
"""Files of one call."""


def asked(url: str, repository: str, names: Collection[str]) -> Call:
    """Make the call for the files with some hashes.

    >>> asked("https://api/graphql", "org/bot", ["ab"]).data["query"][35:]
    '{repository(owner:$owner,name:$name){b0:object(oid:"ab"){...on Blob{text}}}}'
    """
    owner, _, name = repository.partition("/")
    each = (
        f'b{number}:object(oid:"{sha}"){{...on Blob{{text}}}}'
        for number, sha in enumerate(names)
    )
    query = (
        "query($owner:String!,$name:String!)"
        f"{{repository(owner:$owner,name:$name){{{' '.join(each)}}}}}"
    )
    data = {"query": query, "variables": {"owner": owner, "name": name}}
    return Call("POST", url, data, repeatable=False, is_read=True)


def read(answer: Any, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Give each hash with the content that came for it, which is not checked yet."""
    for number, sha in enumerate(names):
        found = text(answer, "data", "repository", f"b{number}", "text")
        yield sha, found.encode("utf-8", "surrogatepass")


def worthwhile(sizes: Mapping[str, int]) -> list[str]:
    """Give the files to ask for in one call: none, or two at least."""
    names = [sha for sha, size in sizes.items() if 0 < size <= LARGEST][:MOST]
    return names if len(names) > 1 else []
