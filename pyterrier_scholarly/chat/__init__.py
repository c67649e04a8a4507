"""Language models: clients, and replies that are recorded and replayed."""

from .asking import Asking, in_parallel
from .clients import FunctionChat, OpenAIChat
from .protocol import Reply, Unanswered, as_chat
from .replies import NotRecorded, Recorded, Replies

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
