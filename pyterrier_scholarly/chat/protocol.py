"""The protocol of chat clients, and their replies."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ir_datasets_ext.records import checked, refused, shortened

AGAIN = "Correct what the client returns, or ask again"
Messages = list[dict[str, Any]]
Request = dict[str, Any]

CONTEXT = "context_length_exceeded"
FILTER = "content_filter"


class Unanswered(ConnectionError):
    """A request without an answer after all tries; it may succeed later."""


@dataclass(frozen=True)
class Reply:
    """A model's answer to one request.

    Args:
        content: the text; None if there is none, as in a refusal.
        finish_reason, model, fingerprint: as answered; "" if the client omits them.
        usage: the endpoint's token counts, by its names (`prompt_tokens`, `completion_tokens`, …).
        date: of the answer, ISO 8601, UTC.
        refusal: ``"context_length_exceeded"`` or ``"content_filter"`` if the same request will
            always be refused; else "".
        replayed: whether it comes from a store and cost nothing.
    """

    content: str | None
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    date: str = ""
    refusal: str = ""
    replayed: bool = field(default=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what is stored, for JSON."""
        return {name: getattr(self, name) for name in _KEPT}

    @classmethod
    def from_dict(cls, stored: Any, source: str | Path = "a reply", record: str = "") -> "Reply":
        """Read what `to_dict` returned; ValueError, with source and record, if it is malformed."""
        if not isinstance(stored, dict) or stored.keys() != set(_KEPT):
            what = f"expected an object of {', '.join(_KEPT)}, got {shortened.repr(stored)}"
            raise refused(source, record, "", what, AGAIN)
        return checked(stored, cls, source, record, AGAIN)


_KEPT = [f.name for f in fields(Reply) if f.name != "replayed"]


@runtime_checkable
class Chat(Protocol):
    """A chat client. Several threads may call `reply` at once.

    It returns a `Reply`, also if the request is refused for its length or content. It raises
    ConnectionError or TimeoutError if this one request has no answer after all tries. Any other
    error ends the run.
    """

    def request(self, messages: Messages, **options: Any) -> Request:
        """Return the whole request, for JSON: messages, options and model."""

    def reply(self, request: Request) -> Reply:
        """Return the answer to a request that `request` made."""


def as_chat(client: object) -> Chat:
    """Return `client` if it is a `Chat`, else wrap it in a `FunctionChat`."""
    from .clients import FunctionChat

    return client if isinstance(client, Chat) else FunctionChat(client)
