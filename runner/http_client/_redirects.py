"""The target of a redirect, and whether it is still the same service."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from runner.hosts import port_of
from runner.http_client._body import Reply

_SECURED = (80, 443)
"""The usual ports, of http and of https."""

_REDIRECTING = (301, 302, 303, 307, 308)


def redirected(reply: Reply, url: str) -> str | None:
    """Give the URL that a reply of ``url`` redirects to; None where it is no redirect.

    What is no URL is given as it was sent.
    """
    location = reply.headers.get("Location")
    if reply.status not in _REDIRECTING or not location:
        return None
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def same_service(url: str, target: str) -> bool:
    """Whether a redirect stays with the same service, which may see credentials.

    The step from http to https on the usual ports is the same service.
    """
    try:
        old, new = urlsplit(url), urlsplit(target)
        ports = (port_of(old), port_of(new))
    except ValueError:
        return False
    if (old.scheme, old.netloc) == (new.scheme, new.netloc):
        return True
    secured = (old.scheme, new.scheme) == ("http", "https")
    return secured and old.hostname == new.hostname and ports == _SECURED
