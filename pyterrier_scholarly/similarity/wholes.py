"""What pairs of sentences add to the cosine of the two passages that they are in.

Conventions: a passage is (2 + k, d): the vector of the whole, of the title, and of its k sentences,
k above 0. A whole is the mean of its tokens, so it is a weighted sum of its parts and of tokens
that are in none. Weights of 0 or more that leave least of it are taken for those of the parts; what
they leave is in no part. (Of a whole that is no mean of tokens, the same is as near as parts come.)
"""

import numpy as np

from .contributions import Matches
from .maxsim import cosines, inverse_lengths


def of_wholes(query, document, asked, counted, offered) -> Matches:
    """A cosine of wholes as a sum over pairs of sentences, and over what is not in sentences.

    Args:
        query: the query's passage.
        document: the candidate's.
        asked: (m,), which of the passage's sentences, from 0, were asked with.
        counted: (l,), where the candidate's passage has its sentences from, among all n.
        offered: (n, d), vectors of all sentences of the candidate.

    Returns:
        `Matches` (m, n); the `rest` says what belongs to *titles* on either side, to the query's
        *other sentences*, if there are any, and to what is *in no part*.
    """
    (whole, scale), (other, other_scale) = map(_scaled, (query, document))
    products = np.outer(_weights(query), _weights(document)) * (query[1:] @ document[1:].T)
    products = products * scale * other_scale
    pairs = products[1:, 1:]
    offered = np.array(offered)
    offered[counted] = document[2:]
    similarities = cosines(query[2:][asked], offered).astype(np.float64)
    weights = np.zeros_like(similarities)
    known = similarities[:, counted]
    weights[:, counted] = np.divide(pairs[asked], known, np.zeros_like(known), where=known != 0)
    best = np.array(counted)[known.argmax(axis=1)][:, None] == np.arange(len(offered))
    rest = {
        "titles": products[0].sum() + products[1:, 0].sum(),
        "other sentences": pairs.sum() - pairs[asked].sum(),
        "in no part": whole @ other - products.sum(),
    }
    if len(asked) == len(pairs):
        del rest["other sentences"]
    return Matches(similarities, weights, best | (weights > 0), rest=rest)


def _scaled(passage):
    """The whole with length 1 (or 0), and what it was multiplied with."""
    (scale,) = inverse_lengths(passage[:1])
    return passage[0] * scale, scale


def _weights(passage):
    """How much each part has of the whole, (1 + k,), 0 or more."""
    from scipy.optimize import nnls

    return nnls(passage[1:].T.astype(np.float64), passage[0].astype(np.float64))[0]
