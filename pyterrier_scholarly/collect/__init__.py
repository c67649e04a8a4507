"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from ._question_replies import parse_questions
from .agreeing import Agreement, agreement
from .overlapping import drop_overlapping
from .questions import AskedQuestions, questions_from_citations
from .reviewing import question_rows, read_review, write_review
from .single import single_ratings
from .writing import write_collection

__all__ = [
    "Agreement",
    "AskedQuestions",
    "agreement",
    "drop_overlapping",
    "parse_questions",
    "question_rows",
    "questions_from_citations",
    "read_review",
    "single_ratings",
    "write_collection",
    "write_review",
]
