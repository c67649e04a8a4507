"""The files of LitSearch's release, and the questions of each dataset in them."""

from dataclasses import dataclass
from itertools import product
from typing import Tuple

from ir_datasets.formats import GenericQrel

from ir_datasets_ext import files
from ir_datasets_ext.records import read_parquet

#: where questions are from -> the release's query_set
SOURCES = {
    "inline": ("inline_acl", "inline_nonacl"),
    "author": ("manual_acl", "manual_iclr"),
    "inline-acl": ("inline_acl",),
    "inline-nonacl": ("inline_nonacl",),
    "author-acl2023": ("manual_acl",),
    "author-iclr2024": ("manual_iclr",),
}
SPECIFICITIES = ("broad", "specific")
QUALITIES = ("quality-1", "quality-2")


class Release(files.Release):
    """LitSearch's Parquet files, with the keys queries and corpus/0 to corpus/5."""

    def corpus(self):
        """Return the files that hold the papers, in order."""
        return self.files(*(key for key in self.sources if key != "queries"))

    def docs(self):
        """Yield the papers as LitsearchDoc, in the files' order; full texts are not decoded."""
        from ir_datasets_ext.litsearch.layout import Paper

        return self._papers(Paper)

    def full_docs(self):
        """Yield the papers as LitsearchFullDoc, in the files' order."""
        from ir_datasets_ext.litsearch.layout import FullPaper

        return self._papers(FullPaper)

    def questions(self):
        """Yield (LitsearchQuery, ids of the papers sought), in the file's order."""
        from ir_datasets_ext.litsearch.layout import Question

        for number, row in enumerate(read_parquet(self.path("queries"), Question)):
            yield row.record(number), tuple(map(str, row.corpusids))

    def _papers(self, layout):
        for source in self.corpus():  # they are there already: who builds a store has fetched them
            for paper in read_parquet(source.place(), layout):
                yield paper.record()


def every_subset():
    """Return all combinations, () first: a list of tuples of names, in the order of an id."""
    choices = ((None, *names) for names in (SOURCES, SPECIFICITIES, QUALITIES))
    return [tuple(filter(None, names)) for names in product(*choices)]


@dataclass(frozen=True)
class Subset:
    """The questions of one dataset.

    names: of the subsets whose questions it has in common; none for all questions.
    """

    release: Release
    names: Tuple[str, ...] = ()

    def has(self, question):
        """Return whether a LitsearchQuery belongs to it."""
        belongs = {name for name, sets in SOURCES.items() if question.query_set in sets}
        belongs |= {question.specificity, f"quality-{question.quality}"}
        return belongs.issuperset(self.names)

    def queries(self):
        """Yield LitsearchQuery in the release's order."""
        return (question for question, _ in self.release.questions() if self.has(question))

    def qrels(self):
        """Yield GenericQrel with relevance 1 for each paper sought; no others are judged."""
        for question, sought in self.release.questions():
            for doc_id in sought if self.has(question) else ():
                yield GenericQrel(question.query_id, doc_id, 1)

    def count(self, read):
        """Return how many `read()` yields, or None while its file is not downloaded."""
        return self.release.count(read, "queries")
