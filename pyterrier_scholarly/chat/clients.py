"""Chat clients: any endpoint with OpenAI's protocol, and a client whose replies are recorded."""

import os
from dataclasses import dataclass, field, replace
from typing import Literal

from ir_datasets_ext.redaction import redact, redact_error
from ir_datasets_ext.store import fingerprint

from ..arguments import FilePath, Name, Natural, Positive
from ..settings import BySettings
from .client_answers import SHOWN, completion_reply, refusal, refused, translated
from .client_protocol import Messages, Request, as_chat
from .endpoints import BASE_URL, check_url, key_for, sdk_client, url_of
from .headers import fill_headers, hide_headers
from .replies import Replies, Reply


@dataclass(eq=False, repr=False)
class OpenAIChat(BySettings):
    """A language model behind an API: OpenAI's, or any server with the same protocol.

    LitSearch's is ``OpenAIChat("gpt-4o-2024-05-13")`` [Ajith2024, 3.2]. The key is read from the
    environment for each request. It is not in the settings, requests' hashes or errors.

    Args:
        model: the endpoint's name of the model, with a date if it has one: a bare name changes its
            meaning.
        base_url: of the endpoint, up to ``/v1``; None for the environment's ``OPENAI_BASE_URL``, or
            else OpenAI's.
        options: further parts of a request, such as ``{"seed": 1}``. They override a prompt's;
            None removes one: ``{"max_tokens": None, "max_completion_tokens": 2000}``. What the
            openai package does not know belongs in ``{"extra_body": {…}}``. A secret in
            ``extra_headers`` is named by its variable in the environment:
            ``{"extra_headers": {"api-key": "$GATEWAY_KEY"}}``. Written out, it is in no pickle.
        key_variable: the environment variable with the key; servers without keys need none.
        max_retries: how often a request is repeated after 429, 5xx or no answer, waiting 0.5 s,
            then twice as long each time up to 8 s, or as long as the endpoint says.
        timeout: seconds for a single try.

    Raises:
        ValueError: a key inside `base_url`; (when asking) a request that the endpoint refuses.
        ImportError: (when asking) openai is not installed; names the extra.
        OSError: (when asking) the key is refused or missing or the quota used up (PermissionError),
            the model is missing, or a request is not answered (ConnectionError, TimeoutError).
    """

    model: Name
    base_url: str | None = None
    options: dict[str, object] | None = None
    key_variable: Name = field(default="OPENAI_API_KEY", compare=False)
    max_retries: Natural = field(default=5, compare=False)
    timeout: Positive = field(default=120.0, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_url(self.base_url, self.key_variable)

    def __repr__(self) -> str:
        shown = self if self.options is None else replace(self, options=hide_headers(self.options))
        return redact(BySettings.__repr__(shown))

    def __getstate__(self) -> dict[str, object]:
        """Return the settings without secrets: a pickle may be stored, or sent elsewhere."""
        state = super().__getstate__()
        return state if self.options is None else state | {"options": hide_headers(self.options)}

    @property
    def url(self) -> str:
        """Return the endpoint."""
        return url_of(self.base_url)

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the whole request: model, messages and options, without those that are None."""
        whole = {"model": self.model, "messages": messages, **options, **(self.options or {})}
        return {name: value for name, value in whole.items() if value is not None}

    def reply(self, request: Request) -> Reply:
        """Ask; a refusal of the request's length or content is a reply, too."""
        filled = fill_headers(request, self)
        key = key_for(self.url, self.key_variable)
        how = {"timeout": self.timeout, "max_retries": self.max_retries}
        sdk = self.held(  # one for all threads, which reuses connections
            "sdk",
            lambda: sdk_client("Chat", self.url, key, **how),
            self.url,
            key,
            how,
            os.environ.get(BASE_URL),
        )
        secrets = [key, *filled.secrets]
        try:
            answer = sdk.chat.completions.create(**filled.request)
            return completion_reply(answer).redacted(keys=secrets)
        except Exception as error:
            kind, failure = refused(error), self._failure(error, secrets)
        if kind:
            return refusal(kind, self.model)
        raise failure  # outside of the handler: the SDK's errors may contain the key

    def _failure(self, error: Exception, secrets: list[str]) -> Exception:
        redact_error(error, *secrets)
        where = f"{self.url} ({self.model})"
        message = f"{redact(error, *secrets):.{SHOWN}}".rstrip(". ")
        if isinstance(error, ConnectionError):
            return ConnectionError(f"{where}: {message}.")
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):  # no JSON
            return ConnectionError(f"{where}: the answer cannot be read ({message}).")
        failure = translated(error, where, message)
        if isinstance(failure, PermissionError):
            failure = PermissionError(f"{failure} It was read from {self.key_variable}.")
        return failure or error


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

    client: object
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
        store, key = Replies(self.path), fingerprint(hide_headers(request))
        if (self.mode == "replay" or store.path.exists()) and (known := store.get(key)):
            return replace(known, replayed=True)
        if self.mode == "replay":
            raise NotRecorded(
                f"{self.path} has no reply to request {key}. Was it recorded with these candidates "
                "in this order, this prompt and this model? To ask, pass mode='record'."
            )
        store.ensure_writable()  # before anything is paid for
        return store.put(key, client.reply(request))
