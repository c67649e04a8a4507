"""Which query-facet pairs a dataset holds: a facet's, all facets', or a split's."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ir_datasets_ext._csfcube_release import Release, annotation_keys
from ir_datasets_ext.facets import FACETS, join


class Judged(NamedTuple):
    """A query-facet pair with its `Annotations`."""

    query_id: str
    paper: str
    facet: str
    columns: Any


@dataclass(frozen=True)
class Selection:
    """The query-facet pairs of one dataset.

    facet: one of FACETS (queries go by the paper's id), or "all" (by `<paper>_<facet>`).
    split: a part in the splits file, as fold1_dev, or None for every pair.
    """

    release: Release
    facet: str
    split: str | None = None

    @property
    def facets(self):
        """The facets that are in it, in the collection's order."""
        return tuple(FACETS) if self.facet == "all" else (self.facet,)

    def judged(self):
        """Yield the pairs as Judged, in the order of the annotation files."""
        wanted = self._wanted() if self.split else None
        seen = set()
        for facet in self.facets:
            for paper, columns in self.release.annotations(facet).items():
                pair = join(paper, facet)
                seen.add(pair)
                if wanted is None or pair in wanted:
                    yield Judged(pair if self.facet == "all" else paper, paper, facet, columns)
        if wanted is not None and not wanted <= seen:
            missing = ", ".join(sorted(wanted - seen))
            what = f"expected pairs that have annotations, got {missing}"
            raise self.refused("splits", f"{self.split} of {self.facet}", what)

    def refused(self, key, record, what):
        """Return the ValueError on a record in the file of that key."""
        from ir_datasets_ext.records import refused

        return refused(self.release.sources[key].place(), record, "", what)

    def _wanted(self):
        return set(getattr(getattr(self.release.splits(), self.facet), self.split))

    def count(self, records):
        """Return how many `records()` yields, or None while its files are not downloaded."""
        keys = annotation_keys(self.facets) + (["splits"] if self.split else [])
        if not all(self.release.sources[key].present() for key in keys):
            return None
        return sum(1 for _ in records())

    def candidates(self):
        """Yield (query id, candidate, relevance); a query paper is no candidate of itself.

        The release lists paper 8781666 among its own candidates; the authors' rankings and figures
        leave it out.
        """
        for query_id, paper, _, columns in self.judged():
            for candidate, relevance in zip(columns.cands, columns.relevance_adju):
                if candidate != paper:
                    yield query_id, candidate, relevance
