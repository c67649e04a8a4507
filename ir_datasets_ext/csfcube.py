"""CSFCube (Mysore, O'Gorman, McCallum and Zamani, NeurIPS Datasets and Benchmarks 2021).

34 computer-science papers, 50 query-facet pairs: which papers are like this one in its background
(and objective), its method, its result? <https://github.com/iesl/CSFCube>, CC BY-NC 4.0.

::

    dataset = ir_datasets.load("csfcube/method/fold1/test")
    for query in dataset.queries_iter():
        print(query.paper_title, query.query_sentences)

The same datasets are made of scholarly-mini, a small collection in this layout that is shipped
with the package: documentation, demo and tests need no download. A figure on it shows that
something runs, not how good it is.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple, Tuple, TypeVar

import msgspec
from ir_datasets.formats import GenericQrel, GenericScoredDoc
from msgspec.structs import astuple

from .facets import FACETS, join
from .files import ReleaseFile, explaining, read_lines, release_files
from .handlers import (
    Dataset,
    OtherRecords,
    Qrels,
    Queries,
    ScoredDocs,
    Source,
    make_dataset,
    merge_texts,
)
from .store import Store, StoredDocs

NAME = "csfcube"
FILES = release_files(NAME)

MINI_NAME = "scholarly-mini"
MINI_FILES = release_files(MINI_NAME)

ALL = "all"  # the part with the queries of every facet, whose ids name paper and facet
FACET_PARTS = (*FACETS, ALL)
#: All queries, with the pools as they are released: one paper is a candidate of itself. ASPIRE's
#: evaluation code ranks these (`evaluate.py`, allenai/aspire); the collection's own figures are
#: over pools without it.
WITH_QUERY_PAPER = "with-query-paper"
#: ids below a part's, "" for all of it; a fold's dev part is the other's test part
SPLITS = ("", "fold1/dev", "fold1/test", "fold2/dev", "fold2/test")
#: Facet -> grade -> meaning, in our words. Source: the release's ann_guidelines.pdf, which has
#: examples of all; section 4 of the paper [Mysore2021] prints those of *method*.
QREL_DEFS: dict[str, dict[int, str]] = {
    "all": {
        3: "near identical in the facet that is asked for; each facet defines it",
        2: "similar in that facet",
        1: "related in that facet",
        0: "unrelated",
    },
    "background": {
        3: "near identical: the same specific goal, modelling problem or task, or a specific "
        "motivation that both share",
        2: "similar: goals or theoretical backgrounds are alike on a higher level, and share few "
        "specifics",
        1: "related: alike on a very high level only, or different sub-problems of one larger, "
        "specific problem",
        0: "unrelated",
    },
    "method": {
        3: "near identical: the mechanisms are alike, and so are the details of the objects that "
        "they handle",
        2: "similar: the mechanisms are alike, the details can merely be compared",
        1: "related: the details are alike but the mechanisms only on a high level; or the "
        "mechanisms are alike on a very high level; or small parts of the methods are alike; or "
        "one abstract is too coarse to say more",
        0: "unrelated",
    },
    "result": {
        3: "near identical: the same finding or conclusion, even if the opposite is found, or an "
        "evaluation on a similar task",
        2: "similar: findings are alike in general but not in specifics, or are a part of the same "
        "larger finding",
        1: "related: alike in a coarse or under-specified way, in points that are not salient, or "
        "only through a coarsely related context",
        0: "unrelated",
    },
}


# --- the records; Tuple[...], because ir_datasets' exporters do not know tuple[...] --------------


class CsfcubeDoc(NamedTuple):
    """A paper, with its abstract by sentences.

    text: the sentences joined by a blank.
    labels: one per sentence: background, objective, method, result or other. Those of query papers
        were corrected by hand; all others are predictions.
    year: 0 if missing in the release; authors, venue, doi: empty if missing.
    """

    doc_id: str
    title: str
    text: str
    sentences: Tuple[str, ...]
    labels: Tuple[str, ...]
    year: int
    authors: Tuple[str, ...]
    venue: str
    doi: str

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}"


class CsfcubeQuery(NamedTuple):
    """A paper, and the facet in which similar papers are wanted.

    query_id: the paper's id, or `<paper>_<facet>` in datasets that hold all facets.
    query: the paper's sentences of that facet, joined by a blank; query_sentences: one by one.
    paper_year: 0 if missing in the release; paper_type: as in ``queries-release.csv``.
    """

    query_id: str
    query: str
    paper_id: str
    facet: str
    paper_title: str
    paper_year: int
    paper_type: str
    query_sentences: Tuple[str, ...]

    def default_text(self) -> str:
        """Return the facet's sentences."""
        return self.query


