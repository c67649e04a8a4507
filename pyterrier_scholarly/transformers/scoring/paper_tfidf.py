"""Score papers by common words, plain or after latent semantic analysis."""

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

import numpy as np
import pandas as pd

from ... import datasets, frames
from ...arguments import Count
from ...datasets import DatasetLike
from ...encoders import VectorCache, as_cache
from ...similarity.document_pairs import products
from ...text.contexts import Passage
from ..step import Step
from .piecewise_tfidf import TfIdf
from .sides import needed_in_context, passage_pairs, read_rows


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
        dataset: an id, a PyTerrier or an ir_datasets dataset, or a list of texts.
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
        """Score and rank."""
        of_facet = self.facet_only
        needed = needed_in_context(title=True, asks=of_facet, labels=of_facet, facet=of_facet)
        rows = read_rows(results, self, needed)
        passages, pairs = passage_pairs(rows.papers, rows.queries, not of_facet)
        scores = self._cosines(passages, pairs) if passages else np.zeros(0)
        return frames.ranked(rows.frame.assign(score=scores))

    def _cosines(self, passages: list[Passage], pairs: np.ndarray) -> np.ndarray:
        """Compute the cosines (k,) of pairs of passages (k, 2)."""
        from sklearn.preprocessing import normalize

        listed = isinstance(self.dataset, (list, tuple))
        source = self.dataset if listed else datasets.collection(self.dataset)
        plain = replace(self, dataset=source, facet_only=False, dimensions=None)
        vectors = _fitted(plain).transform(passages)  # of length 1, or 0 without a known word
        if self.dimensions is not None:
            components = _components(plain, self.dimensions, as_cache(self.cache))
            vectors = normalize(vectors @ components.T)
        return products(vectors, vectors, pairs)


@lru_cache(maxsize=4)
def _fitted(scorer: PaperTfIdf) -> TfIdf:
    try:
        return TfIdf(_documents(scorer.dataset))
    except ValueError as error:
        raise ValueError(
            f"tf-idf cannot be fitted on {scorer.dataset!r:.80}: {error}. It needs texts with "
            "words."
        ) from error


@lru_cache(maxsize=4)
def _components(scorer: PaperTfIdf, dimensions: int, cache: VectorCache | None) -> np.ndarray:
    return _fitted(scorer).components(partial(_documents, scorer.dataset), dimensions, cache)


def _documents(source: object) -> list[tuple[str, ...]]:
    """Return title and abstract of each document, in pieces."""
    if isinstance(source, (list, tuple)):
        return [(text,) for text in datasets.check_texts(source, "dataset")]
    return [
        (getattr(record, "title", ""), *_parts(record))
        for record in datasets.irds(source).docs_iter()
    ]


def _parts(record: object) -> tuple[str, ...]:
    """Return the record's sentences if they make up its text, else the text."""
    text, sentences = datasets.text(record), tuple(getattr(record, "sentences", ()))
    return sentences if " ".join(sentences) == text else (text,)
