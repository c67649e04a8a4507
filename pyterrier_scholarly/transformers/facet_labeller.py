"""Label sentences by facet."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Count, FilePath, check_arguments
from ..text.facet_labels import LabelModel, label_sentences
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
    optional: `query_paper_sentences`, `query_sentence_ids`. Columns out: the same, and for each of
    them `labels`, `query_labels`, `query_paper_labels` (list of str, one per sentence). An abstract
    with any label keeps all of its labels, "" included, unless `replace` is set. With
    `query_sentence_ids`, the query's sentences get the labels that they have in their paper.

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
            optional=[*SIDES, *SIDES.values(), "query_sentence_ids", "query_sentence_weights"],
            remedy="Put Sentences(…) or FacetQuery(…) before it.",
        )
        truth = {"query_sentences", "query_paper_sentences", "query_sentence_ids"}
        has_truth = truth <= set(frame.columns)
        if has_truth and "query_labels" in frame and "query_paper_labels" not in frame:
            frame = frame.assign(query_paper_labels=_spread_labels(frame))

        added = {
            labels: self._fill(frame, labels, sentences)
            for sentences, labels in SIDES.items()
            if sentences in frame.columns
        }
        if has_truth:
            added["query_labels"] = _select_labels(frame, added["query_paper_labels"])
        return frame.assign(**added)

    def _fill(self, frame: pd.DataFrame, labels: str, sentences: str) -> pd.Series:
        """Return a column of labels: existing ones are kept, the model adds missing ones."""
        columns = [name for name in (sentences, labels) if name in frame.columns]
        rows, first_rows = frames.numbered(frame, columns)
        distinct = frame[columns].iloc[first_rows]
        known_labels = list(distinct[labels]) if labels in columns else [()] * len(distinct)
        is_kept = [not self.replace and any(own) for own in known_labels]

        abstracts = [tuple(own) for own in distinct[sentences]]
        unlabelled = [own for own, kept in zip(abstracts, is_kept) if not kept]
        model_labels = self._label(list(dict.fromkeys(unlabelled)))
        filled = [
            list(own) if kept else list(model_labels[abstract])
            for abstract, own, kept in zip(abstracts, known_labels, is_kept)
        ]
        return pd.Series([filled[row] for row in rows], index=frame.index, dtype=object)

    def _label(self, abstracts: list[tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
        """Return the model's labels of distinct abstracts."""
        labels: dict[tuple[str, ...], list[str]] = {}
        for start in range(0, len(abstracts), AT_ONCE):
            batch = abstracts[start : start + AT_ONCE]
            labels.update(zip(batch, label_sentences(self._model(), batch)))
        return labels

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


def _spread_labels(frame: pd.DataFrame) -> pd.Series:
    """Return labels of the query's paper: those of the sentences that ask, "" for the others."""

    def spread(sentences: Sequence[str], labels: Sequence[str], ids: Sequence[int]) -> list[str]:
        paper_labels = [""] * len(sentences)
        for label, position in zip(labels, ids):
            paper_labels[position] = label
        return paper_labels

    columns = ["query_paper_sentences", "query_labels", "query_sentence_ids"]
    return pd.Series(frames.per_key(frame, columns, spread), index=frame.index, dtype=object)


def _select_labels(frame: pd.DataFrame, paper_labels: pd.Series) -> pd.Series:
    """Return labels of the query's sentences: those that they have in its paper.

    A sentence's label depends on its neighbours: labelled without them, it may get another.
    """
    labels = frames.per_key(
        frame.assign(query_paper_labels=paper_labels),
        ["query_paper_labels", "query_sentence_ids"],
        lambda own, ids: [own[position] for position in ids],
    )
    return pd.Series(labels, index=frame.index, dtype=object)
