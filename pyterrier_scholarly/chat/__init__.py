"""Language models: clients, runs of requests, and replies that are recorded and replayed."""

from .chat_run import Answer, ChatRun
from .client_protocol import Unanswered
from .function_chat import FunctionChat, as_chat
from .openai_chat import OpenAIChat
from .parallel_jobs import Job, run_in_parallel
from .recorded_chat import NotRecorded, Recorded
from .reply import Reply
from .reply_store import Replies

__all__ = [
    "Answer",
    "ChatRun",
    "FunctionChat",
    "Job",
    "NotRecorded",
    "OpenAIChat",
    "Recorded",
    "Replies",
    "Reply",
    "Unanswered",
    "as_chat",
    "run_in_parallel",
]
