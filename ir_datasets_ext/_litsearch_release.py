"""The files of LitSearch's release, read as they are."""

from functools import cached_property

from ir_datasets_ext._litsearch_records import LitsearchDoc, LitsearchFullDoc, LitsearchQuery

DOC_COLUMNS = ("corpusid", "title", "abstract", "citations")
QUERY_COLUMNS = ("query", "query_set", "specificity", "quality", "corpusids")
SPECIFICITY = {0: "broad", 1: "specific"}
ROWS = 256  # made into records at once: with full texts, some 10 MB


class Release:
    """LitSearch's parquet files.

    find_sources: a function that gives a dict of `Source` with the keys queries and corpus/0 to
        corpus/5; called when a file is first needed.
    """

    def __init__(self, find_sources):
        self._find_sources = find_sources

    @cached_property
    def sources(self):
        """The files by key; tests and mirrors may set another `url` on them."""
        return self._find_sources()

    def corpus(self):
        """Return the files that hold the papers, in order."""
        return [source for key, source in self.sources.items() if key != "queries"]

    def docs(self):
        """Yield the papers as LitsearchDoc, in the files' order; full texts are not decoded."""
        for row in self._papers(DOC_COLUMNS):
            yield _paper(LitsearchDoc, *row)

    def full_docs(self):
        """Yield the papers as LitsearchFullDoc, in the files' order."""
        for *row, full_text in self._papers((*DOC_COLUMNS, "full_paper")):
            yield _paper(LitsearchFullDoc, *row, full_text or "")

    def questions(self):
        """Yield (LitsearchQuery, ids of the papers sought), in the file's order."""
        source = self.sources["queries"]
        path = source.path()
        source.check()
        for number, row in enumerate(_rows(path, QUERY_COLUMNS)):
            query, query_set, specificity, quality, sought = row
            if specificity not in SPECIFICITY:
                raise ValueError(
                    f"{path}, row {number}: specificity {specificity!r}, expected 0 (broad) or 1 "
                    "(specific): delete the file to download the release's"
                )
            yield (
                LitsearchQuery(str(number), query, query_set, SPECIFICITY[specificity], quality),
                tuple(map(str, sought)),
            )

    def _papers(self, columns):
        for source in self.corpus():  # they are there already: who builds a store has fetched them
            yield from _rows(source.place(), columns)


def _paper(cls, corpusid, title, abstract, citations, *more):
    return cls(str(corpusid), title or "", abstract or "", tuple(map(str, citations or ())), *more)


def _rows(path, columns):
    """Yield the values of `columns` in each row of a parquet file, a batch in memory at a time."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS, columns=list(columns), use_threads=False):
                # by name: files may have their columns in another order
                yield from zip(*(batch.column(name).to_pylist() for name in columns))
    except (pyarrow.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is no parquet file with the columns {', '.join(columns)} "
            f"({type(error).__name__}: {' '.join(str(error).split())}): delete it to download the "
            "release's"
        ) from error
