"""Chat clients: any endpoint with OpenAI's protocol, and any object of the user's."""

import inspect
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..settings import BySettings
from .answers import SHOWN, checked_text, completion_reply, refusal, refused, reply_of, translated
from .endpoints import BASE_URL, blotted, check_url, key_for, sdk_client, secrets, url_of
from .protocol import Messages, Reply, Request

if TYPE_CHECKING:
    from openai import OpenAI

SECRET = 16  # characters of the shortest key
WAIT = 0.5  # seconds before the first repetition
LONGEST = 8.0


@dataclass(eq=False, repr=False)
class OpenAIChat(BySettings):
    """A language model behind an API: OpenAI's, or any server with the same protocol.

    LitSearch's is ``OpenAIChat("gpt-4o-2024-05-13")`` [Ajith2024, 3.2]. The key is read from the
    environment for each request. It is not in the settings, requests' hashes or errors.

    Args:
        model: the endpoint's name of the model; use one with a date if there is one, because a
            bare name changes its meaning.
        base_url: of the endpoint, up to ``/v1``; None for ``OPENAI_BASE_URL`` from the environment,
            or else OpenAI's.
        options: a dict of further parts of a request, such as ``{"seed": 1}``. It overrides a
            prompt's; None removes one: ``{"max_tokens": None, "max_completion_tokens": 2000}`` for
            models that need the latter. What the openai package does not know belongs in
            ``{"extra_body": {…}}``.
        key_variable: the environment variable with the key; servers without keys need none.
        max_retries: how often a request is repeated after 429, 5xx or no answer, waiting 0.5 s,
            then twice as long each time up to 8 s, or as long as the endpoint says.
        timeout: seconds for a single try.

    Raises:
        ValueError: a key inside `base_url`; (when asking) a request that the endpoint refuses.
        ImportError: (when asking) openai is not installed; names the extra.
        OSError: (when asking) the key is refused or the quota used up (PermissionError), the model
            is missing, or a request is not answered (ConnectionError, TimeoutError).
    """

    model: str
    base_url: str | None = None
    options: dict[str, Any] | None = None
    key_variable: str = field(default="OPENAI_API_KEY", compare=False)
    max_retries: int = field(default=5, compare=False)
    timeout: float = field(default=120.0, compare=False)

    def __post_init__(self) -> None:
        check_url(self.base_url, self.key_variable)

    def __repr__(self) -> str:
        return blotted(super().__repr__())  # options may contain headers

    @property
    def url(self) -> str:
        """Return the endpoint."""
        return url_of(self.base_url)

    def request(self, messages: Messages, **options: Any) -> Request:
        """Return the whole request: model, messages and options, without those that are None."""
        whole = {"model": self.model, "messages": messages, **options, **(self.options or {})}
        return {name: value for name, value in whole.items() if value is not None}

    def reply(self, request: Request) -> Reply:
        """Ask; a refusal of the request's length or content is a reply, too."""
        key = key_for(self.url, self.key_variable)
        address = os.environ.get(BASE_URL)
        sdk = _sdk(self.url, key, self.timeout, self.max_retries, address)
        try:
            return _clean(completion_reply(sdk.chat.completions.create(**request)), key)
        except Exception as error:
            kind = refused(error)
            failure = error if kind else self._failure(error, key)
        if kind:
            return refusal(kind, self.model)
        raise failure  # outside of the handler: the SDK's errors may contain the key

    def _failure(self, error: Exception, key: str) -> Exception:
        where = f"{self.url} ({self.model})"
        message = f"{blotted(error, key):.{SHOWN}}".rstrip(". ")
        if isinstance(error, ConnectionError):
            return ConnectionError(f"{where}: {message}.")
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):  # no JSON
            return ConnectionError(f"{where}: the answer cannot be read ({message}).")
        failure = translated(error, where, message)
        if isinstance(failure, PermissionError):
            return PermissionError(f"{failure} It was read from {self.key_variable}.")
        return failure or error


