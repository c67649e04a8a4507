"""Facet labels for sentences that have none."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pyterrier as pt

from .. import frames
from ..text.labelling import label_sentences
from ._label_files import read, write
from .step import Step

SHIPPED = Path(__file__).with_name("facet_model")
#: columns of sentences, and of their labels
SIDES = {
    "sentences": "labels",
    "query_sentences": "query_labels",
    "query_paper_sentences": "query_paper_labels",
}
AT_ONCE = 1000  # abstracts, so that memory does not grow with their number
TERMS = 20_000  # of a trained model; twice as many gain nothing (benchmarks/facet_labels.py)


@dataclass(eq=False, repr=False)
class FacetLabeller(Step, pt.Artifact):
    """Labels the sentences of abstracts: background, objective, method, result, other.

    Definition 1 of [Mysore2021] needs labels on both sides; with these, faceted pipelines work on
    collections without labels, of papers in English::

        Sentences("litsearch") >> FacetLabeller()  # then FacetMiss(), Sentences(facet_only=True)
        FacetQuery("litsearch") >> FacetLabeller() >> FacetQuery(facet="method")  # `query_docno`

    Columns in: `sentences`, or `query_sentences`, or both (each a list of str, empty ones too);
    `query_paper_sentences` beside them. Columns out: the same, and for each of them `labels`,
    `query_labels`, `query_paper_labels` (list of str, one per sentence). An abstract that has a
    label already keeps its labels, "" among them, unless `replace` is set.

    A sentence's label goes by its words, by those of the sentences next to it, by its place, and by
    what labels follow each other; so give whole abstracts where there are. The shipped model is
    trained on CSAbstruct [Cohan2019], abstracts in computer science; scikit-learn is needed to
    train alone. Of CSAbstruct's test sentences it labels 79 % right, of the hand-corrected ones of
    CSFCube's query papers 80 %; with background and objective as one, 82 % each.

    As a PyTerrier artifact it is a folder of plain arrays (no pickle).

    Args:
        source: a folder that `train` wrote; None for the shipped model.
        replace: label every abstract, also one that has labels.

    Raises:
        ValueError: a sentence that is blank or no text, labels that are not one per sentence, a
            folder that is damaged; FileNotFoundError: there is no model in it.

    [Cohan2019] A. Cohan, I. Beltagy, D. King, B. Dalvi, D. Weld: Pretrained Language Models for
    Sequential Sentence Classification, EMNLP 2019.
    """

    source: object = None
    replace: bool = False

    ARTIFACT_TYPE = "facet_labels"
    ARTIFACT_FORMAT = "npz"

    def transform(self, frame):
        """Add the columns."""
        remedy = "Put Sentences(…) or FacetQuery(…) before it."
        known = [*SIDES, *SIDES.values()]
        either = ["sentences"], ["query_sentences"]
        frame = frames.check(frame, self, *either, optional=known, remedy=remedy)
        added = {}
        for sentences, labels in SIDES.items():
            if sentences in frame.columns:
                added[labels] = self._filled(frame, sentences, labels)
        return frame.assign(**added)

    def _filled(self, frame, sentences, labels):
        """Labels row by row, as a column: those that there are, and of others the model's."""
        known = list(frame[labels]) if labels in frame.columns else [()] * len(frame)
        keep = [not self.replace and any(row) for row in known]
        wanted = frame[sentences][[not kept for kept in keep]]
        made = dict.fromkeys(map(tuple, wanted))
        abstracts = list(made)
        for start in range(0, len(abstracts), AT_ONCE):
            some = abstracts[start : start + AT_ONCE]
            made.update(zip(some, label_sentences(self._model(), some)))
        rows = zip(frame[sentences], known, keep)
        filled = [list(own) if kept else list(made[tuple(row)]) for row, own, kept in rows]
        return pd.Series(filled, index=frame.index, dtype=object)

    def _model(self):
        return _read(SHIPPED if self.source is None else Path(self.source).resolve(), FacetLabeller)

    @property
    def path(self):
        """The folder, or `pt.Artifact.NO_PATH` for the shipped model."""
        return self.NO_PATH if self.source is None else Path(self.source)

    @classmethod
    def train(cls, abstracts, path, size=TERMS):
        """Train on labelled abstracts and write to the new folder `path`.

        Args:
            abstracts: a frame with `sentences` and `labels` (lists of str), a row per abstract, and
                perhaps `weights` (lists of numbers above 0: how sure each label is). Labels may be
                any; facets are made of CSFCube's five.
            path: of a folder that there is not yet.
            size: how many terms the model keeps.

        Returns:
            The `FacetLabeller` that reads from there. Equal input gives an equal model.

        Raises:
            ValueError: blank sentences or labels, fewer than two different labels, weights that are
                not one number above 0 per sentence; names the rows, from 0.
            FileExistsError: there is something at `path`.
        """
        from ._label_training import checked, trained

        write(path, trained(*checked(abstracts, path), size), cls)
        _read.cache_clear()  # of an older folder there
        return cls(str(path))


_read = lru_cache(maxsize=4)(read)
