"""Turn any client's answers and errors into replies, refusals and built-in exceptions.

Errors are recognised by status, code and class names, which the openai SDK, litellm, httpx and
requests share. So none of these need be installed.
"""

import re
from datetime import datetime, timezone
from typing import Any

from .replies import CONTEXT, FILTER, Reply

SHOWN = 300  # characters of an endpoint's message in an error
#: status -> class of the error, and the remedy
REMEDIES: dict[int, tuple[type[Exception], str]] = {
    401: (PermissionError, "Is the key right?"),
    403: (PermissionError, "May this key use the model here?"),
    404: (OSError, "Check the model's name, and base_url: most end in /v1"),
}
PASSING = (408, 409, 429)
LATE = {"APITimeoutError", "TimeoutException", "Timeout"}
SILENT = {"APIConnectionError", "TransportError", "ConnectionError", "APIResponseValidationError"}
BROKE = {"insufficient_quota", "billing_hard_limit_reached"}
#: why a request is refused for good -> how endpoints say so
REFUSALS = {
    CONTEXT: re.compile(
        r"context[_ ](length|window|size)|too long|too many (input )?tokens"
        r"|reduce (the|your) length",
        re.I,
    ),
    FILTER: re.compile(r"content[_ ](filter|policy|management)|was filtered", re.I),
}
ERROR_TEXTS = {"reduce_length": CONTEXT, "response_filtered": FILTER}


def now() -> str:
    """Return the date and time, ISO 8601, UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def refusal(kind: str, model: str = "") -> Reply:
    """Return a reply that says why it has no content."""
    return Reply(None, model=model, refusal=kind, date=now())


def reply_of(answer: object) -> Reply:
    """Read a client's answer: a text, None, a backend's output, or OpenAI's completion."""
    if answer is None or isinstance(answer, str):
        return Reply(answer, date=now())
    if hasattr(answer, "text") and not hasattr(answer, "choices"):
        return Reply(answer.text, date=now())
    return completion_reply(answer)


def completion_reply(answer: Any) -> Reply:
    """Read an OpenAI completion, an object or a dict.

    Raises ConnectionError if it is something else, for example a proxy's answer.
    """
    whole = answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer
    try:
        choice = whole["choices"][0]
        content = choice["message"]["content"]
        if not (content is None or isinstance(content, str)):
            raise TypeError
    except (KeyError, IndexError, TypeError):
        raise ConnectionError(
            f"The answer is no chat completion: {answer!r:.{SHOWN}}. Expected a text, None, or "
            "OpenAI's completion. Check the address, or what the client returns."
        ) from None
    reason, usage = _text(choice.get("finish_reason")), whole.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(
        content,
        finish_reason=reason,
        model=_text(whole.get("model")),
        fingerprint=_text(whole.get("system_fingerprint")),
        usage={name: count for name, count in usage.items() if isinstance(count, int)},
        date=now(),
        refusal=FILTER if content is None and reason == FILTER else "",
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def checked_text(reply: Reply, pattern: str) -> Reply:
    """Return `reply`, or if its text is an error's, a refusal; else raise ConnectionError."""
    match = re.match(pattern, reply.content or "")
    if match is None:
        return reply
    kind = match.group(1) if match.re.groups else ""
    if kind not in ERROR_TEXTS:
        raise ConnectionError(f"The client returned the text of an error: {reply.content:.{SHOWN}}")
    return refusal(ERROR_TEXTS[kind], reply.model)


def refused(error: Exception) -> str:
    """Return CONTEXT or FILTER if `error` refuses the request for good; else ""."""
    if getattr(error, "status_code", None) not in (400, 413, 422):
        return ""
    said = f"{getattr(error, 'code', None) or ''} {error}"
    return next((kind for kind, pattern in REFUSALS.items() if pattern.search(said)), "")


def translated(error: Exception, where: str, message: str) -> Exception | None:
    """Return the built-in exception for a client's `error`, or None if it is not a client's.

    ConnectionError and TimeoutError are temporary; PermissionError, other OSError and ValueError
    are not.

    where: the endpoint, at the beginning of the message. message: the error's, without secrets.
    """
    status = getattr(error, "status_code", None)
    names = {cls.__name__ for cls in type(error).__mro__}
    if isinstance(status, int):
        kind, remedy = REMEDIES.get(status, (ValueError, "The endpoint refuses this request"))
        if getattr(error, "code", None) in BROKE:
            kind, remedy = PermissionError, "The quota is used up"
        elif status in PASSING or status >= 500:
            kind, remedy = ConnectionError, "Wait and run again"
        return kind(f"{where} answered {status}: {message}. {remedy}.")
    if names & LATE or isinstance(error, TimeoutError):
        return TimeoutError(f"{where} did not answer in time: {message}. Raise timeout?")
    if names & SILENT:
        return ConnectionError(f"{where} did not answer: {message}. Is the server running?")
    return None
