"""The files of CSFCube's release, read as they are."""

import csv
from functools import cached_property

from ir_datasets_ext._csfcube_records import CsfcubeDoc, CsfcubePoolSource
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.records import DELETE, checked, read_json, read_lines, read_object, refused


class Release:
    """A collection in the layout of CSFCube's release.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    find_sources: a function that gives a dict of `Source` with the keys docs, queries, splits,
        pool, and annotations/<facet> for each facet; called when a file is first needed.
    """

    def __init__(self, name, find_sources):
        self.name = name
        self._find_sources = find_sources

    @cached_property
    def sources(self):
        """The files by key; mirrors may set another `url` on them."""
        return self._find_sources()

    def docs(self):
        """Yield the papers as CsfcubeDoc, in the order of the file, which must be there already."""
        from ir_datasets_ext._csfcube_layout import Paper

        path = self.sources["docs"].place()
        with path.open("rb") as lines:
            yield from map(doc_of, read_lines(path, lines, Paper))

    def annotations(self, facet):
        """Return, per query paper, its `Annotations`."""
        from ir_datasets_ext._csfcube_layout import Annotations

        return read_object(self._path(f"annotations/{facet}"), Annotations, "query paper")

    def pool(self):
        """Yield the pools with their sources as CsfcubePoolSource, in the file's order."""
        from ir_datasets_ext._csfcube_layout import Pool

        for paper, pool in read_object(self._path("pool"), Pool, "query paper").items():
            for candidate, sources in zip(pool.cands, pool.cand_source):
                yield CsfcubePoolSource(paper, candidate, sources)

    def splits(self):
        """Return the `Splits`."""
        from ir_datasets_ext._csfcube_layout import Splits

        return read_json(self._path("splits"), Splits, DELETE)

    def query_papers(self):
        """Return (year, type of paper) by (paper, facet)."""
        from ir_datasets_ext._csfcube_layout import QueryRow

        path = self._path("queries")
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                read = list(csv.DictReader(file, restkey=""))
        except (UnicodeDecodeError, csv.Error) as error:
            raise refused(path, "", "", f"expected CSV in UTF-8, got {error}") from None
        rows = [checked(row, QueryRow, path, f"row {number}") for number, row in enumerate(read, 1)]
        return {(row.pid, row.facet): (int(row.year or 0), row.paper_type) for row in rows}

    def _path(self, key):
        path = self.sources[key].path()
        self.sources[key].check()
        return path


def annotation_keys(facets=FACETS):
    """Return the keys of the annotation files of `facets`."""
    return [f"annotations/{facet}" for facet in facets]


def doc_of(paper):
    """Return a `Paper` as CsfcubeDoc."""
    metadata = paper.metadata
    return CsfcubeDoc(
        doc_id=paper.paper_id,
        title=paper.title or "",
        text=" ".join(paper.abstract),
        sentences=paper.abstract,
        labels=tuple(label.removesuffix("_label") for label in paper.pred_labels),
        year=int(metadata.year or 0),
        authors=tuple(map(_name, metadata.authors or ())),
        venue=metadata.venue or "",
        doi=metadata.doi or "",
    )


def _name(author):
    if isinstance(author, str):
        return author
    parts = (author.first, *(author.middle or ()), author.last, author.suffix)
    return " ".join(filter(None, parts))
