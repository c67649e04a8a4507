"""A chat client whose replies are recorded, and replayed."""

from dataclasses import dataclass, replace

from ir_datasets_ext.store import fingerprint

from ..settings import BySettings
from .protocol import Reply, as_chat
from .replies import Replies

MODES = ("live", "record", "replay")


class NotRecorded(LookupError):
    """A request that is to be replayed, and of which there is no record."""


@dataclass(eq=False, repr=False)
class Recorded(BySettings):
    """A client in front of another one that asks nothing twice.

    A reply is found again by the sha256 of the whole request: model, messages, options. The
    endpoint's address takes no part. Kept are replies, empty ones too, and refusals for a request's
    length or contents, so that a run whose windows shrank can be replayed; never what passes (429,
    5xx, time-outs), never a key, never the request itself.

    Args:
        client: the client to ask; in mode ``"replay"`` it says what a request is, and needs neither
            a key nor its package.
        path: the store, see `Replies`; its replies go to others by ``Replies(path).export_jsonl``.
        mode: ``"record"`` asks for what is not there and keeps it, so that a run that was killed
            goes on; ``"replay"`` asks nothing; ``"live"`` asks always and neither reads nor writes.

    Raises:
        NotRecorded: (when asking, mode ``"replay"``) there is no reply; names the request's hash.
        OSError, ValueError: (when asking) the store cannot be used, see `Replies`; the client has
            no model's name, so that its replies could be another model's.
    """

    client: object
    path: str
    mode: str = "record"

    def request(self, messages, **options) -> dict:
        """The whole request, as the client has it."""
        return as_chat(self.client).request(messages, **options)

    def reply(self, request) -> Reply:
        """The reply from the store, or from the client."""
        if self.mode not in MODES:
            raise ValueError(f"mode={self.mode!r}: choose one of {', '.join(MODES)}.")
        client = as_chat(self.client)
        if self.mode == "live":
            return client.reply(request)
        if not request.get("model"):
            raise ValueError(
                f"{self.client!r} has no model's name to be recorded under: "
                "use FunctionChat(client, 'name')."
            )
        store, key = Replies(self.path), fingerprint(request)
        new = self.mode == "record" and not store.path.exists()
        known = None if new else store.get(key)
        if known is not None:
            return replace(known, replayed=True)
        if self.mode == "replay":
            raise NotRecorded(
                f"{self.path} has no reply to request {key}. Was it recorded with these candidates "
                "in this order, this prompt and this model? To ask, use mode='record'."
            )
        store.ensure_writable()  # before there is something to pay for
        return store.put(key, client.reply(request))
