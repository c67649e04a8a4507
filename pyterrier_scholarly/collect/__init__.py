"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from .against_people import against_people
from .agreeing import Agreement, agreement
from .aspects import Totals, aspect_pool, aspect_totals
from .grading import (
    Adjudicated,
    grading_sheet,
    read_adjudication,
    read_grading,
    write_adjudication,
    write_grading,
)
from .judging import Judgements, judge
from .overlapping import drop_overlapping
from .pooling import make_pools
from .questions import AskedQuestions, questions_from_citations
from .ratings import single_ratings
from .replies import Reread, parse_questions, reread_replies
from .reviewing import REVIEW, question_rows, read_review, write_review
from .sharing import PoolOverlap, pool_overlap
from .sheets import Sheet
from .tagging import error_counts, error_rows, read_errors, write_errors
from .writing import write_collection

__all__ = [
    "Adjudicated",
    "read_adjudication",
    "write_adjudication",
    "against_people",
    "read_grading",
    "write_grading",
    "PoolOverlap",
    "pool_overlap",
    "error_counts",
    "error_rows",
    "grading_sheet",
    "read_errors",
    "write_errors",
    "REVIEW",
    "Agreement",
    "AskedQuestions",
    "Judgements",
    "Reread",
    "Sheet",
    "Totals",
    "agreement",
    "aspect_pool",
    "aspect_totals",
    "drop_overlapping",
    "judge",
    "make_pools",
    "parse_questions",
    "question_rows",
    "questions_from_citations",
    "read_review",
    "reread_replies",
    "single_ratings",
    "write_collection",
    "write_review",
]
