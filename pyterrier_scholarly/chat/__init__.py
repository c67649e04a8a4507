"""Language models: clients, and replies that are recorded and replayed."""

from .chat_requests import Asking, in_parallel
from .client_protocol import FunctionChat, Unanswered, as_chat
from .clients import NotRecorded, OpenAIChat, Recorded
from .replies import Replies, Reply

__all__ = [
    "Asking",
    "FunctionChat",
    "NotRecorded",
    "OpenAIChat",
    "Recorded",
    "Replies",
    "Reply",
    "Unanswered",
    "as_chat",
    "in_parallel",
]
