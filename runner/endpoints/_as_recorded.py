"""The mapping of a record: one shape, whatever the service's own replies are like."""

from __future__ import annotations

from typing import Any

from runner.spec import CitationMap, ResponseMap


def as_recorded(spec: ResponseMap) -> ResponseMap:
    """Give the mapping of a record: one shape, and what the spec does to an answer.

    Positions in a list other than the contexts cannot be looked up any more: there the
    recorded ids hold, and the marks are cut out like other stripped text.
    """
    keys = ("answer", "contexts", "citations", "refused", "usage")
    given: dict[str, Any] = {key: None for key in keys if getattr(spec, key) is None}
    cited, strip = spec.citations, spec.strip
    if isinstance(cited, CitationMap) and cited.pattern is not None:
        if cited.of is None:
            given["citations"] = cited
        else:
            strip = (*strip, rf"[ \t]*(?:{cited.pattern})")
    return ResponseMap(**given, scope=spec.scope, strip=strip)
