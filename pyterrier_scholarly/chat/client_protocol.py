"""The protocol of chat clients, and any function or object as one."""

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ir_datasets_ext.redaction import redact, redact_error, split_address

from ..arguments import Natural
from ..settings import BySettings
from .client_answers import SHOWN, checked_text, refusal, refused, reply_of, translated
from .replies import Reply

WAIT, LONGEST = 0.5, 8.0  # seconds before the first repetition; at most, before a later one
Messages = Sequence[Mapping[str, object]]
Request = dict[str, Any]


@runtime_checkable
class Chat(Protocol):
    """A chat client. Several threads may call `reply` at once.

    It returns a `Reply`, also if the request is refused for its length or content. It raises
    ConnectionError or TimeoutError if this one request has no answer after all tries. Any other
    error ends the run.
    """

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the whole request, for JSON: messages, options and model."""

    def reply(self, request: Request) -> Reply:
        """Return the answer to a request that `request` made."""


class Unanswered(ConnectionError):
    """A request without an answer after all tries; it may succeed later."""


class RunOver(RuntimeError):
    """Another request ended the run; the message has its error."""


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

    client: object
    model: str = ""
    max_retries: Natural = field(default=3, compare=False)
    error_text: str = r"\s*ERROR::(\w*)"

    def __repr__(self) -> str:
        return redact(super().__repr__(), *self._secrets())

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the whole request, with the model if it has a name."""
        return ({"model": self.model} if self.model else {}) | {"messages": messages, **options}

    def reply(self, request: Request) -> Reply:
        """Call the client; a refusal of the request's length or content is a reply, too."""
        tries = 0
        while True:
            try:
                reply = checked_text(reply_of(self._called(request)), self.error_text)
                return reply.redacted(keys=[self._key_of_sdk()], logins=self._logins_of_sdk())
            except Exception as error:
                if kind := refused(error):
                    return refusal(kind, self.model)
                failure = self._failure(error)
            temporary = isinstance(failure, (ConnectionError, TimeoutError))
            if not temporary or tries == self.max_retries:
                raise failure
            time.sleep(min(WAIT * 2**tries, LONGEST))
            tries += 1

    def _failure(self, error: Exception) -> Exception:
        """Return the built-in exception for an error, or the error itself; without secrets."""
        redact_error(error, *self._secrets())
        if isinstance(error, ConnectionError):
            return error
        name = self.model or redact(repr(self.client), *self._secrets())
        return translated(error, name, f"{redact(error, *self._secrets()):.{SHOWN}}") or error

    def _secrets(self) -> list[str]:
        return [self._key_of_sdk(), *self._logins_of_sdk()]

    def _key_of_sdk(self) -> str:
        """Return the key of an SDK's client, which has it as an attribute; "" if there is none."""
        key = getattr(self.client, "api_key", "")
        return key if isinstance(key, str) and key.isascii() else ""

    def _logins_of_sdk(self) -> Sequence[str]:
        """Return the secrets in the address of an SDK's client."""
        return split_address(str(getattr(self.client, "base_url", ""))).secrets

    def _called(self, request: Request) -> object:
        if hasattr(self.client, "generate"):
            (output,) = self.client.generate(
                [request["messages"]], max_new_tokens=request.get("max_tokens")
            )
            return output
        if hasattr(self.client, "chat"):
            return self.client.chat.completions.create(**request)
        if not callable(self.client):
            raise TypeError(
                f"{self.client!r} is no chat client: pass OpenAIChat(model), a function of "
                "messages, or an object with chat.completions.create or generate."
            )
        return _call(self.client, request)


def _call(function: Callable[..., object], request: Request) -> object:
    """Call it with those parts of `request` that it has parameters for."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return function(**request)
    if "messages" not in parameters:
        return function(request["messages"])
    return function(**{name: value for name, value in request.items() if name in parameters})


def as_chat(client: object) -> Chat:
    """Return `client` if it is a `Chat`, else wrap it in a `FunctionChat`."""
    return client if isinstance(client, Chat) else FunctionChat(client)
