"""A language model behind an API with OpenAI's protocol, as a chat client.

client = OpenAIChat("gpt-4o-2024-05-13")
reply = client.reply(client.request([{"role": "user", "content": "Hello"}], temperature=0))
"""

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..arguments import Name, Natural, Positive
from ..redaction import redact, redact_error
from ..settings import BySettings
from .client_errors import find_refusal, shorten_message, translate_error
from .client_protocol import Messages, Request
from .completions import read_completion
from .endpoints import BASE_URL, check_url, create_sdk_client, endpoint_url, require_key
from .reply import Reply, create_refusal
from .secret_headers import fill_headers, hide_headers

if TYPE_CHECKING:
    from openai import OpenAI


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
        ValueError: a key inside `base_url` or in place of `key_variable`; (when asking) a request
            that the endpoint refuses.
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
        check_url(self.base_url, self.key_variable)

    def __repr__(self) -> str:
        if self.options is None:
            shown_client = self
        else:
            shown_client = replace(self, options=hide_headers(self.options))
        return redact(BySettings.__repr__(shown_client))

    def __getstate__(self) -> dict[str, object]:
        """Return the settings without secrets: a pickle may be stored, or sent elsewhere."""
        state = super().__getstate__()
        if self.options is not None:
            state["options"] = hide_headers(self.options)
        return state

    @property
    def url(self) -> str:
        """The endpoint."""
        return endpoint_url(self.base_url)

    def request(self, messages: Messages, **options: object) -> Request:
        """Return the whole request: model, messages and options, without those that are None."""
        own_options = self.options or {}
        parts = {"model": self.model, "messages": messages, **options, **own_options}
        return {name: value for name, value in parts.items() if value is not None}

    def reply(self, request: Request) -> Reply:
        """Return the endpoint's reply; a refusal for length or content is a reply, too."""
        filled_request = fill_headers(request, self)
        key = require_key(self.url, self.key_variable)
        secrets = [key, *filled_request.secrets]
        sdk = self._load_sdk(key)

        try:
            completion = sdk.chat.completions.create(**filled_request.request)
            return read_completion(completion).redacted(keys=secrets)
        except Exception as error:
            refusal = find_refusal(error)
            failure = self._translate(error, secrets)

        if refusal:
            return create_refusal(refusal, self.model)
        raise failure  # outside of the handler: the SDK's errors may contain the key

    def _load_sdk(self, key: str) -> "OpenAI":
        """Return the SDK's client: one for all threads, which reuses connections."""
        url = self.url
        settings = {"timeout": self.timeout, "max_retries": self.max_retries}

        def create() -> "OpenAI":
            return create_sdk_client("Chat", url, key, **settings)

        # the environment's address may have credentials, which `url` does not show
        environment_url = os.environ.get(BASE_URL)
        # a new client is created when one of these changes
        return self.held("sdk", create, url, key, settings, environment_url)

    def _translate(self, error: Exception, secrets: list[str]) -> Exception:
        """Return the built-in exception for an error, or the error itself; without secrets."""
        redact_error(error, *secrets)  # because the error itself may be returned
        # an SDK's error may make its text from other attributes, which are not redacted above
        message = shorten_message(error, *secrets)
        endpoint = f"{self.url} ({self.model})"

        if isinstance(error, ConnectionError):
            return ConnectionError(f"{endpoint}: {message}.")
        if _is_unreadable_answer(error):
            return ConnectionError(f"{endpoint}: the answer cannot be read ({message}).")

        # an error that is not the SDK's stays as it is
        return translate_error(error, endpoint, message, self.key_variable) or error


def _is_unreadable_answer(error: Exception) -> bool:
    """Return whether an error of the SDK says that the endpoint's answer is no JSON.

    It is then Python's own ValueError. A UnicodeError is one, too, but says that the request has
    characters that cannot be sent.
    """
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)
