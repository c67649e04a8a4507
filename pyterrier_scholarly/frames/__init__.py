"""Check frames at the door, look up once per key, rank what goes out.

Columns that pass between transformers:

- query: `qid`, `query`, `query_docno` (the paper it comes from), `facet`, `query_sentences`,
  `query_labels`; that paper's `query_title`, `query_paper_sentences` and `query_paper_labels`;
  `query_sentence_ids`, the positions of the query's sentences in it;
- document: `docno`, `title`, `text`, `sentences`, `labels`;
- result: `score` and `rank` (from 0).
"""

from .columns import has_text, refuse, some, texts_only
from .door import check, checked_values
from .lists import positions_only, sentences_only
from .rows import (
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

#: title, sentences and labels of the query's paper, and of a candidate
QUERY_PAPER = ("query_title", "query_paper_sentences", "query_paper_labels")
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
