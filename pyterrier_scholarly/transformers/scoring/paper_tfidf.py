"""Score papers by common words, plain or after latent semantic analysis.

    PaperTfIdf("csfcube", dimensions=128)(results)  # behind FacetQuery and Sentences

`piecewise_tfidf` weighs the words; here are papers, and what is shared between scorers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import Record

from ... import datasets, frames
from ...arguments import Count
from ...datasets import DatasetLike
from ...encoders import as_cache
from ...similarity.document_pairs import products
from ..step import Step
from .paper_rows import PaperColumns, PassagePairs, number_passages, read_paper_rows
from .piecewise_tfidf import TfIdf


@runtime_checkable
class FittedWords(Protocol):
    """Words that were fitted before; it stands for the dataset that they were fitted on."""

    def read_tfidf(self) -> TfIdf:
        """Return the weights of words; called whenever papers are scored."""

    def read_components(self, dimensions: int) -> np.ndarray:
        """Return a decomposition (dimensions, words); called if the scorer has dimensions."""


Source: TypeAlias = DatasetLike | Sequence[str]  # a collection, or a list of texts


@dataclass(eq=False, repr=False)
class PaperTfIdf(Step):
    """Cosine of the tf-idf vectors of two papers: title and abstract, or title and facet.

    Words are lower-cased runs of letters, digits and inner hyphens, without one-letter words and
    scikit-learn's English stop words; a plural s is removed. Term frequencies are sublinear, idf is
    smooth. It is fitted once on title and abstract of all documents of `dataset`. With
    `dimensions`, vectors are those of a truncated singular value decomposition of the same
    documents.

    Columns in: `qid`, `docno`, `query_title`, `query_paper_sentences`, `title` and `sentences`;
    with `facet_only` also `query_sentence_ids`, `facet` and `labels`. Columns out: the same and
    `score` (from 0 to 1, with `dimensions` from -1; 0 if a paper has no known word) and `rank`,
    rows by query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, a list of texts, or what was fitted
            before (`FittedWords`).
        dimensions: of the decomposition, at most the number of documents and of words; None for no
            decomposition.
        facet_only: compare the title and the sentences of the facet (all if a candidate has none)
            instead of whole papers.
        cache: keep the decomposition on disk for later runs: True for the default folder, a folder,
            or a `VectorCache`.

    Raises:
        ValueError: (when fitting) texts without words; a position outside the query's paper.
    """

    dataset: DatasetLike
    dimensions: Count | None = field(default=None, kw_only=True)
    facet_only: bool = field(default=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Add the cosine of each row's two papers as `score`, and rank by it."""
        if self.facet_only:
            needed = PaperColumns(asking=True, titles=True, labels=True, facet=True)
        else:  # which sentences ask, and their facet, change no score of whole papers
            needed = PaperColumns(asking=False, titles=True)
        rows = read_paper_rows(results, self, needed)

        scores = np.zeros(0)
        if len(rows.frame):  # zero rows need no tf-idf
            passage_pairs = number_passages(rows, is_whole=not self.facet_only)
            scores = self._compute_cosines(passage_pairs)
        return frames.ranked(rows.frame.assign(score=scores))

    def _compute_cosines(self, passage_pairs: PassagePairs) -> np.ndarray:
        """Compute the cosine of each pair of passages: (n,)."""
        from sklearn.preprocessing import normalize

        tfidf = self._read_tfidf()
        vectors = tfidf.transform(passage_pairs.passages)  # of length 1, or 0 without a known word
        if self.dimensions is not None:
            components = self._read_components(self.dimensions)
            vectors = normalize(vectors @ components.T)
        return products(vectors, vectors, passage_pairs.pairs)

    def _read_tfidf(self) -> TfIdf:
        """Return the tf-idf that this scorer weighs words by: the artifact's, or a fit."""
        if isinstance(self.dataset, FittedWords):
            return self.dataset.read_tfidf()
        documents = datasets.identify_documents(self.dataset)
        return datasets.fit_once(self._fit_tfidf, PaperTfIdf, documents)

    def _read_components(self, dimensions: int) -> np.ndarray:
        """Return the decomposition (dimensions, words): the artifact's, or a computed one."""
        if isinstance(self.dataset, FittedWords):
            return self.dataset.read_components(dimensions)

        documents = datasets.identify_documents(self.dataset)
        cache = as_cache(self.cache)
        decompose = partial(self._decompose, dimensions)
        return datasets.fit_once(decompose, PaperTfIdf, documents, dimensions, cache)

    def _fit_tfidf(self) -> TfIdf:
        """Fit on the documents of the dataset."""
        try:
            return TfIdf(_read_documents(self.dataset))
        except ValueError as error:
            raise ValueError(
                f"tf-idf cannot be fitted on {self.dataset!r:.80}: {error}. It needs texts with "
                "words."
            ) from error

    def _decompose(self, dimensions: int) -> np.ndarray:
        """Decompose the weights of the dataset's documents."""
        read_documents = partial(_read_documents, self.dataset)
        return self._read_tfidf().components(read_documents, dimensions, as_cache(self.cache))


def _read_documents(source: Source) -> list[tuple[str, ...]]:
    """Return title and abstract of each document, in pieces."""
    if isinstance(source, (list, tuple)):
        return [(text,) for text in source]

    documents = []
    for record in datasets.irds(source).docs_iter():
        title = getattr(record, "title", "")
        documents.append((title, *_divide_text(record)))
    return documents


def _divide_text(record: Record) -> tuple[str, ...]:
    """Return the record's sentences if they make up its text, else the text."""
    text = datasets.text(record)
    sentences = tuple(getattr(record, "sentences", ()))
    if " ".join(sentences) == text:
        return sentences
    return (text,)
