"""Add to topics what a faceted query by example asks with: sentences of a paper [Mysore2021].

    topics = pd.DataFrame({"qid": ["1"], "query_docno": ["1198964"], "facet": ["method"]})
    FacetQuery("csfcube").transform(topics)["query_sentences"][0]

Each distinct topic becomes a `Request`, from its columns or from the dataset. `choose_sentences`
makes a `FacetedQuery` of it, whose fields are the columns that are added.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from .. import datasets, frames
from ..datasets import DatasetLike
from ..text import split_sentences
from .asking_papers import AskingPaper, find_papers
from .faceted_queries import FacetedQuery, Request, choose_sentences
from .step import Step
from .stored_papers import StoredPaper, read_papers

PAPER_SENTENCES = "query_paper_sentences"
SENTENCES = "query_sentences"
POSITIONS = "query_sentence_ids"
WEIGHTS = "query_sentence_weights"
#: columns that may hold a query's text if there is no dataset; the first that is present is taken
TEXT_COLUMNS = (PAPER_SENTENCES, SENTENCES, "query_text", "query")
#: optional columns beside them
BESIDE_TEXT = ("query_title", "query_labels", "query_paper_labels")


@dataclass(eq=False, repr=False)
class FacetQuery(Step):
    """Add the facet query to topics, or to any frame with `qid`.

    Section 2 of [Mysore2021] defines two ways to ask. Definition 1: by a facet, with labels on the
    sentences of query and candidate. Definition 2: by any subset of the query's sentences.

    Columns out: all that came in, and the following, which replace existing ones:

    - `query_docno` (str, the paper), `facet` (str), `query_sentences` (list of str), `query_labels`
      (list of str, one per sentence) and `query` (the sentences joined by a blank);
    - the paper that they are read in: `query_title` (str), `query_paper_sentences` and
      `query_paper_labels` (lists of str), and `query_sentence_ids` (list of int), the positions of
      `query_sentences` in it, from 0.

    The paper and the positions are the truth, the other columns are derived from them. So whoever
    changes what a query asks with changes these, and puts ``FacetQuery()`` behind that. Steps that
    read a query refuse columns that disagree. (`query` may be rewritten, for a retriever.)

    With a `dataset`, the text is that of one of its documents:

    - column `query_docno` names it. Parameter or column `facet` says whose sentences are taken
      (Definition 1); without either, all are taken;
    - without that column, `qid` is the id of a query of the dataset. If the dataset has no queries
      (``csfcube``), `qid` is ``<paper>_<facet>``, or with parameter `facet` a paper.

    Without one, the topics bring the paper: column `query_paper_sentences` (with optional
    `query_title` and `query_paper_labels`), else `query_sentences` (with `query_labels`), else
    `query_text` or `query`, which are split. With labels, the sentences of the facet are taken,
    else all.

    A column `query_sentence_ids` chooses any sentences instead (Definition 2). It goes with
    `query_docno` or with a paper of the user's own, and is ignored if parameter `facet` is passed.
    A column `query_sentence_weights` (lists of numbers from 0) has one weight per sentence that
    asks; see `SentenceMaxSim`.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet: *background*, *method*, *result*, or a single sentence label; it takes precedence
            over a column and over the dataset's query. ``""`` takes all sentences, whatever facet
            these name.

    Raises:
        ValueError: an unknown query, paper or position, a text without a sentence of the facet,
            duplicate topics, NaN or empty text; names the `qid` and what is available.
    """

    dataset: DatasetLike | None = None
    facet: str | None = None

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        topics = self._check(topics)
        if topics.empty:
            empty_column = pd.Series([], dtype=object)
            return topics.assign(**dict.fromkeys(FacetedQuery._fields, empty_column))

        # behind a pool, a query has many rows: they share its request
        query_of_row, first_rows = frames.numbered(topics, self._list_read_columns(topics))
        distinct_topics = topics.iloc[first_rows]
        requests = self._make_requests(distinct_topics)
        queries = [choose_sentences(request) for request in requests]
        _check_weights(distinct_topics, queries)

        query_rows = [queries[number] for number in query_of_row]
        added = {}
        for name in FacetedQuery._fields:
            values = [getattr(query, name) for query in query_rows]
            added[name] = frames.column(values, topics.index)
        return topics.assign(**added)

    def _check(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Return the topics, after checking the columns that are read; see `frames.check`."""
        if self.dataset is not None:
            topics = frames.check(
                topics, self, ["qid"], optional=["facet", WEIGHTS], replaces_query=True
            )
            # without this column, the dataset's query says which sentences ask
            reads_positions = "query_docno" in topics.columns
        else:
            # any one of the columns of a text will do
            needed_alternatives = [["qid", column] for column in TEXT_COLUMNS]
            topics = frames.check(
                topics,
                self,
                *needed_alternatives,
                optional=["facet", WEIGHTS, *BESIDE_TEXT],
                remedy="Pass FacetQuery a dataset, or topics with a text of their own.",
                replaces_query=True,
            )
            reads_positions = True

        # parameter `facet` replaces positions
        if reads_positions and self.facet is None and POSITIONS in topics.columns:
            frames.check_positions(topics, POSITIONS)
        return topics

    def _list_read_columns(self, topics: pd.DataFrame) -> list[str]:
        """Return the columns that decide what a topic asks with."""
        columns = ["qid", "query_docno", "facet", POSITIONS]
        if self.dataset is None:
            columns += [*TEXT_COLUMNS, *BESIDE_TEXT]
        return [name for name in columns if name in topics.columns]

    def _make_requests(self, topics: pd.DataFrame) -> list[Request]:
        """Make the request of each topic."""
        if self.dataset is not None:
            requests = self._request_stored_papers(topics)
        else:
            _check_own_papers(topics, self.facet)
            rows = topics.to_dict("records")
            requests = [self._request_own_paper(row) for row in rows]

        if self.facet is None:
            return requests
        # the parameter takes precedence over columns and over the dataset's queries
        return [request._replace(facet=self.facet) for request in requests]

    def _request_own_paper(self, row: Mapping[Any, Any]) -> Request:
        """Make the request of a topic that brings its text, from the values of its columns."""
        text = _read_own_text(row)
        labels = text.labels
        if labels is None:
            labels = [""] * len(text.sentences)

        # which sentences ask
        positions: Sequence[int] | None
        if self._has_positions(row):
            positions = self._read_positions(row)
        elif text.labels is not None:
            positions = None  # the facet decides, by the labels
        else:
            positions = list(range(len(text.sentences)))  # a facet cannot choose: all of them ask

        return Request(
            qid=row["qid"],
            docno=row.get("query_docno", ""),
            facet=row.get("facet", ""),
            positions=positions,
            title=row.get("query_title", ""),
            sentences=text.sentences,
            labels=labels,
        )

    def _request_stored_papers(self, topics: pd.DataFrame) -> list[Request]:
        """Make the requests of topics that ask with documents of the dataset.

        Column `query_docno` names a topic's paper; without it, `qid` is the id of a query.
        """
        assert self.dataset is not None
        qids = topics["qid"].tolist()
        if "query_docno" not in topics.columns:
            asking_papers = find_papers(self.dataset, qids, self.facet)
        else:
            asking_papers = [
                AskingPaper(row["query_docno"], row.get("facet", ""), self._read_positions(row))
                for row in topics.to_dict("records")
            ]

        paper_of = self._read_papers(asking.doc_id for asking in asking_papers)
        requests = []
        for qid, asking in zip(qids, asking_papers):
            paper = paper_of[asking.doc_id]
            request = Request(
                qid=qid,
                docno=asking.doc_id,
                facet=asking.facet,
                positions=asking.positions,
                title=paper.title,
                # lists of their own: whoever changes a frame's list changes no paper that is held
                sentences=list(paper.sentences),
                labels=list(paper.labels),
                is_stored=True,
            )
            requests.append(request)
        return requests

    def _read_papers(self, doc_ids: Iterable[str]) -> Mapping[str, StoredPaper]:
        """Return papers of the dataset by id; each is read once while the dataset's files stay."""
        assert self.dataset is not None
        # our datasets return the same store until their files change
        store = datasets.irds(self.dataset).docs_store()
        papers: dict[str, StoredPaper] = self.held("papers", dict, store)

        unread_ids = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id not in papers]
        papers.update(read_papers(self.dataset, unread_ids))
        return papers

    def _has_positions(self, row: Mapping[Any, Any]) -> bool:
        """Return whether a topic has positions that count: parameter `facet` replaces them."""
        return self.facet is None and POSITIONS in row

    def _read_positions(self, row: Mapping[Any, Any]) -> Sequence[int] | None:
        """Return the positions of a topic's sentences; None if the facet decides."""
        if not self._has_positions(row):
            return None
        positions = row[POSITIONS]
        is_missing = positions is None or isinstance(positions, float)  # NaN
        return None if is_missing else positions


