"""LitSearch's records: documents and questions; their kinds, and what relevance means."""

from typing import NamedTuple, Tuple

# Tuple[...], and no postponed annotations: ir_datasets' exporters and PyTerrier's text_loader read
# the annotations, and know only these.

#: keys of the release's files of papers
CORPUS_KEYS = tuple(f"corpus/{number}" for number in range(6))
#: origin of questions -> the release's query_set
SOURCES = {
    "inline": ("inline_acl", "inline_nonacl"),
    "author": ("manual_acl", "manual_iclr"),
    "inline-acl": ("inline_acl",),
    "inline-nonacl": ("inline_nonacl",),
    "author-acl2023": ("manual_acl",),
    "author-iclr2024": ("manual_iclr",),
}
#: the release's number -> specificity of a question
SPECIFICITIES = {0: "broad", 1: "specific"}
QUALITIES = ("quality-1", "quality-2")
QREL_DEFS = {1: "answers the question; what else does is not known"}


class LitsearchDoc(NamedTuple):
    """A paper: title and abstract.

    text: the abstract; empty if missing in the release, and equal for some papers.
    citations: the ids of the papers it cites, in the release's order, including papers outside the
        collection.
    """

    doc_id: str
    title: str
    text: str
    citations: Tuple[str, ...]

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}"


class LitsearchFullDoc(NamedTuple):
    """A paper with its full text: the fields of LitsearchDoc, and full_text, which may be empty."""

    doc_id: str
    title: str
    text: str
    citations: Tuple[str, ...]
    full_text: str

    def default_text(self) -> str:
        """Return title, abstract and full text."""
        return f"{self.title} {self.text} {self.full_text}"


class LitsearchQuery(NamedTuple):
    """A question that the papers sought answer.

    query_id: the number of the question's row in the release, from 0.
    query_set: its origin, by the release's name: inline_acl, inline_nonacl (made from a paragraph
        that cites the papers sought), manual_acl, manual_iclr (asked by an author).
    specificity: "broad" (at most 20 papers fit) or "specific" (at most 5).
    quality: 1 (acceptable) or 2 (good: demanding, and worth asking).
    """

    query_id: str
    query: str
    query_set: str
    specificity: str
    quality: int

    def default_text(self) -> str:
        """Return the question."""
        return self.query


class JudgedQuery(NamedTuple):
    """A question, and the ids of the papers sought, which answer it."""

    query: LitsearchQuery
    sought_ids: Tuple[str, ...]

    def subset_names(self) -> frozenset[str]:
        """Return the names of the subsets that it belongs to: origins, specificity, quality."""
        origins = [
            name for name, query_sets in SOURCES.items() if self.query.query_set in query_sets
        ]
        quality = f"quality-{self.query.quality}"
        return frozenset((*origins, self.query.specificity, quality))
