"""Language models: clients, and replies that are recorded and replayed."""

from .asking import Asking, in_parallel
from .clients import NotRecorded, OpenAIChat, Recorded
from .protocol import FunctionChat, Unanswered, as_chat
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
