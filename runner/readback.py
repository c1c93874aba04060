"""Reads back the JSON files that an earlier run wrote, each a single record.

A file states the version of its format, which is looked at before anything else, so
that a file of another version is called that and not damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from runner.errors import InputError, Place, dotted
from runner.text.shorten import cut

_SHOWN = 200  # characters of what is wrong: a number may have thousands

Written = TypeVar("Written", bound=BaseModel)
Record = TypeVar("Record")


def read_back(
    text: str | bytes, record: type[Written], place: Place, *, what: str, hint: str
) -> Written:
    """Give the record in the text of a JSON file.

    Args:
        text: All of the file.
        record: Its model; the default of its ``format_version`` is the version read.
        place: The file, for errors.
        what: What the file should be, such as ``calibration of a judge``.
        hint: The remedy, which every error carries.

    Raises:
        InputError: The text is not JSON, states no version or another one, or a value
            does not fit the model; names the key.
    """
    try:
        data = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InputError(f"is no JSON: {error}", where=place, hint=hint) from None
    found = data.get("format_version") if isinstance(data, dict) else None
    known = record.model_fields["format_version"].default
    if found is None:
        wrong = f"is no {what}: format_version is missing"
        raise InputError(wrong, where=place, hint=hint)
    if found != known or isinstance(found, bool):
        wrong = f"has format_version {found!r:.40}; this version reads {known}"
        raise InputError(wrong, where=place, hint=hint)
    return checked(data, record.model_validate, place, hint=hint)


def checked(
    data: Any, validate: Callable[[Any], Record], place: Place, *, hint: str
) -> Record:
    """Give the record that parsed JSON holds.

    Args:
        data: What was parsed.
        validate: Makes it the record; raises pydantic's error.
        place: Where it stands, for errors.
        hint: The remedy.

    Raises:
        InputError: The first value that does not fit the record, with its key path.
    """
    try:
        return validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        wrong = cut(first["msg"].removeprefix("Value error, "), _SHOWN)
        where = place._replace(path=dotted(first["loc"]))
        raise InputError(wrong, where=where, hint=hint) from None
