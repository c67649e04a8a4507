"""A language model's answer to one request, as every chat client returns it.

reply = client.reply(client.request(messages))
if reply.content is None:
print("no text, because of", reply.refusal)
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime

from ..arguments import FilePath
from ..redaction import (
    environment_keys,
    environment_logins,
    hide_logins,
    replace_secrets,
)
from ..typed_records import convert, reading_error, shortened

#: the values of `Reply.refusal`
TOO_LONG = "context_length_exceeded"
FILTERED = "content_filter"

#: the values of `Reply.finish_reason`, in small letters, of a reply that ended by itself. Each
#: other one says that something ended it: a limit of tokens, a filter, the call of a tool.
WHOLE_REPLIES = {"", "stop", "stop_sequence", "eos", "eos_token", "end_turn", "complete"}

SHORTEST_KEY = 16  # characters of a key in a reply: a shorter one, like "none", is a word
CORRECT_CLIENT = "Correct what the client returns, or ask again"


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

    @property
    def is_cut_off(self) -> bool:
        """Whether the model did not end the reply itself; False if the client does not say."""
        return self.finish_reason.lower() not in WHOLE_REPLIES

    @property
    def fault(self) -> str:
        """Why the text must not be read: it is missing or cut off; "" if it may be read."""
        if self.refusal:
            return self.refusal
        if self.is_cut_off:
            return f"cut off: finish_reason {self.finish_reason!r}"
        return "no content" if self.content is None else ""

    def to_dict(self) -> dict[str, object]:
        """Return what is stored, for JSON."""
        return {name: getattr(self, name) for name in STORED_FIELDS}

    @classmethod
    def from_dict(cls, stored: object, source: FilePath = "a reply", record: str = "") -> "Reply":
        """Read what `to_dict` returned; ValueError, with source and record, if it is malformed."""
        has_all_fields = isinstance(stored, dict) and stored.keys() == set(STORED_FIELDS)
        if not has_all_fields:
            field_names = ", ".join(STORED_FIELDS)
            mismatch = f"expected an object of {field_names}, got {shortened.repr(stored)}"
            raise reading_error(source, record, mismatch, CORRECT_CLIENT)

        return convert(stored, cls, source, record, CORRECT_CLIENT)

    def redacted(self, keys: Iterable[str] = (), logins: Iterable[str] = ()) -> "Reply":
        """Return the reply without secrets that an endpoint repeats: replies are stored and shared.

        keys, logins: secrets of the request and of the address, besides the environment's.
        """
        all_keys = [*keys, *environment_keys()]
        long_keys = [key for key in all_keys if len(key) >= SHORTEST_KEY]
        secrets = [*long_keys, *logins, *environment_logins()]

        def clean(text: str) -> str:
            return replace_secrets(hide_logins(text), secrets)

        return replace(
            self,
            content=None if self.content is None else clean(self.content),
            finish_reason=clean(self.finish_reason),
            model=clean(self.model),
            fingerprint=clean(self.fingerprint),
            usage={clean(name): count for name, count in self.usage.items()},
        )


#: all fields but `replayed`, which says where this copy is from
STORED_FIELDS = [one_field.name for one_field in fields(Reply) if one_field.name != "replayed"]


def create_refusal(refusal: str, model: str) -> Reply:
    """Return a reply without content that says why: TOO_LONG or FILTERED."""
    return Reply(None, model=model, refusal=refusal, date=current_time())


def current_time() -> str:
    """Return the date and time, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
