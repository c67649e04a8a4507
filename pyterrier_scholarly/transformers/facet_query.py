"""What a faceted query by example asks with: some sentences of a paper [Mysore2021]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from ir_datasets_ext.facets import FACETS, split

from .. import datasets, frames
from ..text import split_sentences
from ..text.contexts import at, facets_in, positions_of
from .sentences import read_papers
from .step import Step

PAPER, SENTENCES = "query_paper_sentences", "query_sentences"
#: columns that may hold a query's text if there is no dataset; the first that is present is taken
TEXTS = (PAPER, SENTENCES, "query_text", "query")
BESIDE = ("query_title", "query_labels", "query_paper_labels")  # optional columns beside TEXTS
ADDED = (
    *("query_docno", "facet", SENTENCES, "query_labels", "query"),
    *("query_sentence_ids", *frames.QUERY_PAPER),
)


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

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet: *background*, *method*, *result*, or a single sentence label; it takes precedence
            over a column and over the dataset's query.

    Raises:
        ValueError: an unknown query, paper or position, a text without a sentence of the facet,
            duplicate topics, NaN or empty text; names the `qid` and what is available.
    """

    dataset: object = None
    facet: str | None = None

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        own = self.dataset is None
        topics = frames.check(
            topics,
            self,
            *([["qid", column] for column in TEXTS] if own else [["qid"]]),
            optional=["facet", *(BESIDE if own else [])],
            remedy="Pass FacetQuery a dataset, or topics with a text of their own." if own else "",
        )
        if topics.empty:
            return topics.assign(**{name: pd.Series([], dtype=object) for name in ADDED})
        asked = self._from_columns(topics) if own else self._from_dataset(topics)
        if self.facet is not None:
            asked = asked.assign(facet=self.facet)
        chosen = zip(*frames.per_key(asked, list(asked.columns), choose))
        added = {name: frames.column(values, topics.index) for name, values in zip(ADDED, chosen)}
        return topics.assign(**added)

    def _from_columns(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Take the arguments of `choose`, row by row, from the topics' own text."""
        column = next(name for name in TEXTS if name in topics.columns)
        whole = column not in (PAPER, SENTENCES)
        sentences = frames.per_key(topics, [column], split_sentences) if whole else topics[column]
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
        """Take the arguments of `choose`, row by row, from the dataset's documents."""
        if "query_docno" in topics.columns:
            papers, facets = list(topics["query_docno"]), topics.get("facet", "")
            positions = self._positions(topics)
        else:
            query_of = queries_of(self.dataset, self.facet)
            papers, facets = map(list, zip(*frames.per_key(topics, ["qid"], query_of)))
            positions = None
        known = read_papers(self.dataset, papers)
        parts = dict(zip(frames.CANDIDATE, map(list, zip(*(known[paper] for paper in papers)))))
        return topics[["qid"]].assign(docno=papers, facet=facets, positions=positions, **parts)

    def _positions(self, topics: pd.DataFrame) -> pd.Series | None:
        if self.facet is not None or "query_sentence_ids" not in topics.columns:
            return None
        frames.positions_only(topics, "query_sentence_ids")
        return topics["query_sentence_ids"]


def choose(
    qid: str,
    docno: str,
    facet: str,
    positions: Sequence[int] | float | None,
    title: str,
    sentences: Sequence[str],
    labels: Sequence[str],
) -> tuple:
    """Choose the sentences of one query from its paper; return the values of ADDED.

    Positions count from 0. With None or NaN (a missing value), the sentences of `facet` are taken.

    Raises:
        ValueError: no sentence of the facet, an unknown position.
    """
    name = f"Query {qid} ({docno or 'a text of its own'})"
    try:
        if positions is None or isinstance(positions, float):
            positions = positions_of(facet, labels)
        chosen, kinds = at(sentences, labels, positions)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if not chosen:
        available = ", ".join(facets_in(labels)) or "none"
        unlabelled = len(sentences) > 0 and not any(labels)
        label = "To label them: FacetQuery(…) >> FacetLabeller() >> FacetQuery(facet='method')."
        raise ValueError(
            f"{name} has no sentence of facet {facet!r}. "
            f"Facets of its {len(sentences)} sentences: {available}. "
            f"Facets are {', '.join(FACETS)}, or any single sentence label. "
            f"{label if unlabelled else ''}".rstrip()
        )
    return docno, facet, chosen, kinds, " ".join(chosen), list(positions), title, sentences, labels


def queries_of(dataset: object, facet: str | None) -> Callable[[str], tuple[str, str]]:
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


def _by_convention(dataset: object, facet: str | None, qid: str) -> tuple[str, str]:
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
