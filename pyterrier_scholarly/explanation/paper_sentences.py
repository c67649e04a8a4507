"""The two papers of an explanation: their sentences as they were scored, each at its id.

::

    query_paper = read_query(row, dataset)
    query_paper.sentences[read_query_ids(row)[0]]  # the first sentence that was scored

A sentence's id is its position in the paper, from 0. Columns state it: `query_sentence_ids`, which
`FacetQuery` adds, for the query's sentences; `sentence_ids`, which `Sentences` adds, for the
candidate's. Without the column, the sentences of the row are the paper, and are numbered.

Conventions: `row` is a frame of one row, a scorer's input.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from .. import frames
from ..datasets import DatasetLike
from ..text.contexts import Paper
from ..transformers import FacetQuery, Sentences

LIST_COLUMNS = (
    "query_sentence_ids",
    "query_sentences",
    "query_labels",
    "query_paper_sentences",
    "query_paper_labels",
    "sentence_ids",
    "sentences",
    "labels",
)


def has_sentences(row: pd.DataFrame) -> bool:
    """Return whether a frame of at most one row has sentences of the query and of the document."""
    if row.empty:
        return False

    values = _read_values(row)
    has_ids_in_paper = "query_paper_sentences" in values and "query_sentence_ids" in values
    has_query = has_ids_in_paper or "query_sentences" in values
    has_document = len(values.get("sentences", ())) > 0
    return has_query and has_document


def read_query_ids(row: pd.DataFrame) -> tuple[int, ...]:
    """Return the ids of the query's sentences in a row; ValueError: see `_read_ids`."""
    return _read_ids(row, "query_sentence_ids", "query_sentences")


def read_document_ids(row: pd.DataFrame) -> tuple[int, ...]:
    """Return the ids of the document's sentences in a row; ValueError: see `_read_ids`."""
    return _read_ids(row, "sentence_ids", "sentences")


def read_query(row: pd.DataFrame, dataset: DatasetLike | None) -> Paper:
    """Return the query's paper: its title, and all of its sentences that are known.

    It is the paper that the row itself has, if any. Else, with a dataset, it is the dataset's
    paper, in which the row's sentences replace those at the same ids. Else only the row's sentences
    are known.
    """
    values = _read_values(row)
    title = values.get("query_title", "")
    has_paper_itself = "query_sentence_ids" in values and "query_paper_sentences" in values
    if has_paper_itself:
        labels = values.get("query_paper_labels")
        return _make_paper(title, values["query_paper_sentences"], labels)

    stored_paper = None
    if dataset is not None and values.get("query_docno"):
        stored_paper = _read_stored_query(row, dataset)
        title = stored_paper.title

    scored_sentences = ScoredSentences(
        ids=values.get("query_sentence_ids"),
        sentences=values["query_sentences"],
        labels=values.get("query_labels"),
    )
    return _place_sentences(scored_sentences, stored_paper, title)


def read_candidate(row: pd.DataFrame, loader: Sentences | None) -> Paper:
    """Return the candidate's paper: its title, and all of its sentences that are known.

    With a loader it is a dataset's paper, in which the row's sentences replace those at the same
    ids. Without one only the row's sentences are known.

    Args:
        row: a frame of one row, the candidate's.
        loader: what reads the candidate's paper from a dataset, or None.
    """
    values = _read_values(row)
    title = values.get("title", "")

    stored_paper = None
    if loader is not None:
        stored_paper = _read_stored_candidate(row, loader)
        title = stored_paper.title

    scored_sentences = ScoredSentences(
        ids=values.get("sentence_ids"),
        sentences=values["sentences"],
        labels=values.get("labels"),
    )
    return _place_sentences(scored_sentences, stored_paper, title)


def _read_stored_query(row: pd.DataFrame, dataset: DatasetLike) -> Paper:
    """Return the dataset's paper that a row's query comes from (`query_docno`)."""
    topic = FacetQuery(dataset).transform(row[["qid", "query_docno"]]).iloc[0]
    return _make_paper(
        topic["query_title"], topic["query_paper_sentences"], topic["query_paper_labels"]
    )


def _read_stored_candidate(row: pd.DataFrame, loader: Sentences) -> Paper:
    """Return the dataset's paper that is a row's candidate (`docno`)."""
    paper_row = loader.transform(row[["docno"]]).iloc[0]
    return _make_paper(paper_row["title"], paper_row["sentences"], paper_row["labels"])


def _read_values(row: pd.DataFrame) -> dict[str, Any]:
    """Return the row's values by column; a column of lists without a list is left out."""
    values = {}
    for column, value in row.iloc[0].to_dict().items():
        is_missing_list = column in LIST_COLUMNS and not frames.is_list(value)
        if not is_missing_list:
            values[column] = value
    return values


def _read_ids(row: pd.DataFrame, ids_column: str, sentences_column: str) -> tuple[int, ...]:
    """Return the ids of a row's sentences, which are their positions in the paper.

    Without a column of ids, the sentences are the paper: 0, 1, 2, … Without a column of sentences,
    the ids point into the paper that the row has in another column.

    Raises:
        ValueError: there are more or fewer ids than sentences.
    """
    values = _read_values(row)
    if ids_column not in values:
        sentence_count = len(values[sentences_column])
        return tuple(range(sentence_count))

    ids = tuple(int(number) for number in values[ids_column])
    if sentences_column not in values:
        return ids

    sentence_count = len(values[sentences_column])
    if len(ids) != sentence_count:
        raise ValueError(
            f"Column {ids_column!r} has {len(ids)} positions for {sentence_count} sentences in "
            f"{sentences_column!r}: drop the same sentences from both columns, or drop the first."
        )
    return ids


class ScoredSentences(NamedTuple):
    """Sentences of a paper as a scorer read them."""

    ids: Sequence[int] | None  #: None if their places in the paper are unknown
    sentences: Sequence[str]
    labels: Sequence[str] | None  #: None without labels


def _place_sentences(scored: ScoredSentences, stored_paper: Paper | None, title: str) -> Paper:
    """Return the stored paper with the scored sentences at their ids, which are positions in it.

    Without ids, the scored sentences are the paper. Without a stored paper, all other sentences are
    unknown: "".

    Raises:
        ValueError: an id beyond the end of the stored paper.
    """
    if scored.ids is None:
        return _make_paper(title, scored.sentences, scored.labels)

    largest_id = max(scored.ids, default=-1)
    least_size = largest_id + 1
    if stored_paper is None:
        unknown_sentences = [""] * least_size
        stored_paper = _make_paper(title, unknown_sentences, labels=None)
    if least_size > len(stored_paper.sentences):
        raise ValueError(
            f"The paper {title!r} has {len(stored_paper.sentences)} sentences, but ids up to "
            f"{largest_id}: does the dataset hold the papers that were ranked?"
        )

    paper_sentences = list(stored_paper.sentences)
    for sentence_id, sentence in zip(scored.ids, scored.sentences):
        paper_sentences[sentence_id] = sentence

    paper_labels = list(stored_paper.labels)
    if scored.labels is not None:
        for sentence_id, label in zip(scored.ids, scored.labels):
            paper_labels[sentence_id] = label
    return _make_paper(title, paper_sentences, paper_labels)


def _make_paper(title: str, sentences: Sequence[str], labels: Sequence[str] | None) -> Paper:
    """Make a paper; without labels, each sentence's is ""."""
    if labels is None:
        labels = [""] * len(sentences)
    return Paper(title, tuple(sentences), tuple(labels))
