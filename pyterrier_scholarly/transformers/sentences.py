"""The sentences of documents, and their titles."""

from dataclasses import dataclass, field

import pandas as pd

from .. import frames
from ..text.facets import of_facet
from ..text.split import split_sentences
from ._papers import read
from .step import Step


@dataclass(eq=False, repr=False)
class Sentences(Step):
    """Add title and sentences of documents to results, or to any frame with `docno`.

    Columns out: all that came in, and `title` (str), `sentences` (list of str) and `labels` (list
    of str, one per sentence); columns of these names are replaced. An abstract without text has no
    sentences.

    With a `dataset`, they come from its documents by `docno`, each read once; where its records
    have no sentences, their text is split; titles and labels that they do not have are "". Without
    one, column `sentences` is taken (and column `labels`), else column `text` is split; the title
    is column `title`, or "". So papers may be the user's own.

    What falls away without labels: context ``"facet"`` becomes ``"abstract"``, a candidate's
    centroid is that of all its sentences, `FacetMiss` takes nothing off, and `FacetQuery` needs the
    sentences to be chosen by the user. Without titles, contexts lose the title, which costs most
    for ``"facet"`` and ``"title"``.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        facet_only: keep only sentences of the row's `facet` (Definition 1 of [Mysore2021]), which
            may be none; all where the facet is "".
        titles: False to leave titles "", whatever there is.

    Raises:
        ValueError: a document that the dataset does not have, a text that is NaN; with `facet_only`
            documents without labels; names them.
    """

    dataset: object = None
    facet_only: bool = False
    titles: bool = field(default=True, kw_only=True)

    def transform(self, results):
        """Add the columns."""
        needed = ["facet"] if self.facet_only else []
        if self.dataset is None:
            remedy = "Give Sentences a dataset, or put a text loader before it."
            own = (["docno", "sentences", *needed], ["docno", "text", *needed])
            known = ["title", *(["labels"] if "sentences" in results else [])]
            results = frames.check(results, self, *own, optional=known, remedy=remedy)
            parts = self._own(results)
        else:
            remedy = "Put a retriever or Pool(…) before it for docno, FacetQuery(…) for facet."
            results = frames.check(results, self, ["docno", *needed], remedy=remedy)
            docnos = results["docno"].tolist()
            papers = read(self.dataset, docnos)
            parts = [papers[docno] for docno in docnos]
        found = pd.DataFrame(parts, columns=list(frames.CANDIDATE), index=results.index)
        if self.facet_only:
            found[["sentences", "labels"]] = self._of_facet(results, found)
        if not self.titles:
            found["title"] = ""
        return results.assign(**found)

    def _own(self, results):
        """Title, sentences and labels per row, from the frame itself."""
        titles, labels = results.get("title", [""] * len(results)), None
        if "sentences" in results.columns:
            sentences, labels = list(results["sentences"]), results.get("labels")
        else:
            sentences = frames.per_key(results, ["text"], split_sentences)
        if labels is None:
            labels = [[""] * len(own) for own in sentences]
        return list(zip(titles, sentences, labels))

    def _of_facet(self, results, found):
        """The sentences that are of the row's facet, and their labels."""
        unlabelled = [len(labels) > 0 and not any(labels) for labels in found["labels"]]
        if any(unlabelled):
            raise ValueError(
                f"facet_only=True needs labels, and {sum(unlabelled)} of {len(found)} rows have "
                "documents without. To label them: Sentences(…) >> FacetLabeller() >> "
                "Sentences(facet_only=True)."
            )
        facets = pd.Series(list(results["facet"]), found.index, dtype=object)  # any text
        rows = found.assign(facet=facets)
        kept = frames.per_key(rows, ["sentences", "labels", "facet"], of_facet)
        return pd.DataFrame(kept, columns=["sentences", "labels"], index=found.index)
