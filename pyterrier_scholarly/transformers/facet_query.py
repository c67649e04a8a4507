"""What a faceted query by example asks with: some sentences of a paper [Mysore2021]."""

from dataclasses import dataclass

import pandas as pd

from ir_datasets_ext.facets import FACETS, split

from .. import datasets, frames
from ..text.split import split_sentences
from ._choice import ADDED, choose
from ._papers import read
from .step import Step

#: where the text of a query stands, without a dataset: the first of these that there is
OWN = ("query_sentences", "query_text", "query")


@dataclass(eq=False, repr=False)
class FacetQuery(Step):
    """Adds the facet query to topics, or to any frame with `qid`.

    It asks either way that section 2 of [Mysore2021] defines. Definition 1: by a facet, with labels
    on the sentences of query and candidate. Definition 2: by any subset of the query's sentences.

    Columns out: all that came in, and `query_docno` (str, the paper), `facet` (str),
    `query_sentences` (list of str), `query_labels` (list of str, one per sentence) and `query` (the
    sentences joined by a blank); columns of these names are replaced.

    With a `dataset`, the text is that of one of its documents:

    - column `query_docno` names it, and parameter or column `facet` the facet whose sentences are
      taken (Definition 1), all if there is neither;
    - without that column `qid` is the id of a query of the dataset; where the dataset has none
      (``csfcube``) it is ``<paper>_<facet>``, or with parameter `facet` a paper.

    Without one, the text is the topics' own: column `query_sentences`, else `query_text` or, if
    there is neither, `query`, which are split. With a column `query_labels` the sentences of the
    facet are taken, else all.

    A column `query_sentence_ids` (list of positions from 0, beside `query_docno` or a text of the
    user's own) chooses any sentences instead (Definition 2).

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet: *background*, *method*, *result*, or a single sentence label; goes before what a
            column or the dataset's query says.

    Raises:
        ValueError: an unknown query, paper or position, a text without a sentence of the facet,
            duplicate topics, NaN or empty text; names the `qid` and what there is.
    """

    dataset: object = None
    facet: str | None = None

    def transform(self, topics):
        """Add the columns."""
        own = self.dataset is None
        topics = frames.check(
            topics,
            self,
            *([["qid", column] for column in OWN] if own else [["qid"]]),
            optional=["facet", "query_sentence_ids", *(["query_labels"] if own else [])],
            remedy="Give FacetQuery a dataset, or topics with a text of their own." if own else "",
        )
        if topics.empty:
            return topics.assign(**{name: pd.Series([], dtype=object) for name in ADDED})
        asked = self._own(topics) if own else self._of_dataset(topics)
        chosen = zip(*frames.per_key(asked, list(asked.columns), choose))
        added = {name: frames.column(values, topics.index) for name, values in zip(ADDED, chosen)}
        return topics.assign(**added)

    def _own(self, topics):
        """What `choose` takes, per row, from the topics' own text."""
        if "query_sentences" in topics.columns:
            sentences = topics["query_sentences"]
        else:
            text = "query_text" if "query_text" in topics.columns else "query"
            sentences = frames.per_key(topics, [text], split_sentences)
        asked = topics[["qid"]].assign(
            docno=topics.get("query_docno", ""),
            facet=topics.get("facet", "") if self.facet is None else self.facet,
            positions=topics.get("query_sentence_ids", None),
            sentences=list(sentences),
        )
        if "query_labels" in topics.columns:
            return asked.assign(labels=topics["query_labels"])
        everything = [list(range(len(own))) for own in sentences]
        return asked.assign(
            positions=topics.get("query_sentence_ids", everything),
            labels=[[""] * len(own) for own in sentences],
        )

    def _of_dataset(self, topics):
        """What `choose` takes, per row, from the dataset's documents."""
        if "query_docno" in topics.columns:
            papers, facets = list(topics["query_docno"]), topics.get("facet", "")
            positions = topics.get("query_sentence_ids", None)
        else:
            papers, facets = zip(*frames.per_key(topics, ["qid"], self._query_of()))
            positions = None
        known = read(self.dataset, papers)
        return topics[["qid"]].assign(
            docno=list(papers),
            facet=facets if self.facet is None else self.facet,
            positions=positions,
            sentences=[known[paper][1] for paper in papers],
            labels=[known[paper][2] for paper in papers],
        )

    def _query_of(self):
        """A function from a query's id to its paper and facet."""
        dataset = datasets.irds(self.dataset)
        if not dataset.has_queries():
            return self._query_by_convention
        try:
            queries = {record.query_id: record for record in dataset.queries_iter()}
        except NotImplementedError:  # a bare collection, whose facets have the queries
            return self._query_by_convention

        def look_up(qid):
            if qid not in queries:
                raise ValueError(
                    f"{qid!r} is no query of {self.dataset} ({len(queries)} queries, such as "
                    f"{frames.some(queries)}). For any paper give a column 'query_docno'; for a "
                    "text of your own use FacetQuery without a dataset."
                )
            if not hasattr(queries[qid], "paper_id"):
                raise ValueError(
                    f"The queries of {self.dataset} are no facets of papers: for their text use "
                    "FacetQuery without a dataset and a column 'query_text'."
                )
            return queries[qid].paper_id, queries[qid].facet

        return look_up

    def _query_by_convention(self, qid):
        try:
            return split(qid)
        except ValueError as error:
            if self.facet is None:
                raise ValueError(
                    f"{self.dataset} has no queries, so a qid must be <paper>_<facet>, with one of "
                    f"the facets {', '.join(FACETS)}; or name one: FacetQuery(…, facet='method'). "
                    f"Got {qid!r}."
                ) from error
            return qid, self.facet
