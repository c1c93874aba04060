"""Makes requests as ``requests`` sends them, from rendered templates."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.utils import get_auth_from_url

from runner.errors import InputError, Place
from runner.hosts import Host, refusal
from runner.http_client._failures import shown


def prepared(
    method: str, url: str, headers: Mapping[str, str], body: Any = None
) -> requests.PreparedRequest:
    """Make a request, without the checks of ``requests`` that the spec has passed."""
    request = requests.PreparedRequest()
    request.method = method
    request.url = url
    lines: Any = dict(headers)
    request.headers = lines
    request.body = body
    if body is not None or method not in ("GET", "HEAD"):
        lines["Content-Length"] = str(len(body or b""))
    return request


@lru_cache(maxsize=64)
def parsed_url(
    url: str, where: Place, allowed: tuple[Host, ...]
) -> tuple[str, str | None]:
    """Give a URL that ``requests`` accepts, and its credentials as a header.

    Raises:
        InputError: It is no URL, or of a host that may not be asked.
    """
    request = requests.PreparedRequest()
    try:
        request.prepare_url(url.partition("#")[0], None)
        user, password = get_auth_from_url(url)
        parts = urlsplit(str(request.url))
    except (ValueError, OSError) as error:
        why = "" if "@" in url else f": {error}"  # which repeats the credentials
        raise InputError(f"{shown(url)} is no URL{why}", where=where) from error
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    if why := refusal(plain, allowed):
        raise refused(why, where)
    if not user and not password:
        return plain, None
    return plain, f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def followed(
    request: requests.PreparedRequest, target: str, status: int
) -> requests.PreparedRequest:
    """Give the redirected request: the same one, but 303 asks for a GET.

    Browsers turn a POST into a GET at 301 and 302 too; an API that moved its path wants
    the body there.
    """
    if status != HTTPStatus.SEE_OTHER:
        return prepared(str(request.method), target, request.headers, request.body)
    kept = {
        name: value
        for name, value in request.headers.items()
        if not name.lower().startswith("content-")
    }
    return prepared("GET", target, kept)


def refused(why: str, where: Place) -> InputError:
    """Explain that a host may not be asked."""
    limited = why.endswith("allowed hosts")
    hint = "add it to the input allowed-hosts if it is right" if limited else ""
    return InputError(why, where=where, hint=hint)
