"""CSFCube (Mysore, O'Gorman, McCallum and Zamani, NeurIPS Datasets and Benchmarks 2021).

34 computer-science papers, 50 query-facet pairs: which papers are like this one in its background
(and objective), its method, its result? <https://github.com/iesl/CSFCube>, CC BY-NC 4.0.

::

    dataset = ir_datasets.load("csfcube/method/fold1/test")
    for query in dataset.queries_iter():
        print(query.paper_title, query.query_sentences)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ir_datasets.formats import GenericQrel, GenericScoredDoc

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.csfcube.records import (
    ALL_FACETS,
    QREL_DEFS,
    SPLITS,
    WITH_QUERY_PAPER,
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
    from ir_datasets_ext.csfcube.release import JudgedQuery

# `release` loads msgspec, so it is imported when the first record is read.

NAME = "csfcube"
NOTICE = (
    "CSFCube is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Mysore et al. 2021, https://openreview.net/forum?id=8Y50dBbmGU"
)
RELEASE = Release(NAME, __name__, NOTICE)
FACET_PARTS = (*FACETS, ALL_FACETS)


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets of a collection in CSFCube's layout, by id.

    The collection itself has only documents. Each facet, `all`, `WITH_QUERY_PAPER`, and the folds'
    parts below them have queries, qrels and scoreddocs too.
    """
    sources = partial(release.files, "docs")
    read_docs = read_later(__name__, "read_docs", release)
    docs = StoredDocs(release.name, f"{release.name}/docs", sources, read_docs, CsfcubeDoc)

    read_pool = read_later(__name__, "read_pool", release)
    pool_files = MadeFrom(release, release.name, ("pool",), "pools of query papers")
    pool_sources = make_handler("pool_sources", read_pool, CsfcubePoolSource, pool_files)

    parts: dict = {"": (docs, refuse_queries(release.name, release), pool_sources)}
    facet_of_part = {facet: facet for facet in FACET_PARTS} | {WITH_QUERY_PAPER: ALL_FACETS}
    for part, facet in facet_of_part.items():
        whole_id = f"{release.name}/{part}"
        whole = Subset(release, docs, whole_id, facet, query_papers=part == WITH_QUERY_PAPER)
        parts[part] = _make_components(whole)
        for split_id, split in SPLITS.items():
            subset = replace(whole, dataset_id=f"{whole_id}/{split_id}", split=split)
            parts[f"{part}/{split_id}"] = _make_components(subset)
    return make_released_datasets(release, parts)


def make_judgements(subset: "Subset") -> tuple[object, object]:
    """Return the handlers of a subset's queries and qrels."""
    made_from = subset.made_from
    queries = make_handler(
        "queries",
        subset.queries,
        CsfcubeQuery,
        made_from,
        count=partial(made_from.count, subset.judged_queries),  # which needs no documents
        namespace=subset.release.name,
        lang="en",
    )
    definitions = QREL_DEFS[subset.facet]
    qrels = make_handler("qrels", subset.qrels, GenericQrel, made_from, defs=definitions)
    return queries, qrels


def refuse_queries(dataset_id: str, release: Release) -> object:
    """Return a handler of queries that raises; its error names the datasets that have queries."""

    def refuse() -> Iterable:
        ids = ", ".join(f"{dataset_id}/{facet}" for facet in FACET_PARTS)
        raise NotImplementedError(
            f"{dataset_id} has no queries of its own, its facets have: use {ids}"
        )

    return make_handler("queries", refuse, CsfcubeQuery, namespace=release.name, lang="en")


def _make_components(subset: "Subset") -> tuple:
    """Return the components of one dataset."""
    made_from = subset.made_from
    return (
        subset.docs,
        *make_judgements(subset),
        make_handler("scoreddocs", subset.candidates, GenericScoredDoc, made_from),
        make_handler("ratings", subset.ratings, CsfcubeRating, made_from),
    )


