"""Ranking by one vector per paper: of its facet's passage, or of its abstract."""

from dataclasses import dataclass

import numpy as np

from .. import frames
from ..encoders import as_passage_encoder, passage_vectors
from ..similarity.maxsim import LOWEST
from ..similarity.sparse import products
from ._in_context import of_facet_or_all, papers_of, passage_pairs
from .step import Step

CONTEXTS = ("facet", "abstract")


@dataclass(eq=False, repr=False)
class PassageCosine(Step):
    """Scores papers by the cosine of two passages, each the mean of all its tokens.

    A passage is the title and the sentences of the facet on both sides (Definition 1 of
    [Mysore2021]; all where a candidate has none), or the title and the whole abstract. Columns in:
    what `PaperContext` gives behind `FacetQuery`. Columns out: the same and `score` (from -1 to 1;
    -1 for a candidate without title and sentences) and `rank`, rows by query and rank.

    Args:
        encoder: as for `ContextMaxSim`.
        context: ``"facet"`` or ``"abstract"``.

    Raises:
        ValueError: an unknown context, a query sentence that its paper does not have.
    """

    encoder: object
    context: str = "facet"

    def transform(self, results):
        """Score and rank."""
        if self.context not in CONTEXTS:
            raise ValueError(
                f"There is no one passage for context {self.context!r}: choose one of "
                f"{', '.join(CONTEXTS)}."
            )
        results, *papers = papers_of(results, self)
        passages, pairs = passage_pairs(*papers, self._passage)
        scores = np.zeros(len(results))
        if passages:
            # of one without text a model gives the mean of its special tokens, which is near all
            written = np.array([any(map(str.strip, passage)) for passage in passages])
            vectors = self._vectors(passages, written)
            scores = np.where(written[pairs[:, 1]], products(vectors, vectors, pairs), LOWEST)
        return frames.ranked(results.assign(score=scores))

    def places(self, paper, facet, chosen=None) -> list:
        """Where a paper's passage has its sentences: `chosen`, if given, or those of the facet."""
        if self.context == "abstract":
            return list(range(len(paper.sentences)))
        return of_facet_or_all(paper, facet) if chosen is None else chosen

    def _vectors(self, passages, written):
        """One row per passage, of length 1, or 0 where nothing is `written`."""
        read = [passage for passage, has_text in zip(passages, written) if has_text]
        made = passage_vectors(self.loaded(as_passage_encoder), read)
        vectors = np.zeros((len(passages), made.shape[1]), dtype=made.dtype)
        vectors[written] = made
        return vectors

    def _passage(self, *given):
        return given[0].passage(self.places(*given))
