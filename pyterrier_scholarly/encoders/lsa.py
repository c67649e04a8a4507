"""Latent semantic analysis: vectors without a download."""

from dataclasses import dataclass, replace
from functools import lru_cache

from .. import datasets
from ..settings import BySettings


@dataclass(eq=False, repr=False)
class LSA(BySettings):
    """TF-IDF followed by a truncated singular value decomposition (scikit-learn), for both sides.

    Fitted when first needed, on texts given here and never on what is encoded, so a vector does not
    depend on what is encoded beside it. Instances that are equal, but for subsets
    of one collection, share one fit.

    Args:
        source: a dataset, whose documents' `text` (abstracts) is taken, or a list of texts.
        dimensions: d of the vectors, fewer where the texts have fewer documents or words.

    Raises:
        ValueError: (when fitting) the texts have fewer than two different words.
    """

    source: object
    dimensions: int = 100

    symmetric = True

    def encode_queries(self, texts):
        """Vectors (n, d); zero for a text without any word of the source."""
        if isinstance(self.source, (list, tuple)):
            return _fitted(self).transform(texts)
        return _fitted(replace(self, source=datasets.collection(self.source))).transform(texts)

    encode_documents = encode_queries


@lru_cache(maxsize=4)
def _fitted(lsa):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    is_list = isinstance(lsa.source, (list, tuple))
    texts = lsa.source if is_list else list(datasets.texts(lsa.source).values())
    tfidf = TfidfVectorizer(sublinear_tf=True)
    try:
        weights = tfidf.fit_transform(texts)
        svd = TruncatedSVD(min(lsa.dimensions, *weights.shape), random_state=0).fit(weights)
    except ValueError as error:
        raise ValueError(
            f"LSA cannot be fitted on {len(texts)} texts: {error}. "
            "It needs texts with at least two different words between them."
        ) from error
    return make_pipeline(tfidf, svd)
