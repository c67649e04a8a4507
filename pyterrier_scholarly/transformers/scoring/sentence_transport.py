"""Rank by the distance between the sentences of query and document."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import numpy as np

from ...arguments import Positive, one_of
from ...similarity.contributions import Matches, split_max_sim, split_single_match, split_transport
from ...similarity.maxsim import mean_match, single_match
from ...similarity.transport import exact, plan_cost, sinkhorn
from ...text.contexts import Paper
from .sentence_score import SentenceScore

#: method -> its distance from a query to each candidate (k,), and the settings it takes
METHODS: dict[str, tuple[Callable[..., np.ndarray], tuple[str, ...]]] = {
    "sinkhorn": (sinkhorn, ("temperature", "blur")),
    "plan": (plan_cost, ("temperature", "blur")),
    "exact": (exact, ("temperature",)),
    "single": (single_match, ()),
    "mean": (mean_match, ()),
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
    def scaled(self) -> bool:
        """Return False: distances depend on the length of vectors."""
        return False

    def check(self) -> None:
        """Raise ValueError for a temperature or blur of 0 or below."""
        self._distance()

    def read(self, paper: Paper) -> Paper:
        """Put the paper's title into the template."""
        return paper._replace(title=self.title.format(title=paper.title))

    def score(self, query: np.ndarray, rows: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
        """Return minus distances (k,); an infinite distance becomes 1 more than the largest."""
        distances = self._distance()(query, rows, lengths)
        finite = np.isfinite(distances)
        return 0 - np.where(finite, distances, distances[finite].max(initial=0) + 1)

    def matches(
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

    def _distance(self) -> Callable[..., np.ndarray]:
        """Return the function of METHODS with its settings; it takes the arguments of `score`."""
        function, names = METHODS[self.method]
        return partial(function, **{name: getattr(self, name) for name in names})
