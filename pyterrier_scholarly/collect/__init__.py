"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from .annotations import Annotations, annotations
from .annotator_agreement import Agreement, agreement
from .aspects import Totals, aspect_pool, aspect_totals
from .citations import citation_graph
from .coefficients import against_people
from .collection_folders import question_rows, write_collection
from .drawn_pools import make_pools
from .error_sheets import (
    PoolOverlap,
    disagreement_rows,
    error_counts,
    error_rows,
    pool_overlap,
    read_errors,
    write_errors,
)
from .generated_questions import AskedQuestions, questions_from_citations
from .grading_sheets import (
    Adjudicated,
    grading_sheet,
    read_adjudication,
    read_grading,
    write_adjudication,
    write_grading,
)
from .llm_judge import Judgements, judge
from .mentions import MentionCounts, SampledMentions, sample_citation_mentions
from .question_parser import parse_questions
from .question_reviews import REVIEW, drop_overlapping, read_review, write_review
from .ratings import single_ratings
from .released_replies import Reread, reread_replies
from .sheets import Sheet

__all__ = [
    "REVIEW",
    "Adjudicated",
    "Agreement",
    "Annotations",
    "AskedQuestions",
    "Judgements",
    "MentionCounts",
    "PoolOverlap",
    "Reread",
    "SampledMentions",
    "Sheet",
    "Totals",
    "against_people",
    "agreement",
    "annotations",
    "aspect_pool",
    "aspect_totals",
    "citation_graph",
    "disagreement_rows",
    "drop_overlapping",
    "error_counts",
    "error_rows",
    "grading_sheet",
    "judge",
    "make_pools",
    "parse_questions",
    "pool_overlap",
    "question_rows",
    "questions_from_citations",
    "read_adjudication",
    "read_errors",
    "read_grading",
    "read_review",
    "reread_replies",
    "sample_citation_mentions",
    "single_ratings",
    "write_adjudication",
    "write_collection",
    "write_errors",
    "write_grading",
    "write_review",
]
