"""LitSearch (Ajith, Xia, Chevalier, Goyal, Chen and Gao, EMNLP 2024).

597 questions that a literature search might start with, made from citations or asked by authors,
over 64,183 papers of ACL Anthology and ICLR.
<https://huggingface.co/datasets/princeton-nlp/LitSearch>
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple, Tuple

from ir_datasets.formats import GenericQrel

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.handlers import (
    Documentation,
    ScholarlyDataset,
    make_handler,
    make_released_datasets,
    read_later,
)
from ir_datasets_ext.releases import MadeFrom, Release

NAME = "litsearch"
FULL_TEXT = "full-text"
NOTICE = (
    "LitSearch's questions and code are released under the MIT licence; what rights there are in "
    "the papers' texts is not stated. Please cite Ajith et al. 2024, "
    "https://aclanthology.org/2024.emnlp-main.840"
)
RELEASE = Release(NAME, __name__, NOTICE)

#: origin of questions -> the release's query_set
SOURCES = {
    "inline": ("inline_acl", "inline_nonacl"),
    "author": ("manual_acl", "manual_iclr"),
    "inline-acl": ("inline_acl",),
    "inline-nonacl": ("inline_nonacl",),
    "author-acl2023": ("manual_acl",),
    "author-iclr2024": ("manual_iclr",),
}
SPECIFICITIES = ("broad", "specific")  # in the order of the release's numbers, from 0
QUALITIES = ("quality-1", "quality-2")
QREL_DEFS = {1: "answers the question; what else does is not known"}


# Tuple[...], and no postponed annotations: ir_datasets' exporters and PyTerrier's text_loader read
# the annotations, and know only these.
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


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets by id.

    Each has the same documents, and the questions and judgements of a subset. All questions are
    also in `litsearch/full-text`, whose documents have full texts.
    """
    sources = partial(corpus, release)
    light = CitingDocs(
        NAME,
        f"{NAME}/docs",
        sources,
        read_later(__name__, "read_papers", release, False),
        LitsearchDoc,
    )
    full = CitingDocs(
        NAME,
        f"{NAME}/docs-{FULL_TEXT}",
        sources,
        read_later(__name__, "read_papers", release, True),
        LitsearchFullDoc,
        required=("full_text",),
    )

    parts: dict = {}
    for names in every_subset():
        subset = Subset(release, names)
        made_from = subset.made_from
        queries = make_handler(
            "queries", subset.queries, LitsearchQuery, made_from, namespace=NAME, lang="en"
        )
        qrels = make_handler("qrels", subset.qrels, GenericQrel, made_from, defs=QREL_DEFS)
        parts["/".join(names)] = (light, queries, qrels)
        if not names:
            parts[FULL_TEXT] = (full, queries, qrels)
    return make_released_datasets(release, parts, JoinedDocumentation)


def corpus(release: Release) -> list:
    """Return the files of the papers."""
    return [source for key, source in release.sources.items() if key != "queries"]


def every_subset() -> list[tuple[str, ...]]:
    """Return all combinations of names, in the order of an id; () is the first."""
    return [
        tuple(filter(None, names))
        for names in product((None, *SOURCES), (None, *SPECIFICITIES), (None, *QUALITIES))
    ]


class CitingDocs(StoredDocs):
    """Documents that have a field `citations`."""

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the papers that `doc_id` cites, in the release's order.

        Papers outside the collection are included. Raises KeyError for an unknown `doc_id`,
        MissingContent if the files have no citations of any paper.
        """
        store = self.docs_store()
        document = store.get(doc_id)
        self._require_field(store, "citations")
        return document.citations


class JoinedDocumentation(Documentation):
    """The texts of subsets, joined from those of the names in their ids."""

    def get_key(self, key: str) -> dict[str, object]:
        """Return the collection's texts; append the names and descriptions of `key`'s parts.

        Of other texts, those of the last part win.
        """
        texts = dict(self.texts["_"])
        for added in (self.texts[name] for name in key.split("/") if name):
            name = f"{texts['pretty_name']}, {added['pretty_name']}"
            texts |= {**added, "pretty_name": name, "desc": f"{texts['desc']}{added['desc']}"}
        return texts


@dataclass(frozen=True)
class Subset:
    """The questions of one dataset.

    names: of the subsets whose common questions it has; none for all questions.
    """

    release: Release
    names: Tuple[str, ...] = ()

    @property
    def made_from(self) -> MadeFrom:
        """The file of its questions."""
        dataset_id = "/".join((NAME, *self.names))
        content = f"questions that are {' and '.join(self.names)}" if self.names else "questions"
        return MadeFrom(self.release, dataset_id, ("queries",), content)

    def questions(self) -> Iterator[tuple[LitsearchQuery, tuple[str, ...]]]:
        """Yield (question, ids of the papers sought), in the release's order."""
        from ir_datasets_ext.litsearch import release

        for question, sought in release.read_questions(self.release):
            origins = {name for name, sets in SOURCES.items() if question.query_set in sets}
            if {*origins, question.specificity, f"quality-{question.quality}"} >= {*self.names}:
                yield question, sought

    def queries(self) -> Iterator[LitsearchQuery]:
        """Yield LitsearchQuery in the release's order."""
        return (question for question, _ in self.questions())

    def qrels(self) -> Iterator[GenericQrel]:
        """Yield GenericQrel with relevance 1 for each paper sought; no others are judged."""
        for question, sought in self.questions():
            for doc_id in sought:
                yield GenericQrel(question.query_id, doc_id, 1)
