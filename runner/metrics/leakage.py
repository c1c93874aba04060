from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._walls import Walls, leaks, watched
from runner.model import Absent, Passage, Unscored


@metric(layer="isolation", better="lower")
def leakage(
    passages: tuple[Passage, ...] | None,
    sent: str | None,
    citations: tuple[str, ...] | None,
    walls: Walls,
) -> float | Unscored:
    """1 where something that the asker may not see shows in the reply, else 0.

    Looked at are the contexts and the citations for forbidden ids (a pattern meets
    passage ids and documents, in their own case), the contexts for passages of another
    tenant, and all of it for canaries that the question does not contain (in any case
    or width, with invisible characters and the marks of Markdown and HTML ignored): in
    contexts, citations and the answer as it was sent, with what ``strip`` cuts out of
    it and the answers before it in a conversation. Passages without tenant and those of
    ``endpoint.shared_tenants`` are no leak.

    What ``endpoint.response`` does not map, such as a key with the prompt, is not
    looked at. A case without tenant, forbidden ids and canaries is unscored, and so is
    a reply that does not show where a leak could be seen: ids for forbidden ones, a
    text for canaries, both where the case names both, else a tenant. Unseen is not
    healthy.

    >>> mine = Walls(tenant="a", forbidden_doc_ids=("doc-tenant-b*",))
    >>> leakage((Passage("doc-tenant-b-1#2"),), "Ten days.", None, mine)
    1.0
    """
    if leaks(passages, sent, citations, walls):
        return 1.0
    if watched(passages, sent, citations, walls):
        return 0.0
    return Absent("the reply does not show where a leak could be seen")
