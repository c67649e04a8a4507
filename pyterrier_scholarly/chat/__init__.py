"""Language models: clients, replies that are recorded and replayed, prompts as data."""

from .asking import Asking, in_parallel
from .function import FunctionChat
from .judging_prompts import JUDGING, JudgingPrompt
from .openai_chat import OpenAIChat
from .prompts import LISTWISE, ListwisePrompt
from .protocol import Reply, Unanswered, as_chat
from .question_prompts import QUESTIONS, Demonstration, QuestionPrompt
from .recorded import NotRecorded, Recorded
from .replies import Replies

__all__ = [
    "JUDGING",
    "LISTWISE",
    "QUESTIONS",
    "Asking",
    "Demonstration",
    "FunctionChat",
    "JudgingPrompt",
    "ListwisePrompt",
    "NotRecorded",
    "OpenAIChat",
    "QuestionPrompt",
    "Recorded",
    "Replies",
    "Reply",
    "Unanswered",
    "as_chat",
    "in_parallel",
]
