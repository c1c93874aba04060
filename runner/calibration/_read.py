"""A ``calibration.json`` is read back."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from runner.calibration._record import FORMAT_VERSION, Calibration
from runner.errors import InputError, Place
from runner.text.lengths import cut

_SHOWN = 200  # characters of what is wrong: a number may have thousands
_AGAIN = "write it again with rag-eval calibrate"


def read(text: str | bytes, place: Place) -> Calibration:
    """Give the calibration in the text of a file.

    Raises:
        InputError: It is no JSON, of another format, or a figure is not what the
            format says or not what the counts beside it give.
    """
    try:
        data = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InputError(f"is no JSON: {error}", where=place, hint=_AGAIN) from None
    found = data.get("format_version") if isinstance(data, dict) else None
    if found != FORMAT_VERSION or isinstance(found, bool):
        raise InputError(_other_format(found), where=place, hint=_AGAIN)
    try:
        return Calibration.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(map(str, first["loc"]))
        what = cut(first["msg"].removeprefix("Value error, "), _SHOWN)
        where = place._replace(path=path)
        raise InputError(what, where=where, hint=_AGAIN) from None


def _other_format(found: Any) -> str:
    if found is None:
        return "is no calibration of a judge: format_version is missing"
    return f"has format_version {found!r:.40}; this version reads {FORMAT_VERSION}"
