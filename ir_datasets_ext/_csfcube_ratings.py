"""What stands beside CSFCube's judgements: the single annotators' ratings, the pools' sources."""

from ir_datasets_ext._csfcube_records import CsfcubePoolSource, CsfcubeRating


class FacetRatings:
    """The single annotators' ratings of a selection, as the release has them."""

    def __init__(self, selection):
        self._selection = selection

    def ratings_iter(self):
        """Yield CsfcubeRating; 8781666 rated against itself is among them, as in the release."""
        for query_id, _, _, columns in self._selection.judged():
            unrated = [None] * len(columns.cands)
            yield from map(
                CsfcubeRating,
                [query_id] * len(unrated),
                columns.cands,
                columns.relevance_adju,
                columns.relevance_max,
                columns.relevance_min,
                *(getattr(columns, f"relevance_ann{number}") or unrated for number in range(1, 5)),
            )

    def ratings_cls(self):
        """Return CsfcubeRating."""
        return CsfcubeRating


class PoolSources:
    """Where the candidates came from, as the release has it."""

    def __init__(self, release):
        self._release = release

    def pool_sources_iter(self):
        """Yield CsfcubePoolSource, with two papers per pool that nobody judged."""
        return self._release.pool()

    def pool_sources_cls(self):
        """Return CsfcubePoolSource."""
        return CsfcubePoolSource
