"""Any object of the user's as a chat client."""

import inspect
import time
from dataclasses import dataclass, field

from ..endpoints import blotted
from ..settings import BySettings
from ._answers import SHOWN, checked_text, refusal, refused, reply_of, translated
from .protocol import Reply

WAIT = 0.5  # seconds before the first repetition
LONGEST = 8.0


@dataclass(eq=False, repr=False)
class FunctionChat(BySettings):
    """A function, ``litellm.completion``, an SDK's client or a pyterrier-rag backend as a client.

    A function is called with the request's parts by name: `messages`, `model`, `temperature`,
    `max_tokens`, as far as it has parameters for them; one without a parameter `messages` gets them
    alone. It returns a text, None, or OpenAI's completion as an object or a dict. Of an object with
    ``chat.completions.create`` (the openai SDK's clients, Azure's too) that is the function; one
    with ``generate`` (pyterrier-rag's backends) gets a batch of one. Such a backend samples at
    temperature 1 unless it is made with ``generation_args={"temperature": 0.0}``, and returns an
    error's text in the place of a reply.

    Args:
        client: the function or object.
        model: what it is to be called in requests; recording needs it, and an SDK's client too.
        max_retries: how often a call is repeated after 429, 5xx, no answer or an error's text,
            waiting 0.5 s, then twice as long each time up to 8 s.
        error_text: a pattern at the beginning of replies that are the text of an error. If its
            first group is ``reduce_length`` or ``response_filtered`` the request is refused for
            good; else there was no answer.

    Raises:
        ConnectionError, TimeoutError: (when asking) no answer after all tries.
        Exception: whatever else the function raises; keys are blotted out of its message.
    """

    client: object
    model: str = ""
    max_retries: int = field(default=3, compare=False)
    error_text: str = r"\s*ERROR::(\w*)"

    def __repr__(self):
        return blotted(super().__repr__())

    def request(self, messages, **options) -> dict:
        """The whole request, with the model if it has a name."""
        named = {"model": self.model} if self.model else {}
        return {**named, "messages": messages, **options}

    def reply(self, request) -> Reply:
        """Call it; a refusal of the request's length or contents is a reply as well."""
        for tried in range(self.max_retries + 1):
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
                passes = isinstance(failure or error, (ConnectionError, TimeoutError))
                if not passes or tried == self.max_retries:
                    raise failure or error from None
            time.sleep(min(WAIT * 2**tried, LONGEST))

    def _called(self, request):
        if hasattr(self.client, "generate"):
            most = request.get("max_tokens")
            (output,) = self.client.generate([request["messages"]], max_new_tokens=most)
            return output
        if hasattr(self.client, "chat"):
            return self.client.chat.completions.create(**request)
        if not callable(self.client):
            raise TypeError(
                f"{self.client!r} is no chat client: give OpenAIChat(model), a function of "
                "messages, or an object with chat.completions.create or generate."
            )
        return _call(self.client, request)


def _call(function, request):
    """Call it with those parts of `request` that it has parameters for."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return function(**request)
    if "messages" not in parameters:
        return function(request["messages"])
    return function(**{name: value for name, value in request.items() if name in parameters})
