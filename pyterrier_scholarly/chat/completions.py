"""Read what chat clients return (texts, backends' outputs, OpenAI's completions) as replies.

>>> read_answer("Yes.").content
'Yes.'
>>> completion = {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
>>> read_answer(completion).finish_reason
'stop'
"""

import re
from typing import Any

from .reply import FILTERED, TOO_LONG, Reply, create_refusal, current_time

LONGEST_SHOWN_ANSWER = 300  # characters of an answer in an error
#: what a client's error text names -> the refusal that it means
REFUSAL_OF_ERROR_TEXT = {"reduce_length": TOO_LONG, "response_filtered": FILTERED}


def read_answer(answer: object) -> Reply:
    """Read a client's answer: a text, None, a backend's output, or OpenAI's completion."""
    if answer is None or isinstance(answer, str):
        return Reply(answer, date=current_time())

    if hasattr(answer, "text") and not hasattr(answer, "choices"):  # a backend's output
        finish_reason = _text_or_blank(getattr(answer, "finish_reason", None))
        return Reply(answer.text, finish_reason, date=current_time())
    return read_completion(answer)


def read_completion(answer: Any) -> Reply:
    """Read an OpenAI completion, an object or a dict.

    Raises ConnectionError if it is something else, for example a proxy's answer.
    """
    # warnings: a proxy's completion may have fields that the SDK does not expect
    completion = answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer
    try:
        choice = completion["choices"][0]
        content = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise ConnectionError(_describe_no_completion(answer)) from None
    is_content = content is None or isinstance(content, str)
    if not is_content:
        raise ConnectionError(_describe_no_completion(answer))

    finish_reason = _text_or_blank(choice.get("finish_reason"))
    is_filtered = content is None and finish_reason == FILTERED
    return Reply(
        content,
        finish_reason=finish_reason,
        model=_text_or_blank(completion.get("model")),
        fingerprint=_text_or_blank(completion.get("system_fingerprint")),
        usage=_read_usage(completion.get("usage")),
        date=current_time(),
        refusal=FILTERED if is_filtered else "",
    )


def resolve_error_text(reply: Reply, pattern: str) -> Reply:
    """Return `reply`, unless its text is an error's: then return a refusal, or raise.

    pattern: regular expression at the beginning of an error's text. If its first group is one of
        REFUSAL_OF_ERROR_TEXT, the request is refused for good.

    Raises ConnectionError for another error's text.
    """
    match = re.match(pattern, reply.content or "")
    if match is None:
        return reply

    has_group = match.re.groups > 0
    error_name = match.group(1) if has_group else ""
    if error_name not in REFUSAL_OF_ERROR_TEXT:
        raise ConnectionError(
            f"The client returned the text of an error: {reply.content:.{LONGEST_SHOWN_ANSWER}}"
        )
    return create_refusal(REFUSAL_OF_ERROR_TEXT[error_name], reply.model)


def _describe_no_completion(answer: object) -> str:
    """Return the message for an answer that is no completion."""
    return (
        f"The answer is no chat completion: {answer!r:.{LONGEST_SHOWN_ANSWER}}. Expected a text, "
        "None, or OpenAI's completion. Check the address, or what the client returns."
    )


def _text_or_blank(value: object) -> str:
    """Return a field of a completion as text; "" if it is missing."""
    text = getattr(value, "value", value)  # some libraries have enums, such as FinishReason.stop
    return "" if text is None else str(text)


def _read_usage(usage: object) -> dict[str, int]:
    """Return the counts of tokens; some endpoints add None, or counts of counts."""
    if not isinstance(usage, dict):
        return {}
    return {name: count for name, count in usage.items() if isinstance(count, int)}
