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

from ir_datasets_ext.redaction import HIDDEN, SECRET_NAME, redact

PARTS = ("extra_headers", "extra_query")  #: the parts of a request that may hold secrets
VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]*)")

Options = Mapping[str, Any]


class Filled(NamedTuple):
    """A request that can be sent.

    request: with the environment's values for variables.
    secrets: these values, which no message may show.
    """

    request: dict[str, Any]
    secrets: list[str]


def hide_headers(options: Options) -> dict[str, Any]:
    """Return options or a request with `***` for the secrets in headers and parameters."""
    hidden = dict(options)
    for part in PARTS:
        if isinstance(hidden.get(part), Mapping):
            values = hidden[part].items()
            hidden[part] = {name: _hide(str(name), value) for name, value in values}
    return hidden


def _hide(name: str, value: object) -> object:
    """Return the value of a header; `***` if it is a secret, and not a variable's name."""
    if not isinstance(value, str) or VARIABLE.search(value):
        return value
    is_secret = re.search(SECRET_NAME, name, re.I) or redact(value) != value
    return HIDDEN if is_secret else value


def fill_headers(request: Options, client: object) -> Filled:
    """Replace variables in headers and parameters by their values.

    Raises:
        PermissionError: a variable is not set, or a secret was hidden when `client` was pickled.
    """
    filled = dict(request)
    secrets: list[str] = []
    for part in PARTS:
        if not isinstance(filled.get(part), Mapping):
            continue
        values = {}
        for name, value in filled[part].items():
            if value == HIDDEN:
                raise PermissionError(
                    f"{client!r} was pickled or copied without the secret {name!r} of {part}. Put "
                    "it into the environment, and name its variable: "
                    f'{{"{part}": {{"{name}": "$GATEWAY_KEY"}}}}.'
                )
            names = VARIABLE.findall(value) if isinstance(value, str) else []
            secrets += [_read_variable(variable, part, name) for variable in names]
            values[name] = (
                VARIABLE.sub(lambda match: os.environ[match[1]], value) if names else value
            )
        filled[part] = values
    return Filled(filled, secrets)


def _read_variable(variable: str, part: str, name: str) -> str:
    if variable not in os.environ:
        raise PermissionError(
            f"The environment has no {variable}, which {name!r} of {part} names: put the secret "
            "there."
        )
    return os.environ[variable]
