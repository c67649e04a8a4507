"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023): documents, and the release's file.

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. CC BY-NC 4.0.
<https://doi.org/10.5281/zenodo.8299749>

::

    dataset = ir_datasets.load("doris-mae/dev")
    for judgement in dataset.judgements_iter():
        print(judgement.total, judgement.aspects, judgement.is_relevant)

The release is one JSON object of about a gigabyte. It is read once, while the store is built, which
keeps documents, annotations, and the rest as one `Contents`. `doris_mae_queries` derives queries
and judgements from that.
"""

import mmap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Tuple

import msgspec
from ir_datasets.formats import GenericScoredDoc, TrecQrel

from .doris_mae_queries import (
    DERIVATIONS,
    IN_V0,
    TOO_LONG,
    Contents,
    Derivation,
    DorisMaeAspect,
    DorisMaeJudgement,
    DorisMaeQuery,
    JudgedQuery,
    Score,
)
from .files import DELETE, ReadingError, ReleaseFile, explaining, read_lines, release_files
from .handlers import (
    CitingDocs,
    Dataset,
    OtherRecords,
    Qrels,
    Queries,
    ScoredDocs,
    Source,
    make_dataset,
    merge_texts,
)
from .store import Store, Tables
from .warn_once import warn_once

NAME = "doris-mae"
FILES = release_files(NAME)


class DorisMaeDoc(NamedTuple):
    """A paper of the corpus.

    doc_id: the release's abstract_id.
    text: the abstract (original_abstract), which is all that the paper's systems read.
    categories: arXiv's.
    citations: the papers it cites (outgoing_citations), by the release's ids, in the corpus or
        not; `citations` of the dataset returns those in the corpus, by doc_id.
    masked_abstract: the abstract with specialised topic words masked.
    primary_category: the first of arXiv's `categories`.
    ss_id: Semantic Scholar's id. incoming_citations: the papers that cite it, by the release's ids.
    """

    doc_id: str
    title: str
    text: str
    url: str
    categories: Tuple[str, ...]
    citations: Tuple[str, ...]
    masked_abstract: str = ""
    primary_category: str = ""
    ss_id: str = ""
    incoming_citations: Tuple[str, ...] = ()

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}" if self.title else self.text


class DorisMaeAnnotation(NamedTuple):
    """ChatGPT's judgement of a pair of an aspect and an abstract (appendix A.4).

    aspect_id: a query of doris-mae/aspects. abstract_id: a document.
    reply: its reasoning and decision (gpt_response), empty if missing.
    score: 0 to 2, as released.
    """

    aspect_id: str
    abstract_id: str
    reply: str
    score: int


# --- the layout of the file: the paper's appendix A.4 --------------------------------------------

Id = int | str


class PaperEntry(msgspec.Struct):
    """An entry of Corpus."""

    abstract_id: Id
    title: str | None
    original_abstract: str | None
    url: str | None
    categories: tuple[str, ...] | str | None
    outgoing_citations: list[Id] | None
    masked_abstract: str | None = None
    primary_category: str | None = None
    ss_id: str | None = None
    incoming_citations: list[Id] | None = None

    def to_doc(self) -> DorisMaeDoc:
        """Return the paper as DorisMaeDoc."""
        categories = self.categories or ()
        if isinstance(categories, str):
            categories = tuple(categories.split())
        return DorisMaeDoc(
            doc_id=str(self.abstract_id),
            title=self.title or "",
            text=self.original_abstract or "",
            url=self.url or "",
            categories=categories,
            citations=tuple(map(str, self.outgoing_citations or ())),
            masked_abstract=self.masked_abstract or "",
            primary_category=self.primary_category or "",
            ss_id=self.ss_id or "",
            incoming_citations=tuple(map(str, self.incoming_citations or ())),
        )


class AnnotationEntry(msgspec.Struct):
    """An entry of Annotation."""

    aspect_id: Id
    abstract_id: Id
    score: Score
    gpt_response: str | None = None

    def to_annotation(self) -> DorisMaeAnnotation:
        """Return the annotation with all ids as texts."""
        reply = self.gpt_response or ""
        return DorisMaeAnnotation(str(self.aspect_id), str(self.abstract_id), reply, self.score)


class Release(Contents, kw_only=True):
    """The whole file.

    The entries of the two large sections stay bytes of the file until one is used, so that they are
    not in memory.
    """

    Corpus: list[msgspec.Raw]
    Annotation: list[msgspec.Raw]


# --- reading the file ----------------------------------------------------------------------------


def read_release(path: Path) -> Release:
    """Return the content of the release's file; ReadingError if it is another one's."""
    with explaining(path), path.open("rb") as file:
        # never closed by hand: entries are parts of it, and so is an error's traceback
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return msgspec.json.decode(content, type=Release)


def warn_of_oddities(path: Path, contents: Contents) -> None:
    """Warn of what a valid file lacks, or has twice; contents: with all scores."""
    repeated_count = sum(len(scores) - len(dict(scores)) for scores in contents.scores.values())
    if repeated_count:
        warn_once(
            f"{path}: {repeated_count} annotations repeat a pair of aspect and abstract: their "
            "scores add up, as in the authors' code"
        )

    for field, what_they_lack in {
        "pool": "have no candidate pool, and so neither qrels nor scoreddocs",
        "sentences_of_aspect": "do not map their sentences to aspects, and so have no sub-queries",
    }.items():
        count = sum(not getattr(query, field) for query in contents.queries)
        if count:
            warn_once(f"{path}: {count} of {len(contents.queries)} queries {what_they_lack}")


# --- the store -----------------------------------------------------------------------------------


class StoredRelease(CitingDocs):
    """The documents of a version of the release, and the other content of its file."""

    column = "outgoing_citations"

    def __init__(self, file: ReleaseFile, name: str) -> None:
        super().__init__(Store(name, DorisMaeDoc, [file], self._read_tables), NAME)
        self.file = file

    def contents(self) -> Contents:
        """Return the content beside the corpus; it is the same object until the store changes."""
        return _read_single(self.store.open(), "contents", Contents)

    def annotations(self) -> Iterator[DorisMaeAnnotation]:
        """Yield DorisMaeAnnotation in the release's order."""
        return self.store.open().read("annotations", DorisMaeAnnotation)

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the documents that `doc_id` cites, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids. Semantic Scholar's ids of
        documents are understood too. Raises KeyError for an unknown `doc_id`, MissingContent if
        the file has no citations of any paper.
        """
        cited_ids = super().citations(doc_id)
        doc_id_by_id = _read_single(self.store.open(), "ids", dict[str, str])
        known_ids = [doc_id_by_id[id_] for id_ in cited_ids if id_ in doc_id_by_id]
        return tuple(dict.fromkeys(known_ids))

    def _read_tables(self) -> Iterator[tuple[str, Iterable]]:
        """Yield the tables of documents, of annotations, and of all else that the file has."""
        path = self.file.path()
        release = read_release(path)
        contents = Contents(release.aspects, release.queries, release.Test_set, release.Dev_set)
        doc_id_by_id: dict[str, str] = {}  # by the documents' own ids, and Semantic Scholar's

        def read_docs() -> Iterator[DorisMaeDoc]:
            for entry in read_lines(path, release.Corpus, PaperEntry, what="Corpus entry"):
                doc = entry.to_doc()
                doc_id_by_id[doc.doc_id] = doc.doc_id
                if doc.ss_id:
                    doc_id_by_id[doc.ss_id] = doc.doc_id
                yield doc

        def read_annotations() -> Iterator[DorisMaeAnnotation]:
            for entry in read_lines(
                path, release.Annotation, AnnotationEntry, what="Annotation entry"
            ):
                annotation = entry.to_annotation()
                scores = contents.scores.setdefault(annotation.aspect_id, [])
                scores.append((annotation.abstract_id, annotation.score))
                yield annotation

        # in this order, because reading documents and annotations fills what the others are
        yield "docs", read_docs()
        yield "annotations", read_annotations()
        pooled_ids = set(chain.from_iterable(query.pool for query in contents.queries))
        unknown_ids = pooled_ids.difference(doc_id_by_id.values())
        if unknown_ids:
            raise ReadingError(
                f"{path}: a candidate pool has the unknown abstract_id {min(unknown_ids)!r}: "
                f"expected one of the file's. {DELETE}"
            )
        yield "ids", [doc_id_by_id]
        yield "contents", [contents]
        warn_of_oddities(path, contents)


@lru_cache(maxsize=4)  # two tables of two releases
def _read_single(tables: Tables, table: str, cls: Any) -> Any:
    """Return a table's only record; it is the same object as long as the tables are."""
    (record,) = tables.read(table, cls)
    return record


