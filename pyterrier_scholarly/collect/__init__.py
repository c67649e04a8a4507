"""Making a collection: pools, judgements, agreement between judges, and the folder in the end."""

from .adjudication import Adjudicated, read_adjudication, write_adjudication
from .annotator_agreement import Agreement, agreement
from .aspect_pools import aspect_pool
from .aspect_sums import Totals, aspect_totals
from .citations import citation_graph
from .collection_folders import write_collection
from .drawn_pools import make_pools
from .error_sheets import error_counts, read_errors, write_errors
from .generated_questions import AskedQuestions, questions_from_citations
from .grading_sheets import grading_sheet, read_grading, write_grading
from .judge_errors import disagreement_rows
from .llm_judge import Judgements, judge
from .mentions import MentionCounts, SampledMentions, sample_citation_mentions
from .people_majority import against_people
from .pool_overlaps import PoolOverlap, pool_overlap
from .query_annotations import Annotations, annotations
from .question_parser import parse_questions
from .question_reviews import REVIEW, read_review, write_review
from .question_tables import question_rows
from .released_ratings import single_ratings
from .released_replies import Reread, reread_replies
from .retrieval_errors import error_rows
from .sheets import Sheet
from .title_overlaps import drop_overlapping

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
