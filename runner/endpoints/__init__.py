"""One file per way to reach the system under test; each makes one attempt at a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runner.endpoints._mapping import ReplyMap
from runner.model import Case
from runner.spec import EndpointSpec
from runner.templating import Locate, RequestTemplate


def check(
    spec: EndpointSpec,
    variables: Mapping[str, str],
    cases: Iterable[Case],
    place: Locate,
) -> None:
    """Compile the templates and expressions, and render the request of every case.

    Raises:
        InputError: One of them is wrong, or a template fails for a case.
    """
    ReplyMap(spec.response, place=place)
    template = RequestTemplate(spec, variables, place=place)
    for case in cases:
        template.render(case, "0" * 32)
