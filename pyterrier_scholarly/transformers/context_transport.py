"""Ranking by the distance between sentences that are read in their context: ASPIRE."""

from dataclasses import dataclass, field

import numpy as np

from ..encoders import sentence_vectors
from ._in_context import ContextScore
from .sentence_transport import distance_of, minus


@dataclass(eq=False, repr=False)
class ContextTransport(ContextScore):
    """Scores papers by what it takes to move the query's sentences onto theirs [Mysore2022].

    OT-ASPIRE (``method="plan"`` ranks as its authors do) and, with ``"single"``, TS-ASPIRE: title
    and sentences of a paper pass through the encoder together, a sentence is the mean of its
    tokens, and all sentences of the candidate count. Columns in: what `PaperContext` gives behind
    `FacetQuery`. Columns out: the same and `score` and `rank`, rows by query and rank. `score` is
    minus a distance, up to 0, of vectors that are not scaled to length 1; see `SentenceTransport`,
    also for papers without sentences.

    Where we differ from the authors' code: it cuts papers at 500 tokens, here nothing is cut.

    Args:
        encoder: as for `ContextMaxSim`, such as ASPIRE's models by name.
        context: as for `ContextMaxSim`.
        title: template of the title as it is read, as `str.format` takes it; ``"[SEP]"`` is none.
        method, temperature, blur: as for `SentenceTransport`.

    Raises:
        ValueError: an unknown context or method, a temperature or blur of 0 or below, a query
            sentence that its paper does not have.
    """

    context: str = "abstract"
    title: str = field(default="{title} [SEP]", kw_only=True)
    method: str = field(default="sinkhorn", kw_only=True)
    temperature: float = field(default=1.0, kw_only=True)
    blur: float = field(default=0.05, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        distance_of(self)
        return super().transform(results)

    def vectors(self, encoder, papers):
        """One (n_i, d) array per paper, as long as the encoder makes them."""
        read = [paper._replace(title=self.title.format(title=paper.title)) for paper in papers]
        return sentence_vectors(encoder, read, self.context, scaled=False)

    def score(self, query, documents, papers, facet):
        """Minus distances (k,)."""
        lengths = [len(document) for document in documents]
        return minus(distance_of(self)(query, np.concatenate(documents), lengths))