class CsfcubeRating(NamedTuple):
    """The annotators' ratings of a candidate, from 0 (unrelated) to 3 (near identical).

    relevance: the adjudicated rating; relevance_max and relevance_min: of the two annotators'.
    ann1, ann2, ann3, ann4: None for annotators who did not rate this query; -1 for a rating that is
        missing in the release (then relevance_min is -1 too).
    """

    query_id: str
    doc_id: str
    relevance: int
    relevance_max: int
    relevance_min: int
    ann1: int | None
    ann2: int | None
    ann3: int | None
    ann4: int | None


class CsfcubePoolSource(NamedTuple):
    """A paper of a query paper's pool, and the methods that found it, by the release's names."""

    paper_id: str
    doc_id: str
    sources: Tuple[str, ...]


# --- the layout of the files, and their readers --------------------------------------------------


Grade = Annotated[int, msgspec.Meta(ge=0, le=3)]
Rating = Annotated[int, msgspec.Meta(ge=-1, le=3)]  # -1: missing
Year = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{0,4}\Z")]
Layout = TypeVar("Layout")


class Author(msgspec.Struct):
    """A name, as S2ORC has it."""

    first: str | None = None
    middle: list[str] | None = None
    last: str | None = None
    suffix: str | None = None

    def __str__(self) -> str:
        names = [self.first, *(self.middle or ()), self.last, self.suffix]
        return " ".join(name for name in names if name)


class Metadata(msgspec.Struct):
    """Optional facts about a paper."""

    year: int | Year | None = None
    authors: list[str | Author] | None = None
    venue: str | None = None
    doi: str | None = None


class Abstract(msgspec.Struct):
    """A paper in the files; `pred_labels` are one per sentence of `abstract`."""

    paper_id: str
    title: str | None
    abstract: tuple[str, ...]
    pred_labels: tuple[str, ...]
    metadata: Metadata

    def __post_init__(self) -> None:
        check_lengths(self.abstract, self.pred_labels)

    def to_doc(self) -> CsfcubeDoc:
        """Return the paper as CsfcubeDoc."""
        metadata = self.metadata
        return CsfcubeDoc(
            doc_id=self.paper_id,
            title=self.title or "",
            text=" ".join(self.abstract),
            sentences=self.abstract,
            labels=tuple(label.removesuffix("_label") for label in self.pred_labels),
            year=int(metadata.year or 0),
            authors=tuple(str(author) for author in metadata.authors or ()),
            venue=metadata.venue or "",
            doi=metadata.doi or "",
        )


class Columns(msgspec.Struct):
    """Lists of one length; None for a missing one."""

    def __post_init__(self) -> None:
        check_lengths(*astuple(self))


class Annotations(Columns):
    """The candidates of a query paper, and columns of their ratings.

    A column is None for an annotator who did not rate this paper's candidates.
    """

    cands: list[str]
    relevance_adju: list[Grade]
    relevance_max: list[Rating]
    relevance_min: list[Rating]
    relevance_ann1: list[Rating] | None = None
    relevance_ann2: list[Rating] | None = None
    relevance_ann3: list[Rating] | None = None
    relevance_ann4: list[Rating] | None = None


class Pool(Columns):
    """The candidates of a query paper, and the methods that found each."""

    cands: list[str]
    cand_source: list[tuple[str, ...]]


def check_lengths(*columns: Sequence | None) -> None:
    """Raise ValueError unless all columns have equally many values; None is a missing column."""
    lengths = {len(column) for column in columns if column is not None}
    if len(lengths) > 1:
        raise ValueError(f"expected lists of one length, got the lengths {sorted(lengths)}")


def read_docs(path: Path) -> Iterator[CsfcubeDoc]:
    """Yield the papers in the file's order."""
    with path.open("rb") as lines:
        for paper in read_lines(path, lines, Abstract):
            yield paper.to_doc()


def read_by_key(path: Path, layout: type[Layout]) -> dict[str, Layout]:
    """Return the entries of a JSON object by key; ReadingError names the key of a wrong one."""
    with explaining(path):
        contents = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])

    entries = {}
    for key, content in contents.items():
        with explaining(f"{path}, entry {key}"):
            entries[key] = msgspec.json.decode(content, type=layout)
    return entries


