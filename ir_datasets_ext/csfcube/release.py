"""The files of CSFCube's release, and the query-facet pairs of each dataset in them."""

import csv
from dataclasses import dataclass

from ir_datasets.formats import GenericQrel, GenericScoredDoc

from ir_datasets_ext import files
from ir_datasets_ext.csfcube.records import (
    CsfcubePoolSource,
    CsfcubeQuery,
    CsfcubeRating,
)
from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.facets import FACETS, join
from ir_datasets_ext.records import DELETE, checked, read_json, read_lines, read_object, refused


class Release(files.Release):
    """A collection in the layout of CSFCube's release.

    Its files have the keys docs, queries, splits, pool, and annotations/<facet> for each facet.
    """

    def docs(self):
        """Yield the papers as CsfcubeDoc, in the order of the file, which must be there already."""
        from ir_datasets_ext.csfcube.layout import Paper

        path = self.sources["docs"].place()
        with path.open("rb") as lines:
            for paper in read_lines(path, lines, Paper):
                yield paper.record()

    def annotations(self, facet):
        """Return, per query paper, its `Annotations`."""
        from ir_datasets_ext.csfcube.layout import Annotations

        return self._by_paper(f"annotations/{facet}", Annotations)

    def pool(self):
        """Yield the pools, with two papers each that nobody judged, as CsfcubePoolSource."""
        from ir_datasets_ext.csfcube.layout import Pool

        for paper, pool in self._by_paper("pool", Pool).items():
            for candidate, sources in zip(pool.cands, pool.cand_source):
                yield CsfcubePoolSource(paper, candidate, sources)

    def pairs(self, facet, split):
        """Return the pairs of a part in the splits file, as `<paper>_<facet>`."""
        from ir_datasets_ext.csfcube.layout import Splits

        return getattr(getattr(read_json(self.path("splits"), Splits, DELETE), facet), split)

    def query_papers(self):
        """Return (year, type of paper) by (paper, facet)."""
        from ir_datasets_ext.csfcube.layout import QueryRow

        path = self.path("queries")
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                read = list(csv.DictReader(file, restkey=""))
        except (UnicodeDecodeError, csv.Error) as error:
            raise refused(path, "", "", f"expected CSV in UTF-8, got {error}") from None
        rows = [checked(row, QueryRow, path, f"row {number}") for number, row in enumerate(read, 1)]
        return {(row.pid, row.facet): (int(row.year or 0), row.paper_type) for row in rows}

    def _by_paper(self, key, layout):
        path = self.path(key)
        found = read_object(path, layout, "query paper")
        for paper, columns in found.items():
            for name in columns.__struct_fields__:
                values, count = getattr(columns, name), len(columns.cands)
                if values is not None and len(values) != count:
                    what = f"expected {count} values of {name} for as many cands, got {len(values)}"
                    raise refused(path, f"query paper {paper}", "", what)
        return found


@dataclass(frozen=True)
class Subset:
    """The query-facet pairs of one dataset.

    facet: one of FACETS (queries go by the paper's id), or "all" (by `<paper>_<facet>`).
    split: a part in the splits file, as fold1_dev, or None for every pair.
    """

    release: Release
    docs: StoredDocs
    facet: str
    split: str | None = None

    def judged(self):
        """Yield query id, paper, facet and `Annotations`, in the order of the annotation files."""
        wanted = set(self.release.pairs(self.facet, self.split)) if self.split else ()
        missing = set(wanted)
        for facet in self.facets():
            for paper, columns in self.release.annotations(facet).items():
                if self.split:
                    missing.discard(join(paper, facet))
                    if join(paper, facet) not in wanted:
                        continue
                query_id = join(paper, facet) if self.facet == "all" else paper
                yield query_id, paper, facet, columns
        if missing:
            what = f"expected pairs that have annotations, got {', '.join(sorted(missing))}"
            raise self._refused("splits", f"{self.split} of {self.facet}", what)

    def facets(self):
        """Return the facets that are in it, in the collection's order."""
        return tuple(FACETS) if self.facet == "all" else (self.facet,)

    def count(self, read):
        """Return how many `read()` yields, or None while its files are not downloaded."""
        keys = [f"annotations/{facet}" for facet in self.facets()]
        return self.release.count(read, *keys, *(["splits"] if self.split else []))

    def queries(self):
        """Yield CsfcubeQuery in the order of the annotation files."""
        judged = list(self.judged())
        papers = self.docs.docs_store().get_many({paper for _, paper, _, _ in judged})
        described = self.release.query_papers()
        for query_id, paper, facet, _ in judged:
            if paper not in papers:
                what = "expected one of the documents"
                raise self._refused(f"annotations/{facet}", f"query paper {paper}", what)
            doc = papers[paper]
            year, kind = described.get((paper, facet), (doc.year, ""))
            labelled = zip(doc.sentences, doc.labels)
            sentences = tuple(text for text, label in labelled if label in FACETS[facet])
            query = " ".join(sentences)
            yield CsfcubeQuery(query_id, query, paper, facet, doc.title, year, kind, sentences)

    def qrels(self):
        """Yield GenericQrel, the adjudicated ratings from 0 to 3; no paper is judged for itself.

        The release lists paper 8781666 among its own candidates; the authors' rankings and figures
        leave it out.
        """
        for query_id, paper, _, columns in self.judged():
            for candidate, relevance in zip(columns.cands, columns.relevance_adju):
                if candidate != paper:
                    yield GenericQrel(query_id, candidate, relevance)

    def candidates(self):
        """Yield GenericScoredDoc with score 0.0, one for each judgement."""
        for query_id, candidate, _ in self.qrels():
            yield GenericScoredDoc(query_id, candidate, 0.0)

    def ratings(self):
        """Yield CsfcubeRating; 8781666 rated against itself is among them, as in the release."""
        for query_id, _, _, columns in self.judged():
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

    def _refused(self, key, record, what):
        return refused(self.release.sources[key].place(), record, "", what)
