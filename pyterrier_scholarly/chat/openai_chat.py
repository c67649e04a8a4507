"""Any endpoint that speaks OpenAI's chat protocol, by the openai SDK."""

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from ..settings import BySettings
from ._answers import SHOWN, completion_reply, refusal, refused, translated
from .protocol import Reply

OPENAI = "https://api.openai.com/v1"
SECRET = 16  # characters that a key has at least that is one
NO_KEY = "none"  # the SDK wants one; servers of one's own mostly do not


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
        parts = urlsplit(self.base_url or "")
        if "@" in parts.netloc or parts.query:  # not shown here: it is what should not be shown
            raise ValueError(
                f"base_url must be no more than scheme, host and path, as in '{OPENAI}': "
                f"put a key into the environment, as {self.key_variable}."
            )

    @property
    def url(self) -> str:
        """The endpoint that is asked."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI

    def request(self, messages, **options) -> dict:
        """The whole request: model, messages and options, without those that are None."""
        whole = {"model": self.model, "messages": messages, **options, **(self.options or {})}
        return {name: value for name, value in whole.items() if value is not None}

    def reply(self, request) -> Reply:
        """Ask; a refusal of the request's length or contents is a reply as well."""
        key = self._secret()
        sdk = _sdk(self.url, key or NO_KEY, self.timeout, self.max_retries)
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
        said = f"{_blotted(error, key):.{SHOWN}}".rstrip(". ")
        if isinstance(error, ConnectionError):
            return ConnectionError(f"{where}: {said}.")
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):  # no JSON
            return ConnectionError(f"{where}: the answer cannot be read ({said}).")
        failure = translated(error, where, said)
        if isinstance(failure, PermissionError):
            return PermissionError(f"{failure} It was read from {self.key_variable}.")
        return failure or error

    def _secret(self):
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise PermissionError(
                f"The key in {self.key_variable} has characters that no key has: copy it again."
            )
        if not key and self.url == OPENAI:
            raise PermissionError(
                f"{self.url} needs a key: put it into the environment, as {self.key_variable}. For "
                "a server of your own give base_url, such as 'http://localhost:8000/v1'."
            )
        return key


def _blotted(error, key):
    said = str(error)
    return said.replace(key, "***") if key else said


def _clean(reply, key):
    """`reply` without the key, where an endpoint repeats it: replies are kept and given away."""
    text = json.dumps(reply.to_dict())
    if len(key) < SECRET or key not in text:  # a short key, like "none", is no secret but a word
        return reply
    return Reply.from_dict(json.loads(text.replace(key, "***")))


@lru_cache(maxsize=4)
def _sdk(url, key, timeout, max_retries):
    """One SDK client for all threads: it keeps connections open."""
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            'Chat by API needs the openai package: run `pip install "pyterrier-scholarly[api]"`.'
        ) from error
    return openai.OpenAI(api_key=key, base_url=url, timeout=timeout, max_retries=max_retries)
