"""The sentences of documents."""

from dataclasses import dataclass

import pandas as pd

from .. import frames
from ..text.facets import of_facet
from ..text.split import split_sentences
from ._papers import read
from .step import Step


@dataclass(eq=False, repr=False)
class Sentences(Step):
    """Adds the sentences of documents to results, or to any frame with `docno`.

    Columns out: all that came in, and `sentences` (list of str) and `labels` (list of str, one per
    sentence); columns of these names are replaced. An abstract without text has no sentences.

    With a `dataset`, they come from its documents by `docno`, each read once; where its records
    have no sentences, their text is split and labels are "". Without one, column `sentences` is
    taken (and column `labels`), else column `text` is split.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet_only: keep only sentences of the row's `facet` (Definition 1 of [Mysore2021]), which
            may be none; all where the facet is "".

    Raises:
        ValueError: a document that the dataset does not have, a text that is NaN; with `facet_only`
            documents without labels; names them.
    """

    dataset: object = None
    facet_only: bool = False

    def transform(self, results):
        """Add the columns."""
        needed = ["facet"] if self.facet_only else []
        if self.dataset is None:
            remedy = "Give Sentences a dataset, or put a text loader before it."
            own = (["docno", "sentences", *needed], ["docno", "text", *needed])
            labels = ["labels"] if "sentences" in results else []
            results = frames.check(results, self, *own, optional=labels, remedy=remedy)
            parts = self._own(results)
        else:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            results = frames.check(results, self, ["docno", *needed], remedy=remedy)
            docnos = results["docno"].tolist()
            papers = read(self.dataset, docnos)
            parts = [papers[docno][1:] for docno in docnos]
        if self.facet_only:
            parts = self._of_facet(results, parts)
        pairs = pd.DataFrame(parts, columns=["sentences", "labels"], index=results.index)
        return results.assign(sentences=pairs["sentences"], labels=pairs["labels"])

    def _own(self, results):
        """Sentences and labels per row, from the frame itself."""
        if "sentences" in results.columns:
            sentences = list(results["sentences"])
            if "labels" in results.columns:
                return list(zip(sentences, results["labels"]))
        else:
            sentences = frames.per_key(results, ["text"], split_sentences)
        return [(own, [""] * len(own)) for own in sentences]

    def _of_facet(self, results, parts):
        """The parts that are of the row's facet."""
        unlabelled = [len(sentences) > 0 and not any(labels) for sentences, labels in parts]
        if any(unlabelled):
            raise ValueError(
                f"facet_only=True needs labels, and {sum(unlabelled)} of {len(parts)} rows have "
                "documents without. To label them: Sentences(…) >> FacetLabeller() >> "
                "Sentences(facet_only=True)."
            )
        facets = pd.Series(list(results["facet"]), dtype=object)  # any text, halves of pairs too
        rows = pd.DataFrame(parts, columns=["sentences", "labels"]).assign(facet=facets)
        return frames.per_key(rows, ["sentences", "labels", "facet"], of_facet)
