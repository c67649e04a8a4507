"""Lexical evidence for papers: words in common, plain or after latent semantic analysis."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from .. import datasets, frames
from ..encoders import as_cache
from ..similarity.sparse import products
from ._in_context import of_facet_or_all, papers_of, passage_pairs
from ._tfidf import TfIdf
from .step import Step


@dataclass(eq=False, repr=False)
class PaperTfIdf(Step):
    """Cosine of the tf-idf vectors of two papers: title and abstract, or title and facet.

    Words are lower-cased runs of letters, digits and inner hyphens; one-letter words and
    scikit-learn's English stop words are left out, a plural s is taken off. Term frequencies are
    sublinear, idf is smooth, fitted once on title and abstract of all documents of `dataset`; with
    `dimensions`, vectors are those of a truncated singular value decomposition of the same
    documents.

    Columns in: what `FacetQuery` and `Sentences` give. Columns out: the same and `score`
    (from 0 to 1, with `dimensions` from -1; 0 where a paper has no known word) and `rank`, rows by
    query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or a list of texts.
        dimensions: of the decomposition, fewer where there are fewer documents or words; None for
            none.
        facet_only: compare the title and the sentences of the facet (all where a candidate has
            none), not whole papers.
        cache: keep the decomposition on disk for later runs: True for the default folder, a folder,
            or a `VectorCache`.

    Raises:
        ValueError: (when fitting) texts without words; a query sentence that is not its paper's.
    """

    dataset: object
    dimensions: int | None = field(default=None, kw_only=True)
    facet_only: bool = field(default=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        results, *papers = papers_of(results, self)
        passages, pairs = passage_pairs(*papers, self._passage)
        scores = np.zeros(len(results))
        if passages:
            vectors = self._vectors(passages)
            scores = products(vectors, vectors, pairs)
        return frames.ranked(results.assign(score=scores))

    def _passage(self, paper, facet, places=None):
        if not self.facet_only:
            places = range(len(paper.sentences))
        elif places is None:
            places = of_facet_or_all(paper, facet)
        return paper.passage(places)

    def _vectors(self, passages):
        """One row of length 1 (or 0) per passage: sparse (n, words), or (n, dimensions)."""
        from sklearn.preprocessing import normalize

        source = self.dataset
        if not isinstance(source, (list, tuple)):
            source = datasets.collection(source)
        whole = replace(self, dataset=source, facet_only=False)
        weights = _fitted(replace(whole, dimensions=None)).transform(passages)
        if self.dimensions is None:
            return weights
        return normalize(weights @ _components(whole, as_cache(self.cache)).T)


@lru_cache(maxsize=4)
def _fitted(scorer):
    try:
        return TfIdf(_documents(scorer.dataset))
    except ValueError as error:
        raise ValueError(
            f"tf-idf cannot be fitted on {scorer.dataset!r:.80}: {error}. It needs texts with "
            "words."
        ) from error


@lru_cache(maxsize=4)
def _components(scorer, cache):
    words = _fitted(replace(scorer, dimensions=None))
    return words.components(_documents(scorer.dataset), scorer.dimensions, cache)


def _documents(source):
    """Title and abstract of each document, in pieces."""
    if isinstance(source, (list, tuple)):
        return [(text,) for text in source]
    return [(getattr(one, "title", ""), *_parts(one)) for one in datasets.irds(source).docs_iter()]


def _parts(record):
    """The text in the sentences that papers come in, where these are all of it."""
    text, sentences = datasets.text(record), getattr(record, "sentences", ())
    return sentences if " ".join(sentences) == text else (text,)
