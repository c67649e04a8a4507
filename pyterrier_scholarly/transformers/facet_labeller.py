"""Label the sentences of abstracts by facet, where a collection brings no labels.

PaperLoader("litsearch") >> FacetLabeller() >> FacetMiss()
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from more_itertools import chunked

from .. import datasets
from ..artifact_files import META_FILE, open_artifact, write_artifact
from ..folders import check_free, identify_file
from ..paper import Paper
from ..step import PAPER_COLUMNS, Step, map_papers
from ..text.facet_labels import PLACES, SOURCES, LabelModel, label_sentences

SHIPPED = Path(__file__).with_name("facet_model")
BATCH_SIZE = 1000  # abstracts, so that memory does not grow with their number
TERMS = 20_000  # of a trained model; more gain nothing (benchmarks/facet_labels.py)
LARGEST_WEIGHT = 127  # of a term as it is stored: the largest int8


class FacetLabeller(Step, pt.Artifact):
    """Label the sentences of abstracts: background, objective, method, result, other.

    Definition 1 of [Mysore2021] needs labels on both sides. With these, faceted pipelines work on
    English papers of collections without labels::

        PaperLoader("litsearch") >> FacetLabeller() >> FacetMiss()
        FacetQuery("litsearch") >> FacetLabeller() >> FacetQuery(facet="method")  # `query_docno`

    Columns in: `paper`, or `query_paper`, or both. Columns out: the same, with papers that have a
    label for each sentence. A paper with any label keeps all of its labels, "" included, unless
    `replace` is set.

    A sentence's label depends on its words, on those of the sentences next to it, on its place,
    and on how labels follow each other; so pass whole abstracts if you can. The shipped model
    is trained on CSAbstruct [Cohan2019], abstracts in computer science. Accuracy: 79 % on
    CSAbstruct's test sentences, 80 % on the hand-corrected ones of CSFCube's query papers; with
    background and objective as one label, 82 % each.

    As a PyTerrier artifact, it is a folder of plain files (no pickle): pt_meta.json with the
    labels, terms.txt, and arrays.npz with the weights of terms as int8 in units of `scale`.

    Args:
        source: a folder that `train` wrote; None for the shipped model.
        replace: label every abstract, even one that has labels.

    Raises:
        ValueError: a damaged folder.
        FileNotFoundError: a folder without a model.

    [Cohan2019] A. Cohan, I. Beltagy, D. King, B. Dalvi, D. Weld: Pretrained Language Models for
    Sequential Sentence Classification, EMNLP 2019.
    """

    source: str | Path | None = None
    replace: bool = False

    ARTIFACT_TYPE = "facet_labels"
    ARTIFACT_FORMAT = "npz"
    uses_weights = True  # they pass through to a scorer

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with labelled papers."""
        columns = [name for name in PAPER_COLUMNS if name in frame.columns] or ["paper"]
        remedy = "Put PaperLoader(…) or FacetQuery(…) before it."
        frame = self.check(frame, columns, remedy=remedy)

        for column in columns:
            frame = frame.assign(**{column: map_papers(frame, column, self.label)})
        return frame

    def label(self, papers: Iterable[Paper]) -> list[Paper]:
        """Return papers with a label for each sentence."""
        papers = list(papers)
        unlabelled = [paper for paper in papers if self.replace or not paper.is_labelled]
        labels_of_abstract: dict[tuple[str, ...], list[str]] = {}
        for abstracts in chunked(
            dict.fromkeys(paper.sentences for paper in unlabelled), BATCH_SIZE
        ):
            labels_of_abstracts = label_sentences(self._read_model(), abstracts)
            labels_of_abstract.update(zip(abstracts, labels_of_abstracts))

        labelled_papers = []
        for paper in papers:
            if self.replace or not paper.is_labelled:
                paper = replace(paper, labels=tuple(labels_of_abstract[paper.sentences]))
            labelled_papers.append(paper)
        return labelled_papers

    def _read_model(self) -> LabelModel:
        """Return the model; it stays in memory for all labellers of the same folder."""
        folder = SHIPPED if self.source is None else Path(self.source).resolve()
        meta_file = identify_file(folder / META_FILE)
        return datasets.fit_once(lambda: _read(folder), self.ARTIFACT_TYPE, meta_file)

    @property
    def path(self) -> object:  # type: ignore[override]  # there it is an attribute
        """Return the folder, or `pt.Artifact.NO_PATH` for the shipped model."""
        return self.NO_PATH if self.source is None else Path(self.source)

    @classmethod
    def train(
        cls, abstracts: pd.DataFrame, path: str | Path, size: int | None = TERMS
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
                not one number above 0 per sentence; names the rows, from 0. Too few sentences.
            FileExistsError: `path` exists.
        """
        from ._label_training import read_abstracts, train

        check_free(path)
        papers, weights = read_abstracts(abstracts)
        _write(path, train(papers, weights, size))
        return cls(str(path))


def _write(path: str | Path, model: LabelModel) -> None:
    """Write a model to the new folder `path`, all or nothing.

    The weights of terms, which are most of a model, become int8. Each source and label has a unit
    of its own, its `scale`, so that its largest weight is LARGEST_WEIGHT units.
    """
    # rows of `model.weights`: the terms of the sentence itself, the same terms of the sentence
    # before, and of the one behind (the sources); then the places
    term_rows = model.weights[:-PLACES]
    place_rows = model.weights[-PLACES:]
    term_weights = term_rows.reshape(SOURCES, len(model.idf), len(model.labels))

    largest_weights = np.abs(term_weights).max(axis=1)  # (SOURCES, l)
    scale = largest_weights / LARGEST_WEIGHT
    divisors = np.where(scale > 0, scale, 1)  # the scale is 0 where all weights are 0
    weights_in_units = np.rint(term_weights / divisors[:, np.newaxis])

    arrays = {
        "scale": scale.astype(np.float32),
        "idf": model.idf.astype(np.float32),
        "places": place_rows.astype(np.float32),
        "bias": model.bias.astype(np.float32),
        "start": model.start.astype(np.float32),
        "steps": model.steps.astype(np.float32),
        "weights": weights_in_units.astype(np.int8),
    }
    write_artifact(path, FacetLabeller, {"terms": model.number}, arrays, labels=model.labels)


def _read(path: Path) -> LabelModel:
    """Read what `_write` wrote; for errors see `artifact_files.open_artifact`."""
    remedy = "FacetLabeller.train(abstracts, folder) makes one"
    with open_artifact(path, FacetLabeller, ["terms"], "label models", remedy) as files:
        term_weights = files.arrays["weights"] * files.arrays["scale"][:, None]
        return LabelModel(
            labels=files.meta["labels"],
            number={term: number for number, term in enumerate(files.texts["terms"])},
            idf=files.arrays["idf"],
            weights=np.concatenate([*term_weights, files.arrays["places"]]),
            bias=files.arrays["bias"],
            start=files.arrays["start"],
            steps=files.arrays["steps"],
        )
