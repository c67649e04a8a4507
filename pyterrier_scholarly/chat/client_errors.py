"""Translate chat clients' errors into refusals and Python's own exceptions.

Errors are recognised by status, code and class names, which the openai SDK, litellm, httpx and
requests share. So none of these need be installed.

    try:
        answer = sdk.chat.completions.create(**request)
    except Exception as error:
        refusal = find_refusal(error)  # "" unless the endpoint refuses this request for good
        failure = translate_error(error, "https://host/v1", shorten_message(error, key))
"""

import re
from typing import NamedTuple

from ..redaction import redact
from .reply import FILTERED, TOO_LONG

LONGEST_SHOWN_MESSAGE = 300  # characters of an endpoint's message in an error


class StatusMeaning(NamedTuple):
    """What a status of an endpoint means: the class of our error, and the remedy it names."""

    error_class: type[Exception]
    remedy: str


MEANING_OF_STATUS = {
    401: StatusMeaning(PermissionError, "Is the key right?"),
    403: StatusMeaning(PermissionError, "May this key use the model here?"),
    404: StatusMeaning(OSError, "Check the model's name, and base_url: most end in /v1"),
}
QUOTA_USED_UP = StatusMeaning(PermissionError, "The quota is used up")
TEMPORARY = StatusMeaning(ConnectionError, "Wait and run again")
INVALID_REQUEST = StatusMeaning(ValueError, "The endpoint refuses this request")

QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached"}
TEMPORARY_STATUSES = (408, 409, 429)  # besides all from 500 on
REFUSING_STATUSES = (400, 413, 422)

#: names of the libraries' classes of errors
TIMEOUT_CLASSES = {"APITimeoutError", "TimeoutException", "Timeout"}
CONNECTION_CLASSES = {
    "APIConnectionError",
    "TransportError",
    "ConnectionError",
    "APIResponseValidationError",
}

#: why a request is refused for good -> how endpoints say so
REFUSAL_PATTERNS = {
    TOO_LONG: re.compile(
        r"context[_ ](length|window|size)|too long|too many (input )?tokens"
        r"|reduce (the|your) length",
        re.I,
    ),
    FILTERED: re.compile(r"content[_ ](filter|policy|management)|was filtered", re.I),
}


def find_refusal(error: Exception) -> str:
    """Return TOO_LONG or FILTERED if `error` refuses the request for good; else ""."""
    status = getattr(error, "status_code", None)
    if status not in REFUSING_STATUSES:
        return ""

    code = getattr(error, "code", None) or ""
    message = f"{code} {error}"
    for refusal, pattern in REFUSAL_PATTERNS.items():
        if pattern.search(message):
            return refusal
    return ""


def shorten_message(error: Exception, *secrets: str) -> str:
    """Return an error's message, without secrets, short, and without a full stop at its end."""
    return redact(error, *secrets)[:LONGEST_SHOWN_MESSAGE].rstrip(". ")


def translate_error(
    error: Exception, endpoint: str, message: str, key_variable: str = ""
) -> Exception | None:
    """Return the built-in exception for a client's `error`, or None if it is not a client's.

    ConnectionError and TimeoutError are temporary; PermissionError, other OSError and ValueError
    are not.

    endpoint: named at the beginning of the message. message: the error's, see `shorten_message`.
    key_variable: of the environment, from which the key was read; named where a key is refused.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        meaning = _find_meaning(status, getattr(error, "code", None))
        description = f"{endpoint} answered {status}: {message}. {meaning.remedy}."
        if key_variable and meaning.error_class is PermissionError:
            description += f" It was read from {key_variable}."
        return meaning.error_class(description)

    class_names = {cls.__name__ for cls in type(error).__mro__}
    if isinstance(error, TimeoutError) or class_names & TIMEOUT_CLASSES:
        return TimeoutError(f"{endpoint} did not answer in time: {message}. Raise timeout?")
    if class_names & CONNECTION_CLASSES:
        return ConnectionError(f"{endpoint} did not answer: {message}. Is the server running?")
    return None


def _find_meaning(status: int, code: str | None) -> StatusMeaning:
    """Return what a status means, with the endpoint's own code for the error, if it has one."""
    if code in QUOTA_CODES:  # also with 429, which would be temporary
        return QUOTA_USED_UP
    if status in TEMPORARY_STATUSES or status >= 500:
        return TEMPORARY
    return MEANING_OF_STATUS.get(status, INVALID_REQUEST)
