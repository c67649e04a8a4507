"""Exact optimal transport: the cheapest way to move a query's sentences onto a document's.

Weights and costs are those of `transport`; without a temperature the plan has few entries (at most
m + n - 1 for m against n sentences), each a match that can be drawn. It is a linear program per
pair, some thirty times slower than `transport.sinkhorn` over a pool.
"""

import numpy as np

from .pairwise import l2
from .transport import check, log_weights


def exact(query, rows, lengths, temperature=1.0):
    """The transport distance of a query to each document, as `transport.sinkhorn` with no blur.

    Args:
        query: (m, d), vectors of the query's sentences.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.
        temperature: of the softmax that weights sentences, in units of distance, above 0.

    Returns:
        (k,), float64, from 0; inf for a document without sentences.

    Raises:
        ValueError: a query without sentences, a temperature that is not above 0.
    """
    return np.array([cost for cost, _ in _solved(query, rows, lengths, temperature)])


def exact_plans(query, rows, lengths, temperature=1.0):
    """The cheapest plans; arguments and errors as in `exact`.

    Returns:
        list of k arrays (m, sentences of the document): how much weight goes from where to where,
        from 0, summing to 1 (to nothing for a document without sentences).
    """
    return [plan for _, plan in _solved(query, rows, lengths, temperature)]


def _solved(query, rows, lengths, temperature):
    """Cost and plan of each document."""
    check(query, temperature=temperature)
    ends = np.cumsum(lengths, dtype=np.intp)
    documents = (rows[end - length : end] for end, length in zip(ends, lengths))
    return [_cheapest(query, document, temperature) for document in documents]


def _cheapest(query, document, temperature):
    if not len(document):
        return np.inf, np.zeros((len(query), 0))
    from scipy.optimize import linprog

    costs = l2(query, document)
    # what goes out of each sentence, what comes into each
    out = np.repeat(np.eye(len(query)), len(document), axis=1)
    into = np.tile(np.eye(len(document)), len(query))
    weights = [np.exp(log_weights(costs, axis, temperature)) for axis in (1, 0)]
    # one equation follows from the others; kept, rounding can make them contradict each other, and
    # the heaviest sentence's is the one that what little they are apart cannot turn negative
    kept = np.arange(len(document)) != weights[1].argmax()
    solution = linprog(
        costs.ravel(),
        A_eq=np.concatenate([out, into[kept]]),
        b_eq=np.concatenate([weights[0], weights[1][kept]]),
    )
    assert solution.success, solution.message  # weights that sum alike always have a plan
    return solution.fun, solution.x.reshape(costs.shape)
