"""Any function or object that answers messages, as a chat client.

client = FunctionChat(litellm.completion, "gpt-4o-2024-05-13")
reply = client.reply(client.request([{"role": "user", "content": "Hello"}], temperature=0))
"""

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..arguments import Natural
from ..redaction import redact, redact_error, split_address
from ..settings import BySettings
from .client_errors import find_refusal, shorten_message, translate_error
from .client_protocol import Chat, ChatLike, Messages, Request
from .completions import read_answer, resolve_error_text
from .reply import Reply, create_refusal

FIRST_WAIT = 0.5  # seconds before the first repetition; twice as long before each later one
LONGEST_WAIT = 8.0  # seconds


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

    client: ChatLike
    model: str = ""
    max_retries: Natural = field(default=3, compare=False)
    error_text: str = r"\s*ERROR::(\w*)"

    def __repr__(self) -> str:
        return redact(super().__repr__(), *self._find_secrets())

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the whole request, with the model if it has a name."""
        request: Request = {"messages": messages, **options}
        if self.model:
            request = {"model": self.model, **request}
        return request

    def reply(self, request: Request) -> Reply:
        """Call the client; a refusal of the request's length or content is a reply, too."""
        retries = 0
        while True:
            outcome = self._call_once(request)
            if isinstance(outcome, Reply):
                return outcome

            is_temporary = isinstance(outcome, (ConnectionError, TimeoutError))
            if not is_temporary or retries == self.max_retries:
                raise outcome
            time.sleep(min(FIRST_WAIT * 2**retries, LONGEST_WAIT))
            retries += 1

    def _call_once(self, request: Request) -> Reply | Exception:
        """Return the client's reply, or its error without secrets, for the caller to raise.

        An exception that was raised here, inside of a handler, would show the client's own one,
        too, which may contain the key.
        """
        try:
            answer = self._call_client(request)
            reply = resolve_error_text(read_answer(answer), self.error_text)
            return reply.redacted(keys=[self._find_sdk_key()], logins=self._find_sdk_logins())
        except Exception as error:
            refusal = find_refusal(error)
            if refusal:
                return create_refusal(refusal, self.model)
            return self._translate(error)

    def _call_client(self, request: Request) -> object:
        """Return what the client answers, called in the way of its kind."""
        client = self.client
        if hasattr(client, "generate"):
            batch = [request["messages"]]
            (output,) = client.generate(batch, max_new_tokens=request.get("max_tokens"))
            return output
        if hasattr(client, "chat"):
            return client.chat.completions.create(**request)

        if not callable(client):
            raise TypeError(
                f"{client!r} is no chat client: pass OpenAIChat(model), a function of "
                "messages, or an object with chat.completions.create or generate."
            )
        return _call_function(client, request)

    def _translate(self, error: Exception) -> Exception:
        """Return the built-in exception for an error, or the error itself; without secrets."""
        secrets = self._find_secrets()
        redact_error(error, *secrets)  # because the error itself may be returned
        if isinstance(error, ConnectionError):
            return error

        # a client's error may make its text from other attributes, which are not redacted above
        message = shorten_message(error, *secrets)
        name = self.model or redact(repr(self.client), *secrets)
        # an error that is no client's stays as it is, such as a TypeError of the user's function
        return translate_error(error, name, message) or error

    def _find_secrets(self) -> list[str]:
        """Return the key and logins of an SDK's client, which no message may show."""
        return [self._find_sdk_key(), *self._find_sdk_logins()]

    def _find_sdk_key(self) -> str:
        """Return the key of an SDK's client, which has it as an attribute; "" if there is none."""
        key = getattr(self.client, "api_key", "")
        return key if isinstance(key, str) and key.isascii() else ""

    def _find_sdk_logins(self) -> list[str]:
        """Return the secrets in the address of an SDK's client."""
        address = str(getattr(self.client, "base_url", ""))
        return list(split_address(address).secrets)


def as_chat(client: ChatLike) -> Chat:
    """Return `client` if it is a `Chat`, else wrap it in a `FunctionChat`."""
    return client if isinstance(client, Chat) else FunctionChat(client)


def _call_function(function: Callable[..., object], request: Request) -> object:
    """Return what a function answers, called with those parts of `request` that it takes."""
    parameters = inspect.signature(function).parameters
    takes_any_name = any(
        parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    if takes_any_name:
        return function(**request)
    if "messages" not in parameters:
        return function(request["messages"])

    arguments = {name: value for name, value in request.items() if name in parameters}
    return function(**arguments)
