"""What a faceted query by example asks with: some sentences of a paper [Mysore2021]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pandas as pd

from ir_datasets_ext.facets import FACETS, split

from .. import datasets, frames
from ..datasets import DatasetLike
from ..text import split_sentences
from ..text.contexts import at, facets_in, positions_of
from .sentences import read_papers
from .step import Step

PAPER, SENTENCES = "query_paper_sentences", "query_sentences"
WEIGHTS = "query_sentence_weights"
#: columns that may hold a query's text if there is no dataset; the first that is present is taken
TEXTS = (PAPER, SENTENCES, "query_text", "query")
BESIDE = ("query_title", "query_labels", "query_paper_labels")  # optional columns beside TEXTS


class Request(NamedTuple):
    """What a topic asks with, before its sentences are chosen.

    Attributes:
        qid: the query's id.
        docno: the id of its paper, or "".
        facet: whose sentences are taken, or "" for all.
        positions: the sentences that are taken instead; None or NaN for those of the facet.
        title, sentences, labels: of the paper.
    """

    qid: str
    docno: str
    facet: str
    positions: Sequence[int] | float | None
    title: str
    sentences: Sequence[str]
    labels: Sequence[str]


class FacetedQuery(NamedTuple):
    """The columns that `FacetQuery` adds, of one query."""

    query_docno: str
    facet: str
    query_sentences: list[str]
    query_labels: list[str]
    query: str
    query_sentence_ids: list[int]
    query_title: str
    query_paper_sentences: Sequence[str]
    query_paper_labels: Sequence[str]


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
            over a column and over the dataset's query.

    Raises:
        ValueError: an unknown query, paper or position, a text without a sentence of the facet,
            duplicate topics, NaN or empty text; names the `qid` and what is available.
    """

    dataset: DatasetLike | None = None
    facet: str | None = None

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        if self.dataset is None:
            topics = frames.check(
                topics,
                self,
                *(["qid", column] for column in TEXTS),
                optional=["facet", WEIGHTS, *BESIDE],
                remedy="Pass FacetQuery a dataset, or topics with a text of their own.",
                replaces_query=True,
            )
        else:
            topics = frames.check(
                topics, self, ["qid"], optional=["facet", WEIGHTS], replaces_query=True
            )
        if topics.empty:
            nothing = {name: pd.Series([], dtype=object) for name in FacetedQuery._fields}
            return topics.assign(**nothing)

        read = self._from_columns if self.dataset is None else self._from_dataset
        requests = read(topics)
        if self.facet is not None:
            requests = requests.assign(facet=self.facet)
        queries = frames.per_key(
            requests, Request._fields, lambda *values: choose_sentences(Request(*values))
        )
        _check_weights(topics, queries)
        added = {
            name: frames.column([getattr(query, name) for query in queries], topics.index)
            for name in FacetedQuery._fields
        }
        return topics.assign(**added)

    def _from_columns(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Make a frame of Requests, row by row, from the topics' own text."""
        column = next(name for name in TEXTS if name in topics.columns)
        sentences = topics[column]
        if column not in (PAPER, SENTENCES):
            sentences = frames.per_key(topics, [column], split_sentences)
        labels = topics.get("query_paper_labels" if column == PAPER else "query_labels")

        positions = self._positions(topics)
        if positions is None and self.facet is None and {PAPER, SENTENCES} <= set(topics.columns):
            raise ValueError(
                "Columns query_paper_sentences and query_sentences do not say which sentences of "
                "the paper ask: add a column query_sentence_ids (lists of positions from 0), pass "
                "facet=…, or drop one of the two."
            )
        if labels is None:
            if positions is None:
                positions = [list(range(len(row))) for row in sentences]
            labels = [[""] * len(row) for row in sentences]

        return topics[["qid"]].assign(
            docno=topics.get("query_docno", ""),
            facet=topics.get("facet", ""),
            positions=positions,
            title=topics.get("query_title", ""),
            sentences=list(sentences),
            labels=list(labels),
        )

    def _from_dataset(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Make a frame of Requests, row by row, from the dataset's documents.

        Column `query_docno` names a topic's paper; without it, `qid` is the id of a query.
        """
        if "query_docno" in topics.columns:
            paper_ids = list(topics["query_docno"])
            facets = topics.get("facet", "")
            positions = self._positions(topics)
        else:
            queries = frames.per_key(topics, ["qid"], queries_of(self.dataset, self.facet))
            paper_ids = [paper_id for paper_id, _ in queries]
            facets = [facet for _, facet in queries]
            positions = None

        paper_of = read_papers(self.dataset, paper_ids)
        papers = [paper_of[paper_id] for paper_id in paper_ids]
        return topics[["qid"]].assign(
            docno=paper_ids,
            facet=facets,
            positions=positions,
            title=frames.column([paper.title for paper in papers], topics.index),
            sentences=[paper.sentences for paper in papers],
            labels=[paper.labels for paper in papers],
        )

    def _positions(self, topics: pd.DataFrame) -> pd.Series | None:
        if self.facet is not None or "query_sentence_ids" not in topics.columns:
            return None
        frames.check_positions(topics, "query_sentence_ids")
        return topics["query_sentence_ids"]


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


def choose_sentences(request: Request) -> FacetedQuery:
    """Choose the sentences of one query from its paper.

    Raises:
        ValueError: no sentence of the facet, an unknown position.
    """
    name = f"Query {request.qid} ({request.docno or 'a text of its own'})"
    positions = request.positions
    try:
        if positions is None or isinstance(positions, float):
            positions = positions_of(request.facet, request.labels)
        sentences, labels = at(request.sentences, request.labels, positions)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error

    if not sentences:
        available = ", ".join(facets_in(request.labels)) or "none"
        unlabelled = len(request.sentences) > 0 and not any(request.labels)
        label = "To label them: FacetQuery(…) >> FacetLabeller() >> FacetQuery(facet='method')."
        raise ValueError(
            f"{name} has no sentence of facet {request.facet!r}. "
            f"Facets of its {len(request.sentences)} sentences: {available}. "
            f"Facets are {', '.join(FACETS)}, or any single sentence label. "
            f"{label if unlabelled else ''}".rstrip()
        )

    return FacetedQuery(
        query_docno=request.docno,
        facet=request.facet,
        query_sentences=sentences,
        query_labels=labels,
        query=" ".join(sentences),
        query_sentence_ids=list(positions),
        query_title=request.title,
        query_paper_sentences=request.sentences,
        query_paper_labels=request.labels,
    )


def queries_of(dataset: DatasetLike, facet: str | None) -> Callable[[str], tuple[str, str]]:
    """Return a function from the id of a query of `dataset` to its paper and facet.

    Without queries, the id is ``<paper>_<facet>``, or a paper if `facet` is passed.
    """
    collection = datasets.irds(dataset)
    by_convention = partial(_by_convention, dataset, facet)
    if not collection.has_queries():
        return by_convention
    try:
        queries = {record.query_id: record for record in collection.queries_iter()}
    except NotImplementedError:  # only the facets of this collection have queries
        return by_convention

    def look_up(qid: str) -> tuple[str, str]:
        if qid not in queries:
            raise ValueError(
                f"{qid!r} is no query of {dataset} ({len(queries)} queries, such as "
                f"{frames.some(queries)}). For any paper add a column 'query_docno'; for a "
                "text of your own use FacetQuery without a dataset."
            )
        if not hasattr(queries[qid], "paper_id"):
            raise ValueError(
                f"The queries of {dataset} are no facets of papers: for their text use "
                "FacetQuery without a dataset and a column 'query_text'."
            )
        return queries[qid].paper_id, queries[qid].facet

    return look_up


def _by_convention(dataset: DatasetLike, facet: str | None, qid: str) -> tuple[str, str]:
    try:
        return split(qid)
    except ValueError as error:
        if facet is None:
            raise ValueError(
                f"{dataset} has no queries, so a qid must be <paper>_<facet>, with one of "
                f"the facets {', '.join(FACETS)}; or pass one: FacetQuery(…, facet='method'). "
                f"Got {qid!r}."
            ) from error
        return qid, facet
