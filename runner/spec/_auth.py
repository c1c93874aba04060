"""How requests authenticate where a fixed header is not enough."""

from __future__ import annotations

import shlex
from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.config import JsonDict

from runner.spec._amounts import Given
from runner.spec._part import Part


def _words(value: object) -> object:
    """Split a command as a shell would; a list of words is one already."""
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from error


def _one_of(*keys: str) -> ConfigDict:
    choices: JsonDict = {"oneOf": [{"required": [key]} for key in keys]}
    return ConfigDict(json_schema_extra=choices)


Words = Annotated[
    tuple[str, ...],
    BeforeValidator(_words),
    Field(min_length=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]
        }
    ),
]


class AwsSigV4(Part):
    """The signature that AWS wants, version 4, of every request."""

    region: str = Field(min_length=1, description="Such as `us-east-1`.")
    service: str = Field(
        min_length=1, description="What AWS signs as: `bedrock`, `aoss`, `es`."
    )
    access_key_id: str = Field(min_length=1, description="`${AWS_ACCESS_KEY_ID}`.")
    secret_access_key: str = Field(
        min_length=1, description="`${AWS_SECRET_ACCESS_KEY}`."
    )
    session_token: str | None = Field(
        None,
        description="`${AWS_SESSION_TOKEN:-}`, of temporary keys; empty is none.",
    )


class Bearer(Part):
    """A token in the header ``Authorization``, renewed where the server refuses it."""

    model_config = _one_of("command", "file")

    command: Words = Field(
        (),
        description="A program, without a shell, that prints the token alone; on the "
        "command line only. It runs in the folder of the spec.",
    )
    file: Given = Field(
        None, description="A file in the workspace that holds the token alone."
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.command) == (self.file is not None):
            raise ValueError("needs either command or file")
        return self


class AuthSpec(Part):
    """One way to prove who asks."""

    model_config = _one_of("aws_sigv4", "bearer")

    aws_sigv4: AwsSigV4 | None = Field(
        None, description="Signs every request for AWS, version 4."
    )
    bearer: Bearer | None = Field(
        None,
        description="A token from a command or file, read anew once the server answers "
        "401.",
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.aws_sigv4 is None) == (self.bearer is None):
            raise ValueError("needs either aws_sigv4 or bearer")
        return self

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is secret in it, wherever it was written."""
        keys = self.aws_sigv4
        return (
            tuple(filter(None, (keys.secret_access_key, keys.session_token)))
            if keys
            else ()
        )
