"""Add to results what scorers read: each document's paper.

results = Pool("csfcube/method")(topics)
PaperLoader("csfcube/method").transform(results)["paper"][0].sentences
"""

from dataclasses import KW_ONLY, replace
from typing import Literal

import pandas as pd

from .. import datasets
from ..choices import some
from ..datasets import DatasetLike
from ..paper import Paper, Splitter
from ..step import Step, make_column, map_papers
from ..text import nltk_sentences, split_sentences

#: setting `splitter` of `PaperLoader` -> its function
SPLITTERS: dict[str, Splitter] = {"pysbd": split_sentences, "nltk": nltk_sentences}
#: columns of one's own papers, or what makes them; the first that is present is read
OWN_COLUMNS = ("paper", "sentences", "text")


class PaperLoader(Step):
    """Add column `paper` (`Paper`) to results, or to any frame with `docno`.

    With a `dataset`, papers are its documents by `docno`; each is read once. If the records have no
    sentences, their text is split; missing titles and labels are "". Without a dataset, papers are
    the user's own: column `paper` is kept; else they are made of column `sentences` (lists of
    texts, with optional `labels`) or of `text`, which is split, and of an optional `title`.

    With `facet_only`, column `sentence_ids` is added, too: the positions of the sentences of the
    row's `facet`, perhaps none. Scorers of sentences then count only these (Definition 1 of
    [Mysore2021]), and still read them in the context of their paper.

    Without labels, context ``"facet"`` is the same as ``"abstract"``, a candidate's centroid is
    that of all its sentences, `FacetMiss` applies no penalty, and `FacetQuery` needs sentences that
    the user chose. Without titles, contexts lose the title; this costs ``"facet"`` and ``"title"``
    most.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet_only: see above. The facet "" counts all.
        titles: False sets every title to "".
        splitter: how a text is split: by pySBD's rules, or, as DORIS-MAE's code does, by NLTK's
            Punkt model of English.

    Raises:
        ValueError: a document missing from the dataset, a text that is NaN; with `facet_only`,
            documents without labels; names them.
        ImportError: NLTK's model is not installed; names the extra.
    """

    dataset: DatasetLike | None = None
    facet_only: bool = False
    _: KW_ONLY
    titles: bool = True
    splitter: Literal["pysbd", "nltk"] = "pysbd"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add the papers."""
        needs = ["docno", "facet"] if self.facet_only else ["docno"]
        remedy = ""
        if self.dataset is None:
            own_column = next((name for name in OWN_COLUMNS if name in results.columns), "text")
            needs.append(own_column)
            if own_column != "paper" and "title" in results.columns:
                needs.append("title")
            remedy = "Pass PaperLoader a dataset, or put a text loader before it."
        results = self.check(results, needs, remedy=remedy)

        results = results.assign(paper=make_column(self._read_papers(results), results))
        if not self.titles:
            results = results.assign(paper=map_papers(results, "paper", _drop_titles))
        return self._add_positions(results) if self.facet_only else results

    def _read_papers(self, results: pd.DataFrame) -> list[Paper]:
        """Return the paper of each row; rows of a document share it."""
        if self.dataset is None and "paper" in results.columns:
            return results["paper"].tolist()

        docnos = results["docno"].tolist()
        split = SPLITTERS[self.splitter]
        if self.dataset is not None:
            paper_of_docno = datasets.read_papers(self.dataset, docnos, split)
        else:
            paper_of_docno = {}
            for row in results.drop_duplicates("docno").to_dict("records"):
                paper_of_docno[row["docno"]] = Paper.from_row(row["docno"], row, split=split)
        return [paper_of_docno[docno] for docno in docnos]

    def _add_positions(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add `sentence_ids`; raise ValueError for papers without labels."""
        papers = results["paper"].tolist()
        unlabelled = [paper for paper in papers if paper.sentences and not paper.is_labelled]
        if unlabelled:
            raise ValueError(
                f"facet_only=True needs labels, and {len(unlabelled)} of {len(papers)} rows have "
                f"documents without ({some(dict.fromkeys(unlabelled))}). To label them: "
                "PaperLoader(…) >> FacetLabeller() >> PaperLoader(facet_only=True)."
            )
        positions_of_rows = [paper.find(facet) for paper, facet in zip(papers, results["facet"])]
        return results.assign(sentence_ids=make_column(positions_of_rows, results))


def _drop_titles(papers: list[Paper]) -> list[Paper]:
    """Return the papers without titles."""
    return [replace(paper, title="") for paper in papers]
