"""Lexical evidence for papers: words in common, plain or after latent semantic analysis."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from .. import datasets, frames
from ..similarity.sparse import products
from ._in_context import of_facet_or_all, papers_of
from ._step import Step

WORD = re.compile(r"[a-z0-9][a-z0-9\-]*[a-z0-9]|[a-z]")


@dataclass(eq=False, repr=False)
class PaperTfIdf(Step):
    """Cosine of the tf-idf vectors of two papers: title and abstract, or title and facet.

    Words are lower-cased runs of letters, digits and inner hyphens; one-letter words and
    scikit-learn's English stop words are left out, a plural s is taken off. Term frequencies are
    sublinear, idf is smooth, fitted once on title and abstract of all documents of `dataset`; with
    `dimensions`, vectors are those of a truncated singular value decomposition of the same
    documents.

    Columns in: what `PaperContext` gives behind `FacetQuery`. Columns out: the same and `score`
    (from 0 to 1, with `dimensions` from -1; 0 where a paper has no known word) and `rank`, rows by
    query and rank. Equal scorers share one fit.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or a list of texts.
        dimensions: of the decomposition, fewer where there are fewer documents or words; None for
            none.
        facet_only: compare the title and the sentences of the facet (all where a candidate has
            none), not whole papers.

    Raises:
        ValueError: (when fitting) texts without words; a query sentence that is not its paper's.
    """

    dataset: object
    dimensions: int | None = field(default=None, kw_only=True)
    facet_only: bool = field(default=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        papers, asked = papers_of(results, self)
        theirs = [self._text(paper, one.facet) for paper, one in zip(papers, asked)]
        ours = [self._text(one.paper, one.facet, one.places) for one in asked]
        number = {text: n for n, text in enumerate(dict.fromkeys([*theirs, *ours]))}
        scores = np.zeros(len(results))
        if number:
            vectors = self._vectors(list(number))
            pairs = [[number[text] for text in side] for side in (ours, theirs)]
            scores = _products(vectors, np.array(pairs).T)
        return frames.ranked(results.assign(score=scores))

    def _text(self, paper, facet, places=None):
        if not self.facet_only:
            places = range(len(paper.sentences))
        elif places is None:
            places = of_facet_or_all(paper, facet)
        return " ".join(paper.passage(places))

    def _vectors(self, texts):
        """One row of length 1 (or 0) per text: sparse (n, words), or (n, dimensions)."""
        from sklearn.preprocessing import normalize

        source = self.dataset
        if not isinstance(source, (list, tuple)):
            source = datasets.collection(source)
        model = _fitted(replace(self, dataset=source, facet_only=False))
        return normalize(model.transform(texts))


def words(text) -> list[str]:
    """The words of a text that count."""
    return list(filter(None, map(_counted, WORD.findall(text.lower()))))


@lru_cache(maxsize=2**18)  # words come again and again
def _counted(word):
    """What a word counts as, or "" for one that does not count."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return "" if len(word) == 1 or word in ENGLISH_STOP_WORDS else singular(word)


def singular(word):
    """`word` without a plural s: not that of *ss*, nor of words of up to three letters."""
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


@lru_cache(maxsize=4)
def _fitted(scorer):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    source, dimensions = scorer.dataset, scorer.dimensions
    if dimensions is not None:  # the same words and weights as without
        words_of = _fitted(replace(scorer, dimensions=None))
        weights = words_of.transform(_texts(source))
        svd = TruncatedSVD(min(dimensions, *weights.shape), random_state=0).fit(weights)
        return make_pipeline(words_of, svd)
    try:
        return TfidfVectorizer(analyzer=words, sublinear_tf=True).fit(_texts(source))
    except ValueError as error:
        raise ValueError(
            f"tf-idf cannot be fitted on {source!r:.80}: {error}. It needs texts with words."
        ) from error


def _texts(source):
    """Title and abstract of each document."""
    if isinstance(source, (list, tuple)):
        return list(source)
    records = datasets.irds(source).docs_iter()
    return [" ".join([getattr(one, "title", ""), datasets.text(one)]) for one in records]


def _products(vectors, pairs):
    """Inner products (n,) of pairs (n, 2) of rows, sparse or not."""
    if hasattr(vectors, "tocsr"):
        return products(vectors, vectors, pairs)
    return (vectors[pairs[:, 0]] * vectors[pairs[:, 1]]).sum(axis=1)