@dataclass(frozen=True)
class Subset:
    """The query-facet pairs of one dataset.

    dataset_id: for errors.
    facet: one of FACETS (a query's id is the paper's), or "all" (it is `<paper>_<facet>`).
    split: a part in the splits file, as fold1_dev, or None for every pair.
    query_papers: whether a query paper stays among its own candidates.
    """

    release: Release
    docs: StoredDocs
    dataset_id: str
    facet: str
    split: str | None = None
    query_papers: bool = False

    @property
    def made_from(self) -> MadeFrom:
        """The files of its judgements."""
        keys = [f"annotations/{facet}" for facet in self.facets]
        content = f"annotations of {self.facet}"
        if self.split is not None:
            keys.append("splits")
            content += f" for {self.split}"
        return MadeFrom(self.release, self.dataset_id, tuple(keys), content)

    @property
    def facets(self) -> tuple[str, ...]:
        """Its facets, in the collection's order."""
        return tuple(FACETS) if self.facet == ALL_FACETS else (self.facet,)

    def judged_queries(self) -> "Iterator[JudgedQuery]":
        """Yield the pairs with their annotations, in the order of the annotation files."""
        if self.split is None:
            yield from self._read_judged_queries()
            return

        from ir_datasets_ext.csfcube.release import read_pair_ids

        ids_of_split = read_pair_ids(self.release, self.facet, self.split)
        missing_ids = set(ids_of_split)
        for judged_query in self._read_judged_queries():
            pair_id = join(judged_query.paper_id, judged_query.facet)
            if pair_id in ids_of_split:
                missing_ids.discard(pair_id)
                yield judged_query

        if missing_ids:
            names = ", ".join(sorted(missing_ids))
            splits_file = self.release.place("splits")
            record = f"{self.split} of {self.facet}"
            problem = f"expected pairs that have annotations, got {names}"
            raise reading_error(splits_file, record, "", problem)

    def queries(self) -> Iterator[CsfcubeQuery]:
        """Yield CsfcubeQuery in the order of the annotation files."""
        from ir_datasets_ext.csfcube.release import QueryPaper, read_query_papers

        judged_queries = list(self.judged_queries())
        paper_ids = {judged_query.paper_id for judged_query in judged_queries}
        papers = self.docs.docs_store().get_many(paper_ids)
        query_papers = read_query_papers(self.release)

        for judged_query in judged_queries:
            paper_id = judged_query.paper_id
            facet = judged_query.facet
            file = self.release.place(f"annotations/{facet}")
            record = f"query paper {paper_id}"
            check_known(paper_id, papers, "one of the documents", file, record, "")

            paper = papers[paper_id]
            unlisted_paper = QueryPaper(year=paper.year, paper_type="")
            query_paper = query_papers.get((paper_id, facet), unlisted_paper)
            sentences = _choose_sentences(paper, facet)
            yield CsfcubeQuery(
                query_id=judged_query.query_id,
                query=" ".join(sentences),
                paper_id=paper_id,
                facet=facet,
                paper_title=paper.title,
                paper_year=query_paper.year,
                paper_type=query_paper.paper_type,
                query_sentences=sentences,
            )

    def qrels(self) -> Iterator[GenericQrel]:
        """Yield GenericQrel, the adjudicated ratings from 0 to 3.

        The release has paper 8781666 among its own candidates, with grade 3 for background and
        result. The authors' figures leave it out, so it is left out unless `query_papers`.
        """
        for judged_query in self.judged_queries():
            for doc_id, relevance in judged_query.list_grades():
                if self.query_papers or doc_id != judged_query.paper_id:
                    yield GenericQrel(judged_query.query_id, doc_id, relevance)

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, one for each judgement."""
        for qrel in self.qrels():
            yield GenericScoredDoc(qrel.query_id, qrel.doc_id, 0.0)

    def ratings(self) -> Iterator[CsfcubeRating]:
        """Yield CsfcubeRating; 8781666 rated against itself is included, as in the release."""
        for judged_query in self.judged_queries():
            yield from judged_query.list_ratings()

    def _read_judged_queries(self) -> "Iterator[JudgedQuery]":
        """Yield each query paper's annotations for each facet of this subset, whatever the split.

        The id of a query is the paper's, unless the subset has all facets: then a paper may be the
        query for several of them, and the facet is a part of the id.
        """
        from ir_datasets_ext.csfcube.release import JudgedQuery, read_annotations

        has_all_facets = self.facet == ALL_FACETS
        for facet in self.facets:
            annotations_by_paper = read_annotations(self.release, facet)
            for paper_id, annotations in annotations_by_paper.items():
                query_id = join(paper_id, facet) if has_all_facets else paper_id
                yield JudgedQuery(query_id, paper_id, facet, annotations)


def _choose_sentences(paper: CsfcubeDoc, facet: str) -> tuple[str, ...]:
    """Return the paper's sentences with a label of the facet."""
    facet_labels = FACETS[facet]
    return tuple(
        sentence for sentence, label in zip(paper.sentences, paper.labels) if label in facet_labels
    )