# --- the datasets --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subset:
    """The queries of one dataset, with their candidates and judgements.

    derivation: how they are derived from the release.
    part: "dev", "test", or "" for all queries.
    """

    release: StoredRelease
    derivation: Derivation
    part: str = ""

    def judged_queries(self) -> list[JudgedQuery]:
        """Return the queries in the release's order; derived once, and again when it changes."""
        contents = self.release.contents()
        with explaining(self.release.file.place()):
            return _derive(self.derivation.derive, contents, self.part)

    def queries(self) -> Iterator[DorisMaeQuery | DorisMaeAspect]:
        """Yield the queries in the release's order."""
        for judged_query in self.judged_queries():
            yield judged_query.query

    def judgements(self) -> Iterator[DorisMaeJudgement]:
        """Yield DorisMaeJudgement, query by query."""
        for query, aspects, _, totals in self.judged_queries():
            for doc_id, total in totals.items():
                yield DorisMaeJudgement(query.query_id, doc_id, total, aspects, doc_id in TOO_LONG)

    def qrels(self) -> Iterator[TrecQrel]:
        """Yield the judgements as TrecQrel, see `DorisMaeJudgement.to_qrel`."""
        for judgement in self.judgements():
            yield judgement.to_qrel()

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, in the order of the pools."""
        for query, _, pool, _ in self.judged_queries():
            for doc_id in pool:
                yield GenericScoredDoc(query.query_id, doc_id, 0.0)


@lru_cache(maxsize=64)  # all datasets
def _derive(derive: Any, contents: Contents, part: str) -> list[JudgedQuery]:
    return list(derive(contents, part))


def datasets() -> Iterator[Dataset]:
    """Yield the datasets.

    All have documents, queries, qrels and scoreddocs, and judgements, which say more than qrels.
    Queries that ChatGPT judged have a dev and a test part below them. `v0` has its own file.
    """
    release = StoredRelease(FILES["v1"], NAME)
    for name, derivation in DERIVATIONS.items():
        for part in derivation.parts:
            yield _make_dataset(Subset(release, derivation, part), name, part)

    first_release = StoredRelease(FILES["v0"], f"{NAME}-v0")
    for name in IN_V0:
        yield _make_dataset(Subset(first_release, DERIVATIONS[name]), "v0", name)


def _make_dataset(subset: Subset, *names: str) -> Dataset:
    """Return a dataset; names: of its id below the collection's, some of them empty."""
    subset_id = "/".join(filter(None, names))
    dataset_id = f"{NAME}/{subset_id}".rstrip("/")
    derivation = subset.derivation
    source = Source([subset.release.file], derivation.made_from, dataset_id)
    return make_dataset(
        dataset_id,
        subset.release,
        Queries(subset.queries, derivation.cls, source, namespace=NAME, lang="en"),
        Qrels(subset.qrels, TrecQrel, source, defs=derivation.definitions),
        ScoredDocs(subset.candidates, GenericScoredDoc, source),
        OtherRecords("judgements", subset.judgements, DorisMaeJudgement, source),
        OtherRecords(
            "annotations",
            subset.release.annotations,
            DorisMaeAnnotation,
            source._replace(content="annotations"),
        ),
        documentation=partial(merge_texts, NAME, *subset_id.split("/")),
    )
