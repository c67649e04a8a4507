"""The files of LitSearch's release, read as they are."""

from functools import cached_property

from ir_datasets_ext._litsearch_records import LitsearchDoc, LitsearchFullDoc, LitsearchQuery
from ir_datasets_ext.records import read_parquet

SPECIFICITY = {0: "broad", 1: "specific"}


class Release:
    """LitSearch's parquet files.

    find_sources: a function that gives a dict of `Source` with the keys queries and corpus/0 to
        corpus/5; called when a file is first needed.
    """

    def __init__(self, find_sources):
        self._find_sources = find_sources

    @cached_property
    def sources(self):
        """The files by key; mirrors may set another `url` on them."""
        return self._find_sources()

    def corpus(self):
        """Return the files that hold the papers, in order."""
        return [source for key, source in self.sources.items() if key != "queries"]

    def docs(self):
        """Yield the papers as LitsearchDoc, in the files' order; full texts are not decoded."""
        from ir_datasets_ext._litsearch_layout import Paper

        for paper in self._papers(Paper):
            yield LitsearchDoc(*_fields(paper))

    def full_docs(self):
        """Yield the papers as LitsearchFullDoc, in the files' order."""
        from ir_datasets_ext._litsearch_layout import FullPaper

        for paper in self._papers(FullPaper):
            yield LitsearchFullDoc(*_fields(paper), paper.full_paper or "")

    def questions(self):
        """Yield (LitsearchQuery, ids of the papers sought), in the file's order."""
        from ir_datasets_ext._litsearch_layout import Question

        source = self.sources["queries"]
        path = source.path()
        source.check()
        for number, row in enumerate(read_parquet(path, Question)):
            specificity = SPECIFICITY[row.specificity]
            yield (
                LitsearchQuery(str(number), row.query, row.query_set, specificity, row.quality),
                tuple(map(str, row.corpusids)),
            )

    def _papers(self, layout):
        for source in self.corpus():  # they are there already: who builds a store has fetched them
            yield from read_parquet(source.place(), layout)


def _fields(paper):
    citations = tuple(map(str, paper.citations or ()))
    return str(paper.corpusid), paper.title or "", paper.abstract or "", citations
