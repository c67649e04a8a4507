"""Similarities of groups of vectors: arrays in, arrays out.

Two queries' vectors and three documents' are compared, each with each::

    compare = similarity_called("cosine")
    similarities = compare(query_vectors, document_vectors)  # (2, d), (3, d) -> (2, 3)

- `unit_vectors`: scale vectors to length 1.
- `comparisons`: compare all pairs of two groups of vectors.
- `maxsim`, `maxsim_blocks`: score documents by their sentences; of one query, of many.
- `transport`, on `sinkhorn`: score documents by the transport of sentences.
- `contributions`: split a score among pairs of sentences.
- `document_pairs`, `divergence`: compare chosen pairs of whole documents, by tf-idf, by topics.
- `k_best`: collect the best of many documents, block by block.

Conventions: vectors are rows of float arrays. Except where noted, they can also be rows of scipy's
sparse arrays, such as SPLADE's.
"""

from .comparisons import LOWEST as LOWEST
from .comparisons import SIMILARITIES as SIMILARITIES
from .comparisons import cosines as cosines
from .comparisons import l2 as l2
from .comparisons import similarity_called as similarity_called
from .divergence import jensen_shannon
from .unit_vectors import unit as unit

__all__ = ["jensen_shannon"]  # for users; the other names are for our own packages
