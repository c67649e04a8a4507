"""Secrets in the headers of a request: hidden where it is stored, filled in where it is sent.

A gateway may want its key in a header of its own. Such a header names a variable of the
environment, which is read for each request::

    OpenAIChat("model", options={"extra_headers": {"api-key": "$GATEWAY_KEY"}})

A secret itself may stand there, too. It is then in no pickle, recording or hash.
"""

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..redaction import HIDDEN, SECRET_NAME, redact

SECRET_PARTS = ("extra_headers", "extra_query")  #: the parts of a request that may hold secrets
VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]*)")

Options = Mapping[str, Any]


class FilledRequest(NamedTuple):
    """A request that can be sent.

    request: with the environment's values for variables.
    secrets: these values, which no message may show.
    """

    request: dict[str, Any]
    secrets: list[str]


def hide_headers(options: Options) -> dict[str, Any]:
    """Return options or a request with `***` for the secrets in headers and parameters."""
    hidden = dict(options)
    for part in SECRET_PARTS:
        headers = hidden.get(part)
        if isinstance(headers, Mapping):
            hidden[part] = {name: _hide_value(str(name), value) for name, value in headers.items()}
    return hidden


def fill_headers(request: Options, client: object) -> FilledRequest:
    """Return a request with the values of the variables in its headers and parameters.

    Args:
        request: with the names of variables, such as "$GATEWAY_KEY".
        client: whose request it is, for the error.

    Raises:
        PermissionError: a variable is not set, or a secret was hidden when `client` was pickled.
    """
    filled_request = dict(request)
    secrets: list[str] = []
    for part in SECRET_PARTS:
        headers = filled_request.get(part)
        if not isinstance(headers, Mapping):
            continue

        filled_headers = {}
        for name, value in headers.items():
            if value == HIDDEN:
                raise PermissionError(
                    f"{client!r} was pickled or copied without the secret {name!r} of {part}. Put "
                    "it into the environment, and name its variable: "
                    f'{{"{part}": {{"{name}": "$GATEWAY_KEY"}}}}.'
                )
            if not isinstance(value, str):
                filled_headers[name] = value
                continue
            secrets += _read_variables(value, part, name)
            filled_headers[name] = VARIABLE.sub(_value_of_variable, value)
        filled_request[part] = filled_headers
    return FilledRequest(filled_request, secrets)


def _hide_value(name: str, value: object) -> object:
    """Return the value of a header; `***` if it is a secret, and not a variable's name."""
    if not isinstance(value, str) or VARIABLE.search(value):
        return value

    has_secret_name = re.search(SECRET_NAME, name, re.I) is not None
    looks_secret = redact(value) != value
    return HIDDEN if has_secret_name or looks_secret else value


def _read_variables(text: str, part: str, name: str) -> list[str]:
    """Return the values of the variables that a header's text names; PermissionError if unset."""
    values = []
    for variable in VARIABLE.findall(text):
        if variable not in os.environ:
            raise PermissionError(
                f"The environment has no {variable}, which {name!r} of {part} names: put the "
                "secret there."
            )
        values.append(os.environ[variable])
    return values


def _value_of_variable(match: re.Match[str]) -> str:
    """Return the environment's value for a variable that VARIABLE found."""
    return os.environ[match[1]]
