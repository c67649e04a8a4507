"""The sentences of documents, and their titles."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from .. import datasets, frames
from ..text.facets import of_facet
from ..text.rewriting import split_sentences
from .step import Step

Parts = tuple[str, list[str], list[str]]  # title, sentences, one label per sentence


@dataclass(eq=False, repr=False)
class Sentences(Step):
    """Add title and sentences of documents to results, or to any frame with `docno`.

    Columns out: all that came in, and `title` (str), `sentences` (list of str) and `labels` (list
    of str, one per sentence). Existing columns of these names are replaced. An abstract without
    text has no sentences.

    With a `dataset`, they come from its documents by `docno`; each document is read once. If its
    records have no sentences, their text is split; missing titles and labels are "". Without a
    dataset, column `sentences` (and `labels`) is taken, else column `text` is split; the title is
    column `title`, or "". So papers may be the user's own.

    Without labels, context ``"facet"`` is the same as ``"abstract"``, a candidate's centroid is
    that of all its sentences, `FacetMiss` applies no penalty, and `FacetQuery` needs sentences that
    the user chose. Without titles, contexts lose the title; this costs ``"facet"`` and ``"title"``
    most.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet_only: keep only sentences of the row's `facet` (Definition 1 of [Mysore2021]), perhaps
            none. The facet "" keeps all.
        titles: False sets every title to "".

    Raises:
        ValueError: a document missing from the dataset, a text that is NaN; with `facet_only`,
            documents without labels; names them.
    """

    dataset: object = None
    facet_only: bool = False
    titles: bool = field(default=True, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        needed = ["facet"] if self.facet_only else []
        if self.dataset is None:
            remedy = "Pass Sentences a dataset, or put a text loader before it."
            either = (["docno", "sentences", *needed], ["docno", "text", *needed])
            known = ["title", *(["labels"] if "sentences" in results else [])]
            results = frames.check(results, self, *either, optional=known, remedy=remedy)
            parts = self._from_columns(results)
        else:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            results = frames.check(results, self, ["docno", *needed], remedy=remedy)
            docnos = results["docno"].tolist()
            papers = read_papers(self.dataset, docnos)
            parts = [papers[docno] for docno in docnos]
        added = pd.DataFrame(parts, columns=list(frames.CANDIDATE), index=results.index)
        if self.facet_only:
            added[["sentences", "labels"]] = self._of_facet(results, added)
        if not self.titles:
            added["title"] = ""
        return results.assign(**added)

    def _from_columns(self, results: pd.DataFrame) -> list[Parts]:
        """Take title, sentences and labels of each row from the frame itself."""
        titles, labels = results.get("title", [""] * len(results)), None
        if "sentences" in results.columns:
            sentences, labels = list(results["sentences"]), results.get("labels")
        else:
            sentences = frames.per_key(results, ["text"], split_sentences)
        if labels is None:
            labels = [[""] * len(row) for row in sentences]
        return list(zip(titles, sentences, labels))

    def _of_facet(self, results: pd.DataFrame, added: pd.DataFrame) -> pd.DataFrame:
        """Keep the sentences of the row's facet, and their labels."""
        unlabelled = [len(labels) > 0 and not any(labels) for labels in added["labels"]]
        if any(unlabelled):
            raise ValueError(
                f"facet_only=True needs labels, and {sum(unlabelled)} of {len(added)} rows have "
                "documents without. To label them: Sentences(…) >> FacetLabeller() >> "
                "Sentences(facet_only=True)."
            )
        facets = pd.Series(list(results["facet"]), added.index, dtype=object)  # any text
        rows = added.assign(facet=facets)
        kept = frames.per_key(rows, ["sentences", "labels", "facet"], of_facet)
        return pd.DataFrame(kept, columns=["sentences", "labels"], index=added.index)


def read_papers(dataset: object, doc_ids: Iterable[str]) -> dict[str, Parts]:
    """Read title, sentences and labels of documents, by id.

    If a dataset's records have no sentences, their `text` is split. Missing titles and labels are
    "".

    Raises:
        ValueError: ids missing from the dataset.
    """
    return {key: _parts(record) for key, record in datasets.documents(dataset, doc_ids).items()}


def _parts(record: object) -> Parts:
    stored = getattr(record, "sentences", None)
    sentences = split_sentences(datasets.text(record)) if stored is None else list(stored)
    labels = list(getattr(record, "labels", [""] * len(sentences)))
    return getattr(record, "title", ""), sentences, labels
