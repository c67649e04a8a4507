"""What an answer or an error of any client means: a reply, a refusal, or a built-in exception.

Errors are told by their status, code and class names, which the openai SDK, litellm, httpx and
requests have in common, so that none of these need be installed.
"""

import re
from datetime import datetime, timezone

from .protocol import CONTEXT, FILTER, Reply

SHOWN = 300  # characters of an endpoint's message that an error shows
TIRED = "Wait and run again"
REMEDIES = {
    401: (PermissionError, "Is the key right?"),
    403: (PermissionError, "May this key use the model here?"),
    404: (OSError, "Check the model's name, and base_url: most end in /v1"),
}
"""For a status: the class of the error, and the remedy that it names."""
PASSING = (408, 409, 429)
LATE = {"APITimeoutError", "TimeoutException", "Timeout"}
SILENT = {"APIConnectionError", "TransportError", "ConnectionError", "APIResponseValidationError"}
BROKE = {"insufficient_quota", "billing_hard_limit_reached"}
TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|too long|too many (input )?tokens|reduce (the|your) length",
    re.I,
)
FILTERED = re.compile(r"content[_ ](filter|policy|management)|was filtered", re.I)
ERROR_TEXTS = {"reduce_length": CONTEXT, "response_filtered": FILTER}


def now() -> str:
    """The date and time, ISO 8601, UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def refusal(kind, model="") -> Reply:
    """A reply that says why there is no content."""
    return Reply(None, model=model, refusal=kind, date=now())


def reply_of(answer) -> Reply:
    """The reply in what a client returned: text, None, a backend's output, OpenAI's completion.

    Raises:
        ConnectionError: it is none of these.
    """
    if answer is None or isinstance(answer, str):
        return Reply(answer, date=now())
    if hasattr(answer, "text") and not hasattr(answer, "choices"):
        return Reply(answer.text, date=now())
    return completion_reply(answer)


def completion_reply(answer) -> Reply:
    """The reply in an OpenAI completion, an object or a dict.

    Raises:
        ConnectionError: it is something else, as when a proxy answers.
    """
    whole = answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer
    try:
        choice = whole["choices"][0]
        content = choice["message"]["content"]
        if not (content is None or isinstance(content, str)):
            raise TypeError
    except (KeyError, IndexError, TypeError):
        raise ConnectionError(
            f"No chat completion was answered, but {answer!r:.{SHOWN}}. Expected is a text, None, "
            "or OpenAI's completion: check the address, or what the client returns."
        ) from None
    reason, usage = _said(choice, "finish_reason"), whole.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(
        content,
        finish_reason=reason,
        model=_said(whole, "model"),
        fingerprint=_said(whole, "system_fingerprint"),
        usage={k: v for k, v in usage.items() if isinstance(v, int)},
        date=now(),
        refusal=FILTER if content is None and reason == FILTER else "",
    )


def _said(answer, name) -> str:
    value = answer.get(name)
    return "" if value is None else str(value)


def checked_text(reply, pattern) -> Reply:
    """`reply`, unless its content is an error's text: then a refusal, or ConnectionError."""
    found = re.match(pattern, reply.content or "")
    if found is None:
        return reply
    kind = found.group(1) if found.re.groups else ""
    if kind not in ERROR_TEXTS:
        raise ConnectionError(f"The client returned the text of an error: {reply.content:.{SHOWN}}")
    return refusal(ERROR_TEXTS[kind], reply.model)


def refused(error) -> str:
    """CONTEXT or FILTER where an endpoint's `error` refuses the request for good; else ""."""
    if getattr(error, "status_code", None) not in (400, 413, 422):
        return ""
    code, said = str(getattr(error, "code", None) or ""), str(error)
    for kind, pattern in ((CONTEXT, TOO_LONG), (FILTER, FILTERED)):
        if code == kind or pattern.search(code) or pattern.search(said):
            return kind
    return ""


def translated(error, where, said):
    """The built-in exception for a client's `error`, or None for one that no client would raise.

    ConnectionError and TimeoutError pass; PermissionError, other OSError and ValueError do not.

    Args:
        error: what was raised.
        where: what was asked, to begin the message with.
        said: the error's message, without any secret.
    """
    status = getattr(error, "status_code", None)
    names = {cls.__name__ for cls in type(error).__mro__}
    if isinstance(status, int):
        if getattr(error, "code", None) in BROKE:
            kind, remedy = PermissionError, "The quota is used up"
        elif status in PASSING or status >= 500:
            kind, remedy = ConnectionError, TIRED
        else:
            kind, remedy = REMEDIES.get(status, (ValueError, "The request cannot be taken"))
        return kind(f"{where} answered {status}: {said}. {remedy}.")
    if names & LATE or isinstance(error, TimeoutError):
        return TimeoutError(f"{where} did not answer in time: {said}. Raise timeout?")
    if names & SILENT:
        return ConnectionError(f"{where} did not answer: {said}. Is the server running?")
    return None
