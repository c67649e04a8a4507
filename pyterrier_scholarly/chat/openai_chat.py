"""Any endpoint that speaks OpenAI's chat protocol, by the openai SDK."""

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache

from ..endpoints import BASE_URL, blotted, check_url, key_for, sdk_client, secrets, url_of
from ..settings import BySettings
from ._answers import SHOWN, completion_reply, refusal, refused, translated
from .protocol import Reply

SECRET = 16  # characters that a key has at least that is one


@dataclass(eq=False, repr=False)
class OpenAIChat(BySettings):
    """A language model behind an API: OpenAI's, or any server with the same protocol.

    LitSearch's is ``OpenAIChat("gpt-4o-2024-05-13")`` [Ajith2024, 3.2]. The key is read from the
    environment when a request is made; it is no setting, in no request's hash and in no error.

    Args:
        model: the model's name there; with a date, where the endpoint has such, as a bare name
            means another model some day.
        base_url: of the endpoint, up to ``/v1``; None for ``OPENAI_BASE_URL`` from the environment,
            or else OpenAI's.
        options: a dict of what else requests have, such as ``{"seed": 1}``; it goes over what a
            prompt asks for, and None takes out: ``{"max_tokens": None, "max_completion_tokens":
            2000}`` for models that want the latter. What the openai package does not know goes into
            ``{"extra_body": {…}}``.
        key_variable: the variable of the environment with the key; servers without keys need none.
        max_retries: how often a request is repeated after 429, 5xx or no answer, waiting 0.5 s,
            then twice as long each time up to 8 s, or as long as the endpoint says.
        timeout: seconds that a single try may take.

    Raises:
        ValueError: a key inside `base_url`; (when asking) a request that cannot be taken.
        ImportError: (when asking) openai is not installed; names the extra.
        OSError: (when asking) the key is refused or the quota used up (PermissionError), there is
            no such model; one request is not answered (ConnectionError, TimeoutError).
    """

    model: str
    base_url: str | None = None
    options: dict | None = None
    key_variable: str = field(default="OPENAI_API_KEY", compare=False)
    max_retries: int = field(default=5, compare=False)
    timeout: float = field(default=120.0, compare=False)

    def __post_init__(self):
        check_url(self.base_url, self.key_variable)

    def __repr__(self):
        return blotted(super().__repr__())  # options may hold headers

    @property
    def url(self) -> str:
        """The endpoint that is asked."""
        return url_of(self.base_url)

    def request(self, messages, **options) -> dict:
        """The whole request: model, messages and options, without those that are None."""
        whole = {"model": self.model, "messages": messages, **options, **(self.options or {})}
        return {name: value for name, value in whole.items() if value is not None}

    def reply(self, request) -> Reply:
        """Ask; a refusal of the request's length or contents is a reply as well."""
        key = key_for(self.url, self.key_variable)
        address = os.environ.get(BASE_URL)
        sdk = _sdk(self.url, key, self.timeout, self.max_retries, address)
        try:
            return _clean(completion_reply(sdk.chat.completions.create(**request)), key)
        except Exception as error:
            kind = refused(error)
            failure = None if kind else self._failure(error, key)
        if kind:
            return refusal(kind, self.model)
        raise failure  # outside of the handler: the SDK's errors may hold the key

    def _failure(self, error, key):
        where = f"{self.url} ({self.model})"
        said = f"{blotted(error, key):.{SHOWN}}".rstrip(". ")
        if isinstance(error, ConnectionError):
            return ConnectionError(f"{where}: {said}.")
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):  # no JSON
            return ConnectionError(f"{where}: the answer cannot be read ({said}).")
        failure = translated(error, where, said)
        if isinstance(failure, PermissionError):
            return PermissionError(f"{failure} It was read from {self.key_variable}.")
        return failure or error


def _clean(reply, key):
    """`reply` without secrets, where an endpoint repeats them: replies are kept and given away."""
    text = json.dumps(reply.to_dict())
    for secret in secrets(key):
        if len(secret) >= SECRET:  # a short key, like "none", is no secret but a word
            text = text.replace(secret, "***")
    return Reply.from_dict(json.loads(text))


@lru_cache(maxsize=4)
def _sdk(url, key, timeout, max_retries, _):
    """One SDK client for all threads, until a setting changes: it keeps connections open."""
    return sdk_client("Chat", url, key, timeout=timeout, max_retries=max_retries)