#: by query paper, in the file's order
read_annotations = partial(read_by_key, layout=Annotations)
#: by query paper; each pool has two papers that nobody judged
read_pools = partial(read_by_key, layout=Pool)
#: by facet (or `all`): by split, as fold1_dev, the pairs `<paper>_<facet>`
read_splits = partial(read_by_key, layout=dict[str, list[str]])


def read_query_rows(path: Path) -> dict[tuple[str, str], tuple[int, str]]:
    """Return year and type of each query paper, by paper and facet."""
    with explaining(path), path.open(encoding="utf-8-sig", newline="") as file:
        # a row that is cut off has None in it, which is refused here
        rows = msgspec.convert(list(csv.DictReader(file)), list[dict[str, str]])

        facts = {}
        for row in rows:
            facts[row["pid"], row["facet"]] = (int(row["year"] or 0), row["paper type"])
        return facts


# --- the datasets --------------------------------------------------------------------------------


class JudgedQuery(NamedTuple):
    """A query paper and a facet, with the annotations of its candidates."""

    query_id: str
    paper_id: str
    facet: str
    annotations: Annotations


@dataclass(frozen=True)
class Subset:
    """The query-facet pairs of one dataset.

    part: one of FACETS (a query's id is the paper's), "all" (it is `<paper>_<facet>`), or
        WITH_QUERY_PAPER (all, and a query paper stays among its own candidates).
    split: one of SPLITS.
    """

    files: Mapping[str, ReleaseFile]
    docs: StoredDocs
    part: str
    split: str = ""

    @property
    def facet(self) -> str:
        """Its facet, or "all"."""
        return ALL if self.part == WITH_QUERY_PAPER else self.part

    @property
    def annotation_files(self) -> dict[str, ReleaseFile]:
        """The files of its judgements, by facet, in the collection's order."""
        facets = FACETS if self.facet == ALL else [self.facet]
        return {facet: self.files[f"annotations/{facet}"] for facet in facets}

    @property
    def judgement_files(self) -> list[ReleaseFile]:
        """The files that say which queries there are, and what their judgements are."""
        split_files = [self.files["splits"]] if self.split else []
        return [*split_files, *self.annotation_files.values()]

    def judged_queries(self) -> list[JudgedQuery]:
        """Return the pairs with their annotations, in the order of the annotation files.

        The id of a query is the paper's, unless the subset has all facets: then a paper may be the
        query for several of them, and the facet is a part of the id.
        """
        query_by_pair = {}
        for facet, file in self.annotation_files.items():
            for paper_id, annotations in file.load(read_annotations).items():
                pair = join(paper_id, facet)
                query_id = pair if self.facet == ALL else paper_id
                query_by_pair[pair] = JudgedQuery(query_id, paper_id, facet, annotations)
        if not self.split:
            return list(query_by_pair.values())

        splits_file = self.files["splits"]
        splits_by_facet = splits_file.load(read_splits)
        split = self.split.replace("/", "_")
        with explaining(splits_file.place()):  # also where it lacks the facet, or the split
            splits = splits_by_facet.get(self.facet, {})
            if split not in splits:
                raise ValueError(f"expected {split} of {self.facet}, got none")
            pairs_of_split = set(splits[split])
            missing_pairs = pairs_of_split - query_by_pair.keys()
            if missing_pairs:
                raise ValueError(
                    f"{split} of {self.facet} has {', '.join(sorted(missing_pairs))}, which the "
                    "annotations lack: expected files of one release"
                )
        return [query for pair, query in query_by_pair.items() if pair in pairs_of_split]

    def queries(self) -> Iterator[CsfcubeQuery]:
        """Yield CsfcubeQuery in the order of the annotation files."""
        judged_queries = self.judged_queries()
        papers = self.docs.docs_store().get_many({query.paper_id for query in judged_queries})
        rows = self.files["queries"].load(read_query_rows)

        for query_id, paper_id, facet, _ in judged_queries:
            if paper_id not in papers:
                raise ValueError(
                    f"{self.files['docs'].place()} lacks {paper_id}, which is a query paper: take "
                    "all files from one release"
                )
            paper = papers[paper_id]
            year, paper_type = rows.get((paper_id, facet), (paper.year, ""))
            labelled_sentences = zip(paper.sentences, paper.labels)
            sentences = [text for text, label in labelled_sentences if label in FACETS[facet]]
            yield CsfcubeQuery(
                query_id=query_id,
                query=" ".join(sentences),
                paper_id=paper_id,
                facet=facet,
                paper_title=paper.title,
                paper_year=year,
                paper_type=paper_type,
                query_sentences=tuple(sentences),
            )

    def qrels(self) -> Iterator[GenericQrel]:
        """Yield GenericQrel, the adjudicated ratings from 0 to 3.

        The release has paper 8781666 among its own candidates, with grade 3 for background and
        result. The authors' figures leave it out, so only WITH_QUERY_PAPER has it.
        """
        for query_id, paper_id, _, annotations in self.judged_queries():
            for doc_id, grade in zip(annotations.cands, annotations.relevance_adju):
                if doc_id != paper_id or self.part == WITH_QUERY_PAPER:
                    yield GenericQrel(query_id, doc_id, grade)

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, one for each judgement."""
        for qrel in self.qrels():
            yield GenericScoredDoc(qrel.query_id, qrel.doc_id, 0.0)

    def ratings(self) -> Iterator[CsfcubeRating]:
        """Yield CsfcubeRating; 8781666 rated against itself is included, as in the release."""
        for query_id, _, _, annotations in self.judged_queries():
            missing_column = [None] * len(annotations.cands)
            columns = [column or missing_column for column in astuple(annotations)]
            for doc_id, *ratings in zip(*columns):
                yield CsfcubeRating(query_id, doc_id, *ratings)


def datasets() -> Iterator[Dataset]:
    """Yield the datasets of CSFCube and scholarly-mini."""
    yield from make_datasets(NAME, FILES)
    yield from make_datasets(MINI_NAME, MINI_FILES)


def make_datasets(name: str, files: Mapping[str, ReleaseFile]) -> Iterator[Dataset]:
    """Yield the datasets of a collection in CSFCube's layout.

    The collection itself has only documents. Each facet, `all`, `WITH_QUERY_PAPER`, and the folds'
    parts below them have queries, qrels and scoreddocs too.
    """
    docs_file = files["docs"]
    store = Store(name, CsfcubeDoc, [docs_file], lambda: [("docs", read_docs(docs_file.path()))])
    docs = StoredDocs(store, name)
    pool_sources = OtherRecords(
        "pool_sources",
        partial(list_pool_sources, files["pool"]),
        CsfcubePoolSource,
        Source([files["pool"]], "pools", name),
    )
    yield make_dataset(
        name, docs, refuse_queries(name), pool_sources, documentation=partial(merge_texts, name)
    )

    for part, split in product((*FACET_PARTS, WITH_QUERY_PAPER), SPLITS):
        dataset_id = f"{name}/{part}/{split}".rstrip("/")
        handlers = make_handlers(dataset_id, Subset(files, docs, part, split))
        yield make_dataset(
            dataset_id, docs, *handlers, documentation=partial(merge_texts, name, part, split)
        )


def make_handlers(
    dataset_id: str, subset: Subset
) -> tuple[Queries, Qrels, ScoredDocs, OtherRecords]:
    """Return the handlers of a subset's queries, qrels, candidates and ratings."""
    source = Source(subset.judgement_files, "annotations", dataset_id)
    # queries have sentences of the documents
    query_files = [*subset.judgement_files, subset.files["queries"], *subset.docs.store.files]
    query_source = source._replace(files=query_files)
    namespace = subset.docs.docs_namespace()
    return (
        Queries(subset.queries, CsfcubeQuery, query_source, namespace=namespace, lang="en"),
        Qrels(subset.qrels, GenericQrel, source, defs=QREL_DEFS[subset.facet]),
        ScoredDocs(subset.candidates, GenericScoredDoc, source),
        OtherRecords("ratings", subset.ratings, CsfcubeRating, source),
    )


def refuse_queries(dataset_id: str) -> Queries:
    """Return a handler of queries that raises; its error names the datasets that have queries."""

    def refuse() -> Iterable:
        raise NotImplementedError(
            f"{dataset_id} has no queries of its own: load {dataset_id}/background, "
            f"{dataset_id}/method, {dataset_id}/result or {dataset_id}/all"
        )

    namespace = dataset_id.split("/")[0]
    return Queries(refuse, CsfcubeQuery, Source(), namespace=namespace, lang="en")


def list_pool_sources(file: ReleaseFile) -> Iterator[CsfcubePoolSource]:
    """Yield the pools of all query papers."""
    for paper_id, pool in file.load(read_pools).items():
        for doc_id, sources in zip(pool.cands, pool.cand_source):
            yield CsfcubePoolSource(paper_id, doc_id, sources)
