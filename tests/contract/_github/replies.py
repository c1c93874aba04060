"""What the fake answers with."""

from typing import NamedTuple

INTEGRATION = "Resource not accessible by integration"


class Reply(NamedTuple):
    status: int
    data: object = None
    headers: dict | None = None


def refused(status, message, **headers):
    return Reply(
        status,
        {
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
        },
        {name.replace("_", "-"): value for name, value in headers.items()},
    )
