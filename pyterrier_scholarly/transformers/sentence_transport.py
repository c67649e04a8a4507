"""Ranking by the distance between the sentences of query and document."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..similarity import contributions
from ..similarity.exact_transport import exact
from ..similarity.single_match import mean_match, single_match
from ..similarity.transport import plan_cost, positive, sinkhorn
from ._sentence_score import SentenceScore

METHODS = {
    "sinkhorn": (sinkhorn, ("temperature", "blur")),
    "plan": (plan_cost, ("temperature", "blur")),
    "exact": (exact, ("temperature",)),
    "single": (single_match, ()),
    "mean": (mean_match, ()),
}
"""The distance of a query to each candidate (k,), and the settings that it hears."""


@dataclass(eq=False, repr=False)
class SentenceTransport(SentenceScore):
    """Score documents by what it takes to move the query's sentences onto theirs [Mysore2022].

    OT-ASPIRE and TS-ASPIRE read sentences in their abstract: ``context="abstract"``, where title
    and sentences of a paper pass through the encoder together, a sentence is the mean of its
    tokens, and all sentences of the candidate count. (The authors' code cuts papers at 500 tokens,
    here nothing is cut.)

    Columns in: as for `SentenceMaxSim`. Columns out: the same and `score` and `rank`, rows by query
    and rank. `score` is minus a distance, up to 0, in the units of the encoder's vectors, which are
    not scaled to length 1. By `method`:

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
    are none).

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`, such as ASPIRE's
            models by name.
        method: see above.
        temperature: of the softmax that weights sentences, a distance above 0; not for "single"
            and "mean".
        blur: the temperature at which transport ends, a distance above 0, for "sinkhorn" and
            "plan". The authors' suits vectors some 14 apart; it blurs more where they are near.
        title: template of the title as it is read, as `str.format` takes it; ``"[SEP]"`` is none.

    Raises:
        ValueError: no encoder and no dataset, an unknown context or method, a temperature or blur
            of 0 or below, a query without sentences, sentences that are NaN or empty; names the
            rows.
    """

    method: str = field(default="sinkhorn", kw_only=True)
    temperature: float = field(default=1.0, kw_only=True)
    blur: float = field(default=0.05, kw_only=True)
    title: str = field(default="{title} [SEP]", kw_only=True)

    scaled = False

    def check(self):
        """Raise ValueError for an unknown method, a temperature or blur of 0 or below."""
        distance_of(self)

    def read(self, paper):
        """The paper, with its title in the template."""
        return paper._replace(title=self.title.format(title=paper.title))

    def score(self, query, rows, lengths):
        """Minus distances (k,); a finite one, below all others, for infinite distances."""
        distances = distance_of(self)(query, rows, lengths)
        there = np.isfinite(distances)
        return 0 - np.where(there, distances, distances[there].max(initial=0) + 1)

    def matches(self, query, document, counted):
        """The pairs that the distance is made of, see `SentenceScore`."""
        if self.method == "single":
            return contributions.of_single_match(query, document)
        if self.method == "mean":
            return contributions.of_max_sim(query, document, "mean", "l2")
        settings = self.method, self.temperature, self.blur
        return contributions.of_transport(query, document, *settings)


def distance_of(step):
    """What `step.method` names: from vectors of a query's sentences, all documents' and lengths."""
    if step.method not in METHODS:
        raise ValueError(f"Unknown method {step.method!r}: choose one of {', '.join(METHODS)}.")
    function, names = METHODS[step.method]
    settings = {name: getattr(step, name) for name in names}
    positive(**settings)
    return partial(function, **settings)
