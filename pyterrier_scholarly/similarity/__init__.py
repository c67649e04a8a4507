"""Similarities of groups of vectors: arrays in, arrays out.

- `vectors`: compare all pairs of two groups of vectors, of any length, dense or sparse.
- `matches`: the parts of a score, by pairs of sentences.
- `document_pairs`, `divergence`: compare chosen pairs of whole documents, by tf-idf, by topics.
- `k_best`: collect the best of many documents, block by block.
"""

from .divergence import jensen_shannon

__all__ = ["jensen_shannon"]  # for users; the other names are for our own packages
