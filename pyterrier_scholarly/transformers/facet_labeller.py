"""Label sentences by facet."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Count, FilePath, check_arguments
from ..text.labelling import LabelModel, label_sentences
from ._label_files import read, write
from .step import Step

SHIPPED = Path(__file__).with_name("facet_model")
#: column of sentences -> column of their labels
SIDES = {
    "sentences": "labels",
    "query_sentences": "query_labels",
    "query_paper_sentences": "query_paper_labels",
}
AT_ONCE = 1000  # abstracts per batch, so that memory does not grow with their number
TERMS = 20_000  # of a trained model; more gain nothing (benchmarks/facet_labels.py)


@dataclass(eq=False, repr=False)
class FacetLabeller(Step, pt.Artifact):
    """Label the sentences of abstracts: background, objective, method, result, other.

    Definition 1 of [Mysore2021] needs labels on both sides. With these, faceted pipelines work on
    English papers of collections without labels::

        Sentences("litsearch") >> FacetLabeller()  # then FacetMiss(), Sentences(facet_only=True)
        FacetQuery("litsearch") >> FacetLabeller() >> FacetQuery(facet="method")  # `query_docno`

    Columns in: `sentences`, or `query_sentences`, or both (lists of str, perhaps empty);
    optional: `query_paper_sentences`. Columns out: the same, and for each of them `labels`,
    `query_labels`, `query_paper_labels` (list of str, one per sentence). An abstract with any label
    keeps all of its labels, "" included, unless `replace` is set.

    A sentence's label depends on its words, on those of the sentences next to it, on its place, and
    on how labels follow each other; so pass whole abstracts if you can. The shipped model is
    trained on CSAbstruct [Cohan2019], abstracts in computer science; only training needs
    scikit-learn. Accuracy: 79 % on CSAbstruct's test sentences, 80 % on the hand-corrected ones of
    CSFCube's query papers; with background and objective as one label, 82 % each.

    As a PyTerrier artifact, it is a folder of plain arrays (no pickle).

    Args:
        source: a folder that `train` wrote; None for the shipped model.
        replace: label every abstract, even one that has labels.

    Raises:
        ValueError: a sentence that is blank or no text, labels that are not one per sentence, a
            damaged folder.
        FileNotFoundError: a folder without a model.

    [Cohan2019] A. Cohan, I. Beltagy, D. King, B. Dalvi, D. Weld: Pretrained Language Models for
    Sequential Sentence Classification, EMNLP 2019.
    """

    source: FilePath | None = None
    replace: bool = False

    ARTIFACT_TYPE = "facet_labels"
    ARTIFACT_FORMAT = "npz"

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        frame = frames.check(
            frame,
            self,
            ["sentences"],
            ["query_sentences"],
            optional=[*SIDES, *SIDES.values()],
            remedy="Put Sentences(…) or FacetQuery(…) before it.",
        )
        sides = [(labels, sentences) for sentences, labels in SIDES.items() if sentences in frame]
        return frame.assign(**{side[0]: self._filled(frame, *side) for side in sides})

    def _filled(self, frame: pd.DataFrame, labels: str, sentences: str) -> pd.Series:
        """Return a column of labels: existing ones are kept, the model adds missing ones."""
        known = list(frame[labels]) if labels in frame.columns else [()] * len(frame)
        keep = [not self.replace and any(row) for row in known]
        wanted = frame[sentences][[not kept for kept in keep]]
        abstracts = list(dict.fromkeys(map(tuple, wanted)))
        added: dict[tuple, list[str]] = {}
        for start in range(0, len(abstracts), AT_ONCE):
            batch = abstracts[start : start + AT_ONCE]
            added.update(zip(batch, label_sentences(self._model(), batch)))
        rows = zip(frame[sentences], known, keep)
        filled = [list(own) if kept else list(added[tuple(row)]) for row, own, kept in rows]
        return pd.Series(filled, index=frame.index, dtype=object)

    def _model(self) -> LabelModel:
        return read(SHIPPED if self.source is None else Path(self.source).resolve(), FacetLabeller)

    @property
    def path(self) -> object:  # type: ignore[override]  # there it is an attribute
        """Return the folder, or `pt.Artifact.NO_PATH` for the shipped model."""
        return self.NO_PATH if self.source is None else Path(self.source)

    @classmethod
    @check_arguments
    def train(
        cls, abstracts: pd.DataFrame, path: FilePath, size: Count | None = TERMS
    ) -> "FacetLabeller":
        """Train on labelled abstracts and write to the new folder `path`.

        Args:
            abstracts: a frame with `sentences` and `labels` (lists of str), a row per abstract, and
                optional `weights` (lists of numbers above 0: how sure each label is). Any labels
                are allowed; facets consist of CSFCube's five.
            path: a folder that does not exist yet.
            size: how many terms the model keeps; None for all.

        Returns:
            The `FacetLabeller` that reads this folder. Equal input gives an equal model.

        Raises:
            ValueError: blank sentences or labels, fewer than two different labels, weights that are
                not one number above 0 per sentence; names the rows, from 0.
            FileExistsError: `path` exists.
        """
        from ._label_training import checked, trained

        write(path, trained(*checked(abstracts, path), size), cls)
        read.cache_clear()  # it may hold an older model of this folder
        return cls(str(path))
