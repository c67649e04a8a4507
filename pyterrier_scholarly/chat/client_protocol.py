"""What a chat client is: the protocol `Chat`, what can be wrapped as one, and how it fails.

    class Echo:
        def request(self, messages, **options):
            return {"model": "echo", "messages": messages, **options}

        def reply(self, request):
            return Reply(request["messages"][-1]["content"])

A plain function of messages will do, too: see `FunctionChat`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from .reply import Reply

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


class SdkClient(Protocol):
    """A client of an SDK like openai's, with ``chat.completions.create(**request)``."""

    @property
    def chat(self) -> Any:
        """The SDK's resource with ``completions``."""


class Backend(Protocol):
    """A backend of pyterrier-rag, which answers a batch of prompts."""

    def generate(self, prompts: Any, /, *, max_new_tokens: int | None) -> Sequence[object]:
        """Return an output for each of the prompts."""


#: a client, or what `as_chat` makes one of
ChatLike: TypeAlias = Chat | Callable[..., object] | SdkClient | Backend


class Unanswered(ConnectionError):
    """A request without an answer after all tries; it may succeed later."""


class RunOver(RuntimeError):
    """Another request ended the run; the message has its error."""
