"""Ranking by one vector per paper: of its facet's passage, or of its abstract."""

from dataclasses import dataclass

import numpy as np

from .. import frames
from ..encoders import as_passage_encoder, passage_vectors
from ..similarity.maxsim import LOWEST
from ._in_context import of_facet_or_all, papers_of
from ._step import Step

CONTEXTS = ("facet", "abstract")


@dataclass(eq=False, repr=False)
class PassageCosine(Step):
    """Scores papers by the cosine of two passages, each the mean of all its tokens.

    A passage is the title and the sentences of the facet (all where a candidate has none), or the
    title and the whole abstract. Columns in: what `PaperContext` gives behind `FacetQuery`. Columns
    out: the same and `score` (from -1 to 1; -1 for a candidate without title and sentences) and
    `rank`, rows by query and rank.

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
        papers, asked = papers_of(results, self)
        theirs = [self._passage(paper, one.facet) for paper, one in zip(papers, asked)]
        ours = [self._passage(one.paper, one.facet, one.places) for one in asked]
        # of a passage without text a model gives the mean of its special tokens, which is near all
        written = np.array([any(map(str.strip, passage)) for passage in theirs], dtype=bool)
        read = [passage for passage, has_text in zip(theirs, written) if has_text]
        number = {passage: n for n, passage in enumerate(dict.fromkeys([*read, *ours]))}
        scores = np.full(len(results), LOWEST, dtype=float)
        if number:
            vectors = passage_vectors(as_passage_encoder(self.encoder), list(number))
        for rows in frames.rows_by_query(results):
            query = vectors[number[ours[rows[0]]]]
            rows = rows[written[rows]]
            scores[rows] = vectors[[number[theirs[row]] for row in rows]] @ query
        return frames.ranked(results.assign(score=scores))

    def places(self, paper, facet, chosen=None) -> list:
        """Where a paper's passage has its sentences: `chosen`, if given, or those of the facet."""
        if self.context == "abstract":
            return list(range(len(paper.sentences)))
        return of_facet_or_all(paper, facet) if chosen is None else chosen

    def _passage(self, *given):
        return given[0].passage(self.places(*given))