def _clean(reply: Reply, key: str) -> Reply:
    """Remove secrets that an endpoint repeats: replies are stored and shared."""
    text = json.dumps(reply.to_dict())
    for secret in secrets(key):
        if len(secret) >= SECRET:  # a shorter key, like "none", is a word
            text = text.replace(secret, "***")
    return Reply.from_dict(json.loads(text))


@lru_cache(maxsize=4)
def _sdk(url: str, key: str, timeout: float, max_retries: int, _: str | None) -> "OpenAI":
    """Return one SDK client for all threads, which reuses connections while settings are equal."""
    return sdk_client("Chat", url, key, timeout=timeout, max_retries=max_retries)


@dataclass(eq=False, repr=False)
class FunctionChat(BySettings):
    """A function, ``litellm.completion``, an SDK's client or a pyterrier-rag backend as a client.

    - A function gets the request's parts by name (`messages`, `model`, `temperature`,
      `max_tokens`), as far as it has such parameters. Without a parameter `messages` it gets only
      these. It returns a text, None, or OpenAI's completion as an object or a dict.
    - Of an object with ``chat.completions.create`` (the openai SDK's clients, Azure's too), that
      function is called.
    - An object with ``generate`` (pyterrier-rag's backends) gets a batch of one. It samples at
      temperature 1 unless it was created with ``generation_args={"temperature": 0.0}``, and
      returns an error's text instead of a reply.

    Args:
        client: the function or object.
        model: its name in requests; recording and an SDK's client need it.
        max_retries: how often a call is repeated after 429, 5xx, no answer or an error's text,
            waiting 0.5 s, then twice as long each time up to 8 s.
        error_text: a pattern at the beginning of replies that are an error's text. If its first
            group is ``reduce_length`` or ``response_filtered``, the request is refused for good;
            else it has no answer.

    Raises:
        ConnectionError, TimeoutError: (when asking) no answer after all tries.
        Exception: whatever else the function raises; keys in its message are replaced by ``***``.
    """

    client: Any
    model: str = ""
    max_retries: int = field(default=3, compare=False)
    error_text: str = r"\s*ERROR::(\w*)"

    def __repr__(self) -> str:
        return blotted(super().__repr__())

    def request(self, messages: Messages, **options: Any) -> Request:
        """Return the whole request, with the model if it has a name."""
        named = {"model": self.model} if self.model else {}
        return {**named, "messages": messages, **options}

    def reply(self, request: Request) -> Reply:
        """Call the client; a refusal of the request's length or content is a reply, too."""
        tries = 0
        while True:
            try:
                return checked_text(reply_of(self._called(request)), self.error_text)
            except Exception as error:
                if kind := refused(error):
                    return refusal(kind, self.model)
                error.args = tuple(blotted(a) if isinstance(a, str) else a for a in error.args)
                failure = None
                if not isinstance(error, ConnectionError):
                    name = self.model or blotted(repr(self.client))
                    failure = translated(error, name, f"{blotted(error):.{SHOWN}}")
                if failure is None and not isinstance(error, OSError):
                    raise
                temporary = isinstance(failure or error, (ConnectionError, TimeoutError))
                if not temporary or tries == self.max_retries:
                    raise failure or error from None
            time.sleep(min(WAIT * 2**tries, LONGEST))
            tries += 1

    def _called(self, request: Request) -> Any:
        if hasattr(self.client, "generate"):
            most = request.get("max_tokens")
            (output,) = self.client.generate([request["messages"]], max_new_tokens=most)
            return output
        if hasattr(self.client, "chat"):
            return self.client.chat.completions.create(**request)
        if not callable(self.client):
            raise TypeError(
                f"{self.client!r} is no chat client: pass OpenAIChat(model), a function of "
                "messages, or an object with chat.completions.create or generate."
            )
        return _call(self.client, request)


def _call(function: Callable[..., Any], request: Request) -> Any:
    """Call it with those parts of `request` that it has parameters for."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return function(**request)
    if "messages" not in parameters:
        return function(request["messages"])
    return function(**{name: value for name, value in request.items() if name in parameters})
