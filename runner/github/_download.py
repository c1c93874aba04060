"""A file from an address that GitHub gave out, and that is not GitHub's own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from runner.github._calls import pieces, why
from runner.github._refusals import Reason, Refused

_TIMEOUT = (10.0, 30.0)  # seconds to connect, and for the next bytes
_WHOLE = 300.0  # seconds for all of it
_GOOD = 200


def download(
    url: str, to: Path, limit: int, clock: Callable[[], float] = time.monotonic
) -> str:
    """Download a URL to a file; give its SHA-256.

    Args:
        url: The address, which by itself lets the file be read. Nothing else goes
            there: no token, and nothing of a ``.netrc``.
        to: The file.
        limit: Bytes that it may have.
        clock: Seconds that only grow.

    Raises:
        Refused: It cannot be had, or it is larger.
    """
    import requests

    made = hashlib.sha256()
    try:
        with (
            to.open("wb") as file,
            requests.get(
                url,
                auth=lambda request: request,
                timeout=_TIMEOUT,
                stream=True,
                allow_redirects=False,
            ) as response,
        ):
            if response.status_code != _GOOD:
                status = response.status_code
                raise Refused(Reason(f"the archive is not given ({status})"))
            for piece in pieces(response, clock, _WHOLE):
                made.update(piece)
                file.write(piece)
                if file.tell() > limit:
                    raise too_large(limit)
    except (OSError, ValueError) as error:
        reason = Reason(f"the archive cannot be fetched: {why(error)}")
        raise Refused(reason) from None
    return made.hexdigest()


def too_large(limit: int) -> Refused:
    """Make the error for an archive of more than ``limit`` bytes."""
    return Refused(Reason(f"the archive has more than {limit // 2**20} MiB"))
