"""A chat client that records another one's replies, and replays them.

client = Recorded(OpenAIChat("gpt-4o-2024-05-13"), "replies")  # asks for what is missing
client = Recorded(OpenAIChat("gpt-4o-2024-05-13"), "replies", mode="replay")  # never asks
"""

from dataclasses import dataclass, replace
from typing import Literal

from ..arguments import FilePath
from ..fingerprint import fingerprint
from ..settings import BySettings
from .client_protocol import ChatLike, Messages, Request
from .function_chat import as_chat
from .reply import Reply
from .reply_store import Replies
from .secret_headers import hide_headers


class NotRecorded(LookupError):
    """A request to replay that was not recorded."""


@dataclass(eq=False, repr=False)
class Recorded(BySettings):
    """A client in front of another one that repeats no request.

    A reply's key is the sha256 of the whole request (model, messages, options), without the
    endpoint's address and secrets in headers. Empty replies are stored too, and refusals of a
    request's length or content, so that a run with reduced windows can be replayed. Temporary
    failures (429, 5xx, time-outs), keys and requests are never stored; a secret that a reply
    repeats is stored as ``***``.

    Args:
        client: in mode ``"replay"`` it only builds the request, without a key or its package.
        path: the store, see `Replies`; share its replies with ``Replies(path).export_jsonl``.
        mode: ``"record"`` asks for missing replies and stores them, so that a killed run resumes;
            ``"replay"`` never asks; ``"live"`` always asks, and neither reads nor writes.

    Raises:
        NotRecorded: (when asking, mode ``"replay"``) the reply is missing; names its hash.
        OSError: (when asking) the store cannot be used, see `Replies`.
        ValueError: (when asking) the client has no model name: its replies could be another's.
    """

    client: ChatLike
    path: FilePath
    mode: Literal["live", "record", "replay"] = "record"

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the client's whole request."""
        return as_chat(self.client).request(messages, **options)

    def reply(self, request: Request) -> Reply:
        """Return the reply from the store, or from the client."""
        client = as_chat(self.client)
        if self.mode == "live":
            return client.reply(request)

        if not request.get("model"):
            raise ValueError(
                f"{self.client!r} has no model name to record under: use "
                "FunctionChat(client, 'name')."
            )
        store = Replies(self.path)
        key = fingerprint(hide_headers(request))

        # recording begins without a store; replaying without one is an error, which `get` raises
        may_be_stored = self.mode == "replay" or store.path.exists()
        stored_reply = store.get(key) if may_be_stored else None
        if stored_reply is not None:
            return replace(stored_reply, replayed=True)

        if self.mode == "replay":
            raise NotRecorded(
                f"{self.path} has no reply to request {key}. Was it recorded with these candidates "
                "in this order, this prompt and this model? To ask, pass mode='record'."
            )
        store.ensure_writable()  # before anything is paid for
        return store.put(key, client.reply(request))
