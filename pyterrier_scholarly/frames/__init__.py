"""Frames of data that transformers pass on: checked when they come in, ranked when they go out.

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        results = frames.check(results, self, ["qid", "docno", "sentences"])
        lengths = frames.per_key(results, ["sentences"], len)
        return frames.ranked(results.assign(score=lengths))

Columns that pass between transformers:

- query: `qid`, `query_docno` (the paper it comes from), `facet`; that paper's `query_title`,
  `query_paper_sentences` and `query_paper_labels`; `query_sentence_ids`, the positions of the
  sentences in it that ask; derived from these `query_sentences`, `query_labels` and `query` (see
  `query_checks`); perhaps `query_sentence_weights`, a number for each sentence that asks;
- document: `docno`, `title`, `text`, `sentences`, `labels`, `sentence_ids` (the positions of
  `sentences` in the document as it is stored);
- result: `score` and `rank` (from 0).
"""

from .column_checks import check_texts, has_text, refuse_rows, some
from .column_rules import check_columns
from .frame_checks import check, convert_to_objects
from .list_checks import check_positions, check_sentences, is_list
from .query_checks import QUERY_PAPER, is_query_column
from .rankings import (
    best_first,
    column,
    ranked,
    retrieved,
    rows_by_query,
    topic_columns,
    warn_of_unmatched,
    without_pairs,
)
from .row_groups import by_identity, numbered, per_key
from .screen import fit_screen

#: title, sentences and labels of a candidate
CANDIDATE = ("title", "sentences", "labels")

__all__ = [
    "CANDIDATE",
    "QUERY_PAPER",
    "best_first",
    "by_identity",
    "check",
    "check_columns",
    "check_positions",
    "check_sentences",
    "check_texts",
    "column",
    "convert_to_objects",
    "fit_screen",
    "has_text",
    "is_list",
    "is_query_column",
    "numbered",
    "per_key",
    "ranked",
    "refuse_rows",
    "retrieved",
    "rows_by_query",
    "some",
    "topic_columns",
    "warn_of_unmatched",
    "without_pairs",
]
