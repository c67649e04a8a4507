"""Check frames at the door, look up once per key, rank what goes out.

Columns that pass between transformers:

- query: `qid`, `query_docno` (the paper it comes from), `facet`; that paper's `query_title`,
  `query_paper_sentences` and `query_paper_labels`; `query_sentence_ids`, the positions of the
  sentences in it that ask; derived from these `query_sentences`, `query_labels` and `query` (see
  `queries`); perhaps `query_sentence_weights`, a number for each sentence that asks;
- document: `docno`, `title`, `text`, `sentences`, `labels`, `sentence_ids` (the positions of
  `sentences` in the document as it is stored);
- result: `score` and `rank` (from 0).
"""

from .column_checks import has_text, refuse, some, texts_only
from .frame_checks import check, checked_values
from .list_checks import positions_only, sentences_only
from .query_checks import QUERY_PAPER, is_list, is_query_column
from .row_groups import (
    best_first,
    by_identity,
    column,
    numbered,
    per_key,
    ranked,
    retrieved,
    rows_by_query,
    topic_columns,
    without_pairs,
)
from .screen import fit_screen

#: title, sentences and labels of a candidate
CANDIDATE = ("title", "sentences", "labels")

__all__ = [
    "CANDIDATE",
    "QUERY_PAPER",
    "best_first",
    "by_identity",
    "check",
    "checked_values",
    "column",
    "fit_screen",
    "has_text",
    "is_list",
    "is_query_column",
    "numbered",
    "per_key",
    "positions_only",
    "ranked",
    "refuse",
    "retrieved",
    "rows_by_query",
    "sentences_only",
    "some",
    "texts_only",
    "topic_columns",
    "without_pairs",
]
