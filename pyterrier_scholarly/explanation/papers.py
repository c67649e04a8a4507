"""The two papers of an explanation: their sentences as they were scored, each at its id.

A sentence's id is its position in the paper, from 0. Columns state it: `query_sentence_ids` for the
query's sentences, `sentence_ids` for the candidate's. Without the column, the sentences at hand are
the paper, and are numbered.
"""

from collections.abc import Sequence

import pandas as pd

from ..text.contexts import Paper
from ..transformers import FacetQuery, Sentences

#: side -> its columns of ids and of sentences
COLUMNS = {
    "query": ("query_sentence_ids", "query_sentences"),
    "document": ("sentence_ids", "sentences"),
}


def read_query(row: pd.DataFrame, dataset: object) -> Paper:
    """Return the query's paper: of the row's columns, or of `dataset`, as far as known."""
    columns = row.iloc[0].to_dict()
    sentences, labels = columns.get("query_sentences"), columns.get("query_labels")
    ids = columns.get("query_sentence_ids")
    title = columns.get("query_title", "")
    if ids is not None and "query_paper_sentences" in columns:
        paper = columns["query_paper_sentences"]
        return _paper(title, paper, columns.get("query_paper_labels"))

    stored = None
    if dataset is not None and columns.get("query_docno"):
        topic = row[["qid", "query_docno"]]
        (stored_row,) = FacetQuery(dataset).transform(topic).to_dict("records")
        title = stored_row["query_title"]
        stored = _paper(
            title, stored_row["query_paper_sentences"], stored_row["query_paper_labels"]
        )
    return _put_into(stored, title, ids, sentences, labels)


def read_candidate(row: pd.DataFrame, dataset: object) -> Paper:
    """Return the candidate's paper: of `dataset`, with the sentences as the row has them."""
    columns = row.iloc[0].to_dict()
    sentences, labels = columns["sentences"], columns.get("labels")
    ids = columns.get("sentence_ids")
    title = columns.get("title", "")

    stored = None
    if dataset is not None:
        (stored_row,) = Sentences(dataset).transform(row[["docno"]]).to_dict("records")
        title = stored_row["title"]
        stored = _paper(title, stored_row["sentences"], stored_row["labels"])
    return _put_into(stored, title, ids, sentences, labels)


def has_sentences(row: pd.DataFrame) -> bool:
    """Return whether a frame of a row at most has sentences of the query and of the document."""
    if row.empty or "sentences" not in row.columns:
        return False
    asks = {"query_sentences", "query_sentence_ids"} & set(row.columns)
    return bool(asks) and len(row["sentences"].iloc[0]) > 0


def ids_of(row: pd.DataFrame, side: str) -> tuple[int, ...]:
    """Return the ids of the row's sentences, of the ``"query"`` or of the ``"document"``."""
    ids_column, sentences_column = COLUMNS[side]
    columns = row.iloc[0].to_dict()
    if ids_column in columns:
        return tuple(int(number) for number in columns[ids_column])
    return tuple(range(len(columns[sentences_column])))


def _put_into(
    stored: Paper | None,
    title: str,
    ids: Sequence[int] | None,
    sentences: Sequence[str],
    labels: Sequence[str] | None,
) -> Paper:
    """Put sentences at their ids into the stored paper; those of no other paper without ids.

    An unknown sentence between them is "".
    """
    if ids is None:
        return _paper(title, sentences, labels)

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


def _paper(title: str, sentences: Sequence[str], labels: Sequence[str] | None) -> Paper:
    known_labels = [""] * len(sentences) if labels is None else labels
    return Paper(title, tuple(sentences), tuple(known_labels))
