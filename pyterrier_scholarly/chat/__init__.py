"""Language models: clients, and replies that are recorded and replayed."""

from .asking import Asking, in_parallel
from .function import FunctionChat
from .openai_chat import OpenAIChat
from .protocol import Reply, Unanswered, as_chat
from .recorded import NotRecorded, Recorded
from .replies import Replies

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
