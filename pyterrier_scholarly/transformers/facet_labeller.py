"""Label the sentences of abstracts by facet, where a collection brings no labels.

Sentences("litsearch") >> FacetLabeller() >> FacetMiss()
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import check_free

from .. import datasets, frames
from ..arguments import Count, FilePath, check_arguments
from ..artifact_files import META_FILE
from ..text.facet_labels import LabelModel, label_sentences
from ._label_files import read, write
from .step import Step

SHIPPED = Path(__file__).with_name("facet_model")
#: column of sentences -> column of their labels
LABELS_OF_SENTENCES = {
    "sentences": "labels",
    "query_sentences": "query_labels",
    "query_paper_sentences": "query_paper_labels",
}
#: if all are present, the query's sentences have the labels that they have in their paper
PAPER_COLUMNS = {"query_sentences", "query_paper_sentences", "query_sentence_ids"}
BATCH_SIZE = 1000  # abstracts, so that memory does not grow with their number
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
        """Return the frame with a column of labels for each of its columns of sentences."""
        frame = self._check(frame)

        # if only the query's sentences have labels, their paper gets these
        has_query_paper = PAPER_COLUMNS <= set(frame.columns)
        has_paper_labels = "query_paper_labels" in frame
        if has_query_paper and not has_paper_labels and "query_labels" in frame:
            frame = frame.assign(query_paper_labels=_spread_labels(frame))

        label_columns = {}
        for sentences_column, labels_column in LABELS_OF_SENTENCES.items():
            if sentences_column in frame.columns:
                labels = self._fill_labels(frame, sentences_column, labels_column)
                label_columns[labels_column] = labels

        if has_query_paper:  # in the paper, a sentence is labelled with its neighbours in sight
            paper_labels = label_columns["query_paper_labels"]
            label_columns["query_labels"] = _select_labels(frame, paper_labels)
        return frame.assign(**label_columns)

    def _check(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that are read.

        It needs sentences of documents, or of queries. All other columns are checked if present.
        """
        columns_of_documents = ["sentences"]
        columns_of_queries = ["query_sentences"]
        columns_of_sentences = list(LABELS_OF_SENTENCES)
        columns_of_labels = list(LABELS_OF_SENTENCES.values())
        columns_beside_sentences = ["query_sentence_ids", "query_sentence_weights"]
        return frames.check(
            frame,
            self,
            columns_of_documents,
            columns_of_queries,
            optional=[*columns_of_sentences, *columns_of_labels, *columns_beside_sentences],
            remedy="Put Sentences(…) or FacetQuery(…) before it.",
        )

    def _fill_labels(
        self, frame: pd.DataFrame, sentences_column: str, labels_column: str
    ) -> pd.Series:
        """Return for each row the labels of its sentences: existing ones, or else the model's.

        sentences_column: as "sentences", whose lists are abstracts.
        labels_column: as "labels", the existing labels; the frame may lack it.
        """
        # rows of the same document share its lists: each abstract is labelled once for all of them
        has_labels = labels_column in frame.columns
        columns = [sentences_column, labels_column] if has_labels else [sentences_column]
        abstract_of_row, first_rows = frames.numbered(frame, columns)
        distinct_rows = frame[columns].iloc[first_rows]

        abstracts = [tuple(sentences) for sentences in distinct_rows[sentences_column]]
        if has_labels:
            existing_labels = [list(labels) for labels in distinct_rows[labels_column]]
        else:
            existing_labels = [[] for _ in abstracts]
        model_labels = self._label(self._list_unlabelled(abstracts, existing_labels))

        labels_of_abstracts = []
        for abstract, labels in zip(abstracts, existing_labels):
            if self._keeps(labels):
                labels_of_abstracts.append(labels)
            else:
                labels_of_abstracts.append(list(model_labels[abstract]))

        labels_of_rows = [labels_of_abstracts[number] for number in abstract_of_row]
        return pd.Series(labels_of_rows, index=frame.index, dtype=object)

    def _list_unlabelled(
        self, abstracts: list[tuple[str, ...]], existing_labels: list[list[str]]
    ) -> list[tuple[str, ...]]:
        """Return the abstracts that the model must label, each once."""
        unlabelled = []
        for abstract, labels in zip(abstracts, existing_labels):
            if not self._keeps(labels):
                unlabelled.append(abstract)
        return list(dict.fromkeys(unlabelled))

    def _keeps(self, labels: list[str]) -> bool:
        """Return whether an abstract keeps its labels: it has one, and none are to be replaced."""
        return any(labels) and not self.replace

    def _label(self, abstracts: list[tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
        """Return the model's labels of each of these distinct abstracts, by abstract."""
        labels_by_abstract: dict[tuple[str, ...], list[str]] = {}
        for start in range(0, len(abstracts), BATCH_SIZE):
            batch = abstracts[start : start + BATCH_SIZE]
            labels_of_batch = label_sentences(self._read_model(), batch)
            labels_by_abstract.update(zip(batch, labels_of_batch))
        return labels_by_abstract

    def _read_model(self) -> LabelModel:
        """Return the model; it stays in memory for all labellers of the same folder."""
        folder = SHIPPED if self.source is None else Path(self.source).resolve()
        meta_file = datasets.identify_file(folder / META_FILE)
        return datasets.fit_once(
            partial(read, folder, FacetLabeller), self.ARTIFACT_TYPE, meta_file
        )

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
        from ._label_training import check_abstracts, train

        check_free(path)
        model = train(check_abstracts(abstracts), size)
        write(path, model, cls)
        return cls(str(path))


def _spread_labels(frame: pd.DataFrame) -> pd.Series:
    """Return for each row the labels of its query's paper: the query's, "" for other sentences.

    If the last of three sentences asks, with the label "result", they are ["", "", "result"].
    """

    def spread(sentences: Sequence[str], labels: Sequence[str], ids: Sequence[int]) -> list[str]:
        paper_labels = [""] * len(sentences)
        for label, position in zip(labels, ids):
            paper_labels[position] = label
        return paper_labels

    columns = ["query_paper_sentences", "query_labels", "query_sentence_ids"]
    return pd.Series(frames.per_key(frame, columns, spread), index=frame.index, dtype=object)


def _select_labels(frame: pd.DataFrame, paper_labels: pd.Series) -> pd.Series:
    """Return for each row the labels of its query's sentences, looked up among its paper's.

    They are not labelled alone: a sentence's label depends on its neighbours in the paper.

    Args:
        frame: column `query_sentence_ids` has the positions of the query's sentences in the paper.
        paper_labels: for each row, the labels of all sentences of the query's paper.
    """

    def select(labels_of_paper: Sequence[str], positions: Sequence[int]) -> list[str]:
        return [labels_of_paper[position] for position in positions]

    # in one frame, to look up once for all rows of a query
    rows = frame.assign(query_paper_labels=paper_labels)
    query_labels = frames.per_key(rows, ["query_paper_labels", "query_sentence_ids"], select)
    return pd.Series(query_labels, index=frame.index, dtype=object)
