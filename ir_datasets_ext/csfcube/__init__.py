"""CSFCube (Mysore, O'Gorman, McCallum and Zamani, NeurIPS Datasets and Benchmarks 2021).

34 computer-science papers, 50 query-facet pairs: which papers are like this one in its background
(and objective), its method, its result? <https://github.com/iesl/CSFCube>, CC BY-NC 4.0.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ir_datasets.formats import GenericQrel, GenericScoredDoc

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.csfcube.records import (
    QREL_DEFS,
    SPLITS,
    CsfcubeDoc,
    CsfcubePoolSource,
    CsfcubeQuery,
    CsfcubeRating,
)
from ir_datasets_ext.facets import FACETS, join
from ir_datasets_ext.handlers import (
    ScholarlyDataset,
    make_handler,
    make_released_datasets,
    read_later,
)
from ir_datasets_ext.releases import MadeFrom, Release
from ir_datasets_ext.typed_records import check_known, reading_error

if TYPE_CHECKING:
    from ir_datasets_ext.csfcube.release import Annotations

NAME = "csfcube"
NOTICE = (
    "CSFCube is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Mysore et al. 2021, https://openreview.net/forum?id=8Y50dBbmGU"
)
RELEASE = Release(NAME, __name__, NOTICE)


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a collection in CSFCube's layout, by id.

    The collection itself has only documents. Each facet, `all`, and the folds' parts below them
    have queries, qrels and scoreddocs too.
    """
    sources = partial(release.files, "docs")
    read_docs = read_later(__name__, "read_docs", release)
    docs = StoredDocs(release.name, f"{release.name}/docs", sources, read_docs, CsfcubeDoc)

    read_pool = read_later(__name__, "read_pool", release)
    pool_files = MadeFrom(release, release.name, ("pool",), "pools of query papers")
    pool_sources = make_handler("pool_sources", read_pool, CsfcubePoolSource, pool_files)

    parts: dict = {"": (docs, no_queries(release.name, release), pool_sources)}
    for facet in (*FACETS, "all"):
        for below, split in {"": None, **SPLITS}.items():
            part = f"{facet}/{below}".rstrip("/")
            subset = Subset(release, docs, f"{release.name}/{part}", facet, split)
            parts[part] = (
                docs,
                *judgements(subset),
                make_handler("scoreddocs", subset.candidates, GenericScoredDoc, subset.made_from),
                make_handler("ratings", subset.ratings, CsfcubeRating, subset.made_from),
            )
    return make_released_datasets(release, parts)


def judgements(subset: "Subset") -> tuple:
    """Return the handlers of a subset's queries and qrels."""
    made_from = subset.made_from
    queries = make_handler(
        "queries",
        subset.queries,
        CsfcubeQuery,
        made_from,
        count=partial(made_from.count, subset.judged),  # which needs no documents
        namespace=subset.release.name,
        lang="en",
    )
    qrels = make_handler(
        "qrels", subset.qrels, GenericQrel, made_from, defs=QREL_DEFS[subset.facet]
    )
    return queries, qrels


def no_queries(dataset_id: str, release: Release) -> object:
    """Return a handler of queries that raises; its error names the datasets that have queries."""

    def refuse() -> Iterable:
        ids = ", ".join(f"{dataset_id}/{facet}" for facet in (*FACETS, "all"))
        raise NotImplementedError(
            f"{dataset_id} has no queries of its own, its facets have: use {ids}"
        )

    return make_handler("queries", refuse, CsfcubeQuery, namespace=release.name, lang="en")


@dataclass(frozen=True)
class Subset:
    """The query-facet pairs of one dataset.

    dataset_id: for errors.
    facet: one of FACETS (a query's id is the paper's), or "all" (it is `<paper>_<facet>`).
    split: a part in the splits file, as fold1_dev, or None for every pair.
    """

    release: Release
    docs: StoredDocs
    dataset_id: str
    facet: str
    split: str | None = None

    @property
    def made_from(self) -> MadeFrom:
        """The files of its judgements."""
        keys = [f"annotations/{facet}" for facet in self.facets()]
        content = f"annotations of {self.facet}"
        if self.split:
            keys.append("splits")
            content += f" for {self.split}"
        return MadeFrom(self.release, self.dataset_id, tuple(keys), content)

    def judged(self) -> "Iterator[tuple[str, str, str, Annotations]]":
        """Yield query id, paper, facet and annotations, in the order of the annotation files."""
        from ir_datasets_ext.csfcube import release

        wanted = release.read_pairs(self.release, self.facet, self.split) if self.split else []
        missing = set(wanted)
        for facet in self.facets():
            for paper, columns in release.read_annotations(self.release, facet).items():
                pair = join(paper, facet)
                if not self.split or pair in wanted:
                    missing.discard(pair)
                    yield pair if self.facet == "all" else paper, paper, facet, columns
        if missing:
            what = f"expected pairs that have annotations, got {', '.join(sorted(missing))}"
            raise reading_error(
                self.release.place("splits"), f"{self.split} of {self.facet}", "", what
            )

    def facets(self) -> tuple[str, ...]:
        """Return its facets, in the collection's order."""
        return tuple(FACETS) if self.facet == "all" else (self.facet,)

    def queries(self) -> Iterator[CsfcubeQuery]:
        """Yield CsfcubeQuery in the order of the annotation files."""
        from ir_datasets_ext.csfcube import release

        judged = list(self.judged())
        papers = self.docs.docs_store().get_many({paper for _, paper, _, _ in judged})
        described = release.read_query_papers(self.release)
        for query_id, paper, facet, _ in judged:
            file = self.release.place(f"annotations/{facet}")
            check_known(paper, papers, "one of the documents", file, f"query paper {paper}", "")
            doc = papers[paper]
            year, kind = described.get((paper, facet), (doc.year, ""))
            labelled = zip(doc.sentences, doc.labels)
            sentences = tuple(text for text, label in labelled if label in FACETS[facet])
            yield CsfcubeQuery(
                query_id, " ".join(sentences), paper, facet, doc.title, year, kind, sentences
            )

    def qrels(self) -> Iterator[GenericQrel]:
        """Yield GenericQrel, the adjudicated ratings from 0 to 3; no paper is judged for itself.

        The release has paper 8781666 among its own candidates; the authors' figures leave it out.
        """
        for query_id, paper, _, columns in self.judged():
            for candidate, relevance in zip(columns.cands, columns.relevance_adju):
                if candidate != paper:
                    yield GenericQrel(query_id, candidate, relevance)

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, one for each judgement."""
        return (GenericScoredDoc(query_id, doc_id, 0.0) for query_id, doc_id, _ in self.qrels())

    def ratings(self) -> Iterator[CsfcubeRating]:
        """Yield CsfcubeRating; 8781666 rated against itself is included, as in the release."""
        for query_id, _, _, columns in self.judged():
            unrated = [None] * len(columns.cands)
            # the file's columns are in the order of the record's fields
            rated = (getattr(columns, name) or unrated for name in columns.__struct_fields__)
            yield from map(partial(CsfcubeRating, query_id), *rated)
