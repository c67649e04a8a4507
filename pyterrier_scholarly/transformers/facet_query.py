"""What a faceted query by example asks with: some sentences of a paper [Mysore2021]."""

from dataclasses import dataclass

import pandas as pd

from .. import frames
from ..text.split import split_sentences
from ._choice import ADDED, choose, queries_of
from ._papers import read
from .step import Step

PAPER, SENTENCES = "query_paper_sentences", "query_sentences"
#: where the text of a query stands, without a dataset: the first of these that there is
TEXTS = (PAPER, SENTENCES, "query_text", "query")
BESIDE = ("query_title", "query_labels", "query_paper_labels")  # what may be said of it


@dataclass(eq=False, repr=False)
class FacetQuery(Step):
    """Add the facet query to topics, or to any frame with `qid`.

    It asks either way that section 2 of [Mysore2021] defines. Definition 1: by a facet, with labels
    on the sentences of query and candidate. Definition 2: by any subset of the query's sentences.

    Columns out: all that came in, and, replaced where they are there already,

    - `query_docno` (str, the paper), `facet` (str), `query_sentences` (list of str), `query_labels`
      (list of str, one per sentence) and `query` (the sentences joined by a blank);
    - the paper that they are read in: `query_title` (str), `query_paper_sentences` and
      `query_paper_labels` (lists of str), and `query_sentence_ids` (list of int), the positions of
      `query_sentences` in it, from 0.

    With a `dataset`, the text is that of one of its documents:

    - column `query_docno` names it, and parameter or column `facet` the facet whose sentences are
      taken (Definition 1), all if there is neither;
    - without that column `qid` is the id of a query of the dataset; where the dataset has none
      (``csfcube``) it is ``<paper>_<facet>``, or with parameter `facet` a paper.

    Without one, the paper is the topics' own: column `query_paper_sentences` (with `query_title`
    and `query_paper_labels`, where there are any), else `query_sentences` (with `query_labels`),
    else `query_text` or `query`, which are split. With labels the sentences of the facet are taken,
    else all.

    A column `query_sentence_ids` chooses any sentences instead (Definition 2), beside `query_docno`
    or a paper of the user's own, unless parameter `facet` is given.

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
            *([["qid", column] for column in TEXTS] if own else [["qid"]]),
            optional=["facet", *(BESIDE if own else [])],
            remedy="Give FacetQuery a dataset, or topics with a text of their own." if own else "",
        )
        if topics.empty:
            return topics.assign(**{name: pd.Series([], dtype=object) for name in ADDED})
        asked = self._own(topics) if own else self._of_dataset(topics)
        if self.facet is not None:
            asked = asked.assign(facet=self.facet)
        chosen = zip(*frames.per_key(asked, list(asked.columns), choose))
        added = {name: frames.column(values, topics.index) for name, values in zip(ADDED, chosen)}
        return topics.assign(**added)

    def _own(self, topics):
        """What `choose` takes, per row, from the topics' own text."""
        column = next(name for name in TEXTS if name in topics.columns)
        sentences = topics[column]
        if column not in (PAPER, SENTENCES):
            sentences = frames.per_key(topics, [column], split_sentences)
        labels = topics.get("query_paper_labels" if column == PAPER else "query_labels")
        positions = self._positions(topics)
        both = {PAPER, SENTENCES} <= set(topics.columns)
        if both and positions is None and self.facet is None:
            raise ValueError(
                "Columns query_paper_sentences and query_sentences do not say which sentences of "
                "the paper ask: add a column query_sentence_ids (lists of positions from 0), pass "
                "facet=…, or drop one of the two."
            )
        if labels is None:
            everything = [list(range(len(own))) for own in sentences]
            positions = everything if positions is None else positions
            labels = [[""] * len(own) for own in sentences]
        return topics[["qid"]].assign(
            docno=topics.get("query_docno", ""),
            facet=topics.get("facet", ""),
            positions=positions,
            title=topics.get("query_title", ""),
            sentences=list(sentences),
            labels=list(labels),
        )

    def _of_dataset(self, topics):
        """What `choose` takes, per row, from the dataset's documents."""
        if "query_docno" in topics.columns:
            papers, facets = list(topics["query_docno"]), topics.get("facet", "")
            positions = self._positions(topics)
        else:
            query_of = queries_of(self.dataset, self.facet)
            papers, facets = zip(*frames.per_key(topics, ["qid"], query_of))
            positions = None
        known = read(self.dataset, papers)
        asked = topics[["qid"]].assign(docno=list(papers), facet=facets, positions=positions)
        parts = zip(*(known[paper] for paper in papers))
        return asked.assign(**dict(zip(("title", "sentences", "labels"), map(list, parts))))

    def _positions(self, topics):
        if self.facet is not None or "query_sentence_ids" not in topics.columns:
            return None
        frames.positions_only(topics, "query_sentence_ids")
        return topics["query_sentence_ids"]
