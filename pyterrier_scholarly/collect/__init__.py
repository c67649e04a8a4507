"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from ._question_replies import parse_questions
from .agreeing import Agreement, agreement
from .aspect_pooling import aspect_pool
from .inviting import AUTHOR_QUESTIONS, Invitation
from .judging import Judgements, judge
from .overlapping import drop_overlapping
from .pooling import pool
from .questions import AskedQuestions, questions_from_citations
from .rereading import Reread, reread_replies
from .reviewing import REVIEW, question_rows, read_review, write_review
from .sheets import Sheet
from .single import single_ratings
from .totals import Totals, aspect_totals
from .writing import write_collection

__all__ = [
    "AUTHOR_QUESTIONS",
    "REVIEW",
    "Agreement",
    "AskedQuestions",
    "Invitation",
    "Judgements",
    "Reread",
    "Sheet",
    "Totals",
    "agreement",
    "aspect_pool",
    "aspect_totals",
    "drop_overlapping",
    "judge",
    "parse_questions",
    "pool",
    "question_rows",
    "questions_from_citations",
    "read_review",
    "reread_replies",
    "single_ratings",
    "write_collection",
    "write_review",
]
