"""The two papers of an explanation: their sentences as they were scored, each at its id.

A sentence's id is its position in the paper, from 0. Columns state it: `query_sentence_ids` for the
query's sentences, `sentence_ids` for the candidate's. Without the column, the sentences at hand are
the paper, and are numbered.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from .. import frames
from ..datasets import DatasetLike
from ..text.contexts import Paper
from ..transformers import FacetQuery, Sentences

#: side -> its columns of ids and of sentences
COLUMNS = {
    "query": ("query_sentence_ids", "query_sentences"),
    "document": ("sentence_ids", "sentences"),
}
LISTS = (
    *("query_sentence_ids", "query_sentences", "query_labels"),
    *("query_paper_sentences", "query_paper_labels"),
    *("sentence_ids", "sentences", "labels"),
)


def read_query(row: pd.DataFrame, dataset: DatasetLike) -> Paper:
    """Return the query's paper: of the row's columns, or of `dataset`, as far as known."""
    columns = _known_columns(row)
    ids, title = columns.get("query_sentence_ids"), columns.get("query_title", "")
    if ids is not None and "query_paper_sentences" in columns:
        return _make_paper(
            title, columns["query_paper_sentences"], columns.get("query_paper_labels")
        )

    stored = None
    if dataset is not None and columns.get("query_docno"):
        topic = FacetQuery(dataset).transform(row[["qid", "query_docno"]]).iloc[0]
        title = topic["query_title"]
        stored = _make_paper(title, topic["query_paper_sentences"], topic["query_paper_labels"])
    return _put_into(stored, title, ids, columns["query_sentences"], columns.get("query_labels"))


def read_candidate(row: pd.DataFrame, dataset: DatasetLike) -> Paper:
    """Return the candidate's paper: of `dataset`, with the sentences as the row has them."""
    columns = _known_columns(row)
    title = columns.get("title", "")
    stored = None
    if dataset is not None:
        document = Sentences(dataset).transform(row[["docno"]]).iloc[0]
        title = document["title"]
        stored = _make_paper(title, document["sentences"], document["labels"])
    ids = columns.get("sentence_ids")
    return _put_into(stored, title, ids, columns["sentences"], columns.get("labels"))


def has_sentences(row: pd.DataFrame) -> bool:
    """Return whether a frame of at most one row has sentences of the query and of the document."""
    if row.empty:
        return False
    columns = _known_columns(row)
    in_paper = {"query_paper_sentences", "query_sentence_ids"} <= set(columns)
    has_query = in_paper or "query_sentences" in columns
    return has_query and len(columns.get("sentences", ())) > 0


def ids_of(row: pd.DataFrame, side: str) -> tuple[int, ...]:
    """Return the ids of the row's sentences, of the ``"query"`` or of the ``"document"``.

    Raises:
        ValueError: there are more or fewer ids than sentences.
    """
    ids_column, sentences_column = COLUMNS[side]
    columns = _known_columns(row)
    if ids_column not in columns:
        return tuple(range(len(columns[sentences_column])))

    ids = tuple(int(number) for number in columns[ids_column])
    count = len(columns.get(sentences_column, ids))
    if len(ids) != count:
        raise ValueError(
            f"Column {ids_column!r} has {len(ids)} positions for {count} sentences in "
            f"{sentences_column!r}: drop the same sentences from both columns, or drop the first."
        )
    return ids


def _known_columns(row: pd.DataFrame) -> dict[str, Any]:
    """Return the values of a frame's one row; a column of lists without a list is left out."""
    columns = row.iloc[0].to_dict()
    return {
        name: value for name, value in columns.items() if name not in LISTS or frames.is_list(value)
    }


def _put_into(
    stored: Paper | None,
    title: str,
    ids: Sequence[int] | None,
    sentences: Sequence[str],
    labels: Sequence[str] | None,
) -> Paper:
    """Return the stored paper with these sentences at their ids; without ids, these alone.

    Without a stored paper, the sentences between them are unknown: "".
    """
    if ids is None:
        return _make_paper(title, sentences, labels)

    size = max(ids, default=-1) + 1
    if stored is None:
        stored = Paper(title, ("",) * size, ("",) * size)
    if size > len(stored.sentences):
        raise ValueError(
            f"The paper {title!r} has {len(stored.sentences)} sentences, but ids up to {size - 1}: "
            "does the dataset hold the papers that were ranked?"
        )

    whole_sentences, whole_labels = list(stored.sentences), list(stored.labels)
    for number, position in enumerate(ids):
        whole_sentences[position] = sentences[number]
        if labels is not None:
            whole_labels[position] = labels[number]
    return Paper(title, tuple(whole_sentences), tuple(whole_labels))


def _make_paper(title: str, sentences: Sequence[str], labels: Sequence[str] | None) -> Paper:
    known_labels = [""] * len(sentences) if labels is None else labels
    return Paper(title, tuple(sentences), tuple(known_labels))
