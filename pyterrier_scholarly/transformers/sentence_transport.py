"""Ranking by the distance between the sentences of query and document."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..similarity.exact_transport import exact
from ..similarity.single_match import mean_match, single_match
from ..similarity.transport import plan_cost, positive, sinkhorn
from ._sentence_scores import check, scored
from .step import Step

METHODS = {
    "sinkhorn": (sinkhorn, ("temperature", "blur")),
    "plan": (plan_cost, ("temperature", "blur")),
    "exact": (exact, ("temperature",)),
    "single": (single_match, ()),
    "mean": (mean_match, ()),
}
"""The distance of a query to each candidate (k,), and the settings that it hears."""


@dataclass(eq=False, repr=False)
class SentenceTransport(Step):
    """Scores documents by what it takes to move the query's sentences onto theirs [Mysore2022].

    Columns in: `qid`, `docno`, `query_sentences`, `sentences`. Columns out: the same and `score`
    and `rank`, rows by query and rank. `score` is minus a distance, up to 0, in the units of the
    encoder's vectors, which are not scaled to length 1. By `method`:

    ``"sinkhorn"`` (OT-ASPIRE)
        entropic optimal transport, as geomloss computes it for one pair, with sentences weighted by
        how near their best match is;
    ``"plan"``
        the cost of its plan alone, which the authors' code ranks by (so the systems `ot_aspire`);
    ``"exact"``
        the cheapest transport of the same weights, by linear programming: some thirty times slower;
    ``"single"`` (TS-ASPIRE)
        the smallest distance of all pairs of sentences;
    ``"mean"`` (TS-ASPIRE as DORIS-MAE's authors ran it)
        the mean, over the query's sentences, of the distance to the document's nearest.

    A document without sentences has a score 1 below the lowest of the query's others (-1 if there
    are none). Every distinct sentence is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, a pyterrier_dr bi-encoder, a function
            from a list of n texts to an (n, d) array, an `encoders.Encoder`; or None for `LSA`,
            which needs no download, fitted once on the documents of `dataset`.
        dataset: used where there is no encoder.
        method: see above.
        temperature: of the softmax that weights sentences, a distance above 0; not for "single"
            and "mean".
        blur: the temperature at which transport ends, a distance above 0, for "sinkhorn" and
            "plan". The authors' suits vectors some 14 apart; it blurs more where they are near.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: no encoder and no dataset, an unknown method, a temperature or blur of 0 or
            below, a query without sentences, sentences that are NaN or empty; names the rows.
    """

    encoder: object = None
    dataset: object = field(default=None, kw_only=True)
    method: str = field(default="sinkhorn", kw_only=True)
    temperature: float = field(default=1.0, kw_only=True)
    blur: float = field(default=0.05, kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        results = check(results, self)
        distance = distance_of(self)
        return scored(results, self, lambda *pool: minus(distance(*pool)))


def distance_of(step):
    """What `step.method` names: from vectors of a query's sentences, all documents' and lengths."""
    if step.method not in METHODS:
        raise ValueError(f"Unknown method {step.method!r}: choose one of {', '.join(METHODS)}.")
    function, names = METHODS[step.method]
    settings = {name: getattr(step, name) for name in names}
    positive(**settings)
    return partial(function, **settings)


def minus(distances):
    """Scores of a query's documents; a finite one, below all others, for infinite distances."""
    there = np.isfinite(distances)
    return 0 - np.where(there, distances, distances[there].max(initial=0) + 1)
