"""Rank by the distance between the sentences of query and document.

    scorer = SentenceTransport("allenai/aspire-contextualsentence-multim-compsci", "abstract")
    (Pool(dataset) >> FacetQuery(dataset) >> Sentences(dataset) >> scorer)(topics)

How the frame is read and encoded stands in `sentence_maxsim`; here are the distances.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from ...arguments import Positive, one_of
from ...similarity.contributions import (
    Matches,
    split_max_sim,
    split_single_match,
    split_transport,
)
from ...similarity.maxsim import mean_match, single_match
from ...similarity.transport import exact, plan_cost, sinkhorn
from ...text.contexts import Paper
from .sentence_maxsim import SentenceScore


class Method(NamedTuple):
    """A way to measure the distance of a query to each of k candidates.

    Attributes:
        compute_distances: from query, rows, lengths and the settings to distances (k,).
        settings: the names of those that it takes, of `SentenceTransport`'s.
    """

    compute_distances: Callable[..., np.ndarray]
    settings: tuple[str, ...]


METHODS = {
    "sinkhorn": Method(sinkhorn, ("temperature", "blur")),
    "plan": Method(plan_cost, ("temperature", "blur")),
    "exact": Method(exact, ("temperature",)),
    "single": Method(single_match, ()),
    "mean": Method(mean_match, ()),
}


@dataclass(eq=False, repr=False)
class SentenceTransport(SentenceScore):
    """Score documents by the cost of moving the query's sentences onto theirs [Mysore2022].

    OT-ASPIRE and TS-ASPIRE use ``context="abstract"``: the encoder reads title and sentences of a
    paper together, the vector of a sentence is the mean of its tokens, and all sentences of the
    candidate count. (The authors' code truncates papers at 500 tokens; nothing is truncated here.)

    Columns in: as for `SentenceMaxSim`, without weights. Columns out: the same and `score` and
    `rank`, rows by query and rank. `score` is minus a distance, up to 0, in the units of the
    encoder's vectors, which are not scaled to length 1. By `method`:

    ``"sinkhorn"`` (OT-ASPIRE)
        entropic optimal transport, as geomloss computes it for one pair; a sentence weighs more the
        nearer its best match is;
    ``"plan"``
        only the cost of its plan; the authors' code ranks by it, and so do the systems `ot_aspire`;
    ``"exact"``
        the cheapest transport of the same weights, by linear programming: about 30 times slower;
    ``"single"`` (TS-ASPIRE)
        the smallest distance of all pairs of sentences;
    ``"mean"`` (TS-ASPIRE as DORIS-MAE's authors ran it)
        the mean, over the query's sentences, of the distance to the document's nearest.

    A document without sentences scores 1 below the lowest of the query's others (-1 if there are
    none).

    Args:
        encoder, context, dataset, batch_size, verbose: as for `SentenceMaxSim`; ASPIRE's models
            are passed by name.
        method: see above.
        temperature: of the softmax that weights sentences, a distance above 0; "single" and "mean"
            ignore it.
        blur: the temperature at which transport ends, a distance above 0, for "sinkhorn" and
            "plan". The authors' value suits vectors about 14 apart; it blurs nearer ones more.
        title: template of the title for the encoder, as in `str.format`; ``"[SEP]"`` for no title.

    Raises:
        ValueError: no encoder and no dataset, an unknown context or method, a temperature or blur
            of 0 or below, a query without sentences, sentences that are NaN or empty; names the
            rows.
    """

    method: Annotated[str, one_of(METHODS)] = field(default="sinkhorn", kw_only=True)
    temperature: Positive = field(default=1.0, kw_only=True)
    blur: Positive = field(default=0.05, kw_only=True)
    title: str = field(default="{title} [SEP]", kw_only=True)

    @property
    def scales_vectors(self) -> bool:
        """Return False: distances depend on the length of vectors."""
        return False

    def prepare_paper(self, paper: Paper) -> Paper:
        """Put the paper's title into the template."""
        return paper._replace(title=self.title.format(title=paper.title))

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return minus distances (k,); an infinite distance becomes 1 more than the largest."""
        method = METHODS[self.method]
        settings = {name: getattr(self, name) for name in method.settings}
        distances = method.compute_distances(query, rows, lengths, **settings)

        is_finite = np.isfinite(distances)
        beyond_largest = distances[is_finite].max(initial=0) + 1
        return 0 - np.where(is_finite, distances, beyond_largest)  # -0.0 would be shown as such

    def split_score(
        self,
        query: np.ndarray,
        document: np.ndarray,
        counted: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> Matches:
        """Return the pairs that make up the distance; see `SentenceScore`."""
        if self.method == "single":
            return split_single_match(query, document)
        if self.method == "mean":
            return split_max_sim(query, document, "mean", "l2")
        return split_transport(query, document, self.method, self.temperature, self.blur)