class OwnText(NamedTuple):
    """The sentences of a topic that brings its text."""

    sentences: Sequence[str]
    labels: Sequence[str] | None  #: one per sentence; None without a column of labels


def _read_own_text(row: Mapping[Any, Any]) -> OwnText:
    """Return the sentences of a topic's text, and their labels, from the values of its columns.

    Of several columns with a text, the first of TEXT_COLUMNS is read.
    """
    if PAPER_SENTENCES in row:
        return OwnText(row[PAPER_SENTENCES], row.get("query_paper_labels"))
    if SENTENCES in row:
        return OwnText(row[SENTENCES], row.get("query_labels"))

    text = row["query_text"] if "query_text" in row else row["query"]
    return OwnText(split_sentences(text), row.get("query_labels"))


def _check_own_papers(topics: pd.DataFrame, facet: str | None) -> None:
    """Raise ValueError for a paper beside sentences if nothing says where in it these are."""
    has_both = {PAPER_SENTENCES, SENTENCES} <= set(topics.columns)
    if has_both and facet is None and POSITIONS not in topics.columns:
        raise ValueError(
            "Columns query_paper_sentences and query_sentences do not say which sentences of "
            "the paper ask: add a column query_sentence_ids (lists of positions from 0), pass "
            "facet=…, or drop one of the two."
        )


def _check_weights(topics: pd.DataFrame, queries: Sequence[FacetedQuery]) -> None:
    """Raise ValueError unless each weight of a query belongs to a sentence that asks."""
    if WEIGHTS not in topics.columns:
        return
    for qid, weights, query in zip(topics["qid"], topics[WEIGHTS], queries):
        if len(weights) != len(query.query_sentences):
            raise ValueError(
                f"Query {qid} asks with {len(query.query_sentences)} sentences, and has "
                f"{len(weights)} weights: {WEIGHTS} must hold one for each sentence that asks."
            )
