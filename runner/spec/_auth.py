"""How requests authenticate where a fixed header is not enough."""

from __future__ import annotations

import shlex
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from runner.spec._amounts import Given
from runner.spec._part import OneOf, Part


def _words(value: object) -> object:
    """Split a command as a shell would; a list of words is one already."""
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from error


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


class Bearer(OneOf):
    """A token in the header ``Authorization``, renewed where the server refuses it."""

    choices = ("command", "file")

    command: Words = Field(
        (),
        description="A program, without a shell, that prints the token alone; on the "
        "command line only. It runs in the folder of the spec.",
    )
    file: Given = Field(
        None, description="A file in the workspace that holds the token alone."
    )


class AuthSpec(OneOf):
    """One way to prove who asks."""

    choices = ("aws_sigv4", "bearer")

    aws_sigv4: AwsSigV4 | None = Field(
        None, description="Signs every request for AWS, version 4."
    )
    bearer: Bearer | None = Field(
        None,
        description="A token from a command or file, read anew once the server answers "
        "401.",
    )

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is secret in it, wherever it was written."""
        if not self.aws_sigv4:
            return ()
        keys = self.aws_sigv4.secret_access_key, self.aws_sigv4.session_token
        return tuple(filter(None, keys))
