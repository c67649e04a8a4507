"""What a chat client is, and what it replies."""

from dataclasses import dataclass, field, fields
from typing import Protocol, runtime_checkable

from ir_datasets_ext.records import checked, refused, shortened

AGAIN = "Correct what the client returns, or ask again"

CONTEXT = "context_length_exceeded"
FILTER = "content_filter"


class Unanswered(ConnectionError):
    """A request has no answer after all tries; another time it may have one."""


@dataclass(frozen=True)
class Reply:
    """What a model answered to one request.

    Args:
        content: the text; None where there is none, as with a refusal.
        finish_reason, model, fingerprint: as answered; "" where the client does not say.
        usage: the endpoint's token counts, by its names (`prompt_tokens`, `completion_tokens`, …).
        date: when it was answered, ISO 8601, UTC.
        refusal: ``"context_length_exceeded"`` or ``"content_filter"`` where the request was refused
            for what it is, so that the same request will always be; else "".
        replayed: whether it comes out of a store, and so cost nothing.
    """

    content: str | None
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    usage: dict = field(default_factory=dict)
    date: str = ""
    refusal: str = ""
    replayed: bool = field(default=False, compare=False)

    def to_dict(self) -> dict:
        """What is kept of it, for JSON."""
        return {name: getattr(self, name) for name in _KEPT}

    @classmethod
    def from_dict(cls, kept, source="a reply", record="") -> "Reply":
        """What `to_dict` gave, as a reply; if it is something else, ValueError with its place."""
        if not isinstance(kept, dict) or kept.keys() != set(_KEPT):
            what = f"expected an object of {', '.join(_KEPT)}, got {shortened.repr(kept)}"
            raise refused(source, record, "", what, AGAIN)
        return checked(kept, cls, source, record, AGAIN)


_KEPT = [f.name for f in fields(Reply) if f.name != "replayed"]


@runtime_checkable
class Chat(Protocol):
    """A chat client. `reply` may be called by several threads at once.

    It returns a `Reply`, also where the request is refused for its length or contents. It raises
    ConnectionError or TimeoutError where there is no answer after all its tries, which concerns
    that one request; any other error ends the run.
    """

    def request(self, messages, **options) -> dict:
        """The whole request, as JSON has it: messages, options, and the model that is asked."""

    def reply(self, request) -> Reply:
        """The answer to a request that `request` made."""


def as_chat(client):
    """`client` as a `Chat`: as it is if it is one, else in a `FunctionChat`."""
    from .function import FunctionChat

    return client if isinstance(client, Chat) else FunctionChat(client)
