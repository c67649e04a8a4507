"""What people look at in systems: the overlap of pool methods, and errors in first results."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import datasets, frames, protocols
from ..arguments import Count, FilePath, Natural, check_arguments
from .pooling import CITED, Runs
from .sheets import Sheet

ERRORS = Sheet(
    keys=("name", "qid", "docno"),
    shown=("rank", "label", "facet", "query", "title", "text"),
    filled={"error": protocols.ERROR_TYPES, "note": None},
    instructions=(
        "The first results of systems, and relevant papers that they miss, with their grades.",
        "Where a system is wrong, write the type of its error into 'error'; else leave it empty.",
        "Types from Mysore et al. 2021, CSFCube, section 6; examples are in its appendix G.",
    ),
)


class PoolOverlap(NamedTuple):
    """Hold what the methods of pools share.

    counts: number and share (in 0..1) of candidates that one method lists, two methods, and so on:
        `methods`, `candidates`, `share`.
    methods: for each `method`, over all pools: candidates `listed`, `drawn` (it is the first
        source), and `alone` (no other method lists them).
    shared: frame (methods × methods) of candidates that both list; the diagonal is `listed`.
    """

    counts: pd.DataFrame
    methods: pd.DataFrame
    shared: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


def pool_overlap(pools: object) -> PoolOverlap:
    """Count what pool methods share, as CSFCube's section 3 discusses [Mysore2021].

    Cited papers are skipped: CSFCube has one list of sources for all cited papers of a pool.

    Args:
        pools: frame of `qid`, `docno`, `sources`, as from `make_pools`; or a dataset with sources
            (``"csfcube"``, ``"made/<name>"``).

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: a dataset without sources; only cited candidates.
    """
    if isinstance(pools, pd.DataFrame):
        remedy = "make_pools returns these columns."
        rows = frames.check(pools, "pool_overlap", ["qid", "docno", "sources"], remedy=remedy)
    else:
        rows = datasets.pool_sources(pools)
    sources = [tuple(dict.fromkeys(names)) for names in rows["sources"] if CITED not in names]
    methods = sorted({name for names in sources for name in names})
    if not methods:
        raise ValueError("no candidate has a source other than 'cited': pass pools of systems.")
    listed = np.array([[name in names for name in methods] for names in sources], dtype=int)
    sizes, candidates = np.unique(listed.sum(axis=1), return_counts=True)
    return PoolOverlap(
        counts=pd.DataFrame(
            {"methods": sizes, "candidates": candidates, "share": candidates / len(sources)}
        ),
        methods=pd.DataFrame(
            {
                "method": methods,
                "listed": listed.sum(axis=0),
                "drawn": [sum(names[0] == method for names in sources) for method in methods],
                "alone": listed[listed.sum(axis=1) == 1].sum(axis=0),
            }
        ),
        shared=pd.DataFrame(listed.T @ listed, methods, methods),
    )


@check_arguments
def error_rows(
    runs: Runs, dataset: object, k: Count = 10, missed: Natural = 0, relevant: int = 2
) -> pd.DataFrame:
    """Collect the first results of each system and query for a reader [Mysore2021, 6].

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`).
        dataset: the id or dataset with their queries, documents and judgements.
        k: number of results of each query.
        missed: number of false negatives that are listed, too: documents of grade `relevant` or
            more that the system ranks lower, best grade first.
        relevant: the lowest grade of a relevant document.

    Returns:
        Frame `name` (the system), `qid`, `docno`, `rank` (from 0), `label` (the grade as text, ""
        if not judged), `facet` ("" if none), `query`, `title`, `text`.

    Raises:
        pt.validate.InputValidationError: a run with a missing column.
        ValueError: a document or query missing from the dataset.
    """
    source = datasets.irds(dataset)
    queries = {query.query_id: query for query in source.queries_iter()}
    grades = {(row.query_id, row.doc_id): row.relevance for row in source.qrels_iter()}
    rows = []
    for name, run in runs.items():
        run = frames.check(run, f"run {name!r} of error_rows", ["qid", "docno", "score"])
        for qid, ranked in frames.best_first(run).groupby("qid", sort=False):
            if qid not in queries:
                raise ValueError(f"{name} ranks for query {qid!r}, which {dataset} does not have.")
            every = [
                (name, qid, doc, rank, grades.get((qid, doc), ""))
                for rank, doc in enumerate(ranked["docno"])
            ]
            lower = [row for row in every[k:] if (row[-1] or 0) >= relevant]
            rows += every[:k] + sorted(lower, key=lambda row: -(row[-1] or 0))[:missed]
    table = pd.DataFrame(rows, columns=[*ERRORS.keys, "rank", "label"])
    asked = table["qid"].map(queries)
    docs = table["docno"].map(datasets.documents(source, table["docno"]))
    return table.assign(
        label=table["label"].map(str),
        facet=[getattr(query, "facet", "") for query in asked],
        query=[query.default_text() for query in asked],
        title=[getattr(doc, "title", "") for doc in docs],
        text=[datasets.text(doc) for doc in docs],
    )


@check_arguments
def write_errors(rows: pd.DataFrame, path: FilePath, overwrite: bool = False) -> Path:
    """Write the rows of `error_rows` to a CSV file; a reader fills in `error`.

    `overwrite` and errors: see `Sheet.write`.
    """
    return ERRORS.write(rows, path, overwrite)


@check_arguments
def read_errors(path: FilePath, rows: pd.DataFrame) -> pd.DataFrame:
    """Read a file of `write_errors`: the frame `rows` with `error` ("" for none) and `note`.

    Raises:
        ValueError: see `Sheet.read`; an error outside `ERROR_TYPES`.
    """
    filled = ERRORS.read(path, rows, lambda row: ("error",))[["error", "note"]]
    return rows.reset_index(drop=True).join(filled)


@check_arguments
def error_counts(tagged: pd.DataFrame) -> pd.DataFrame:
    """Count the types of error per system and facet.

    Args:
        tagged: the frame of `read_errors`.

    Returns:
        Frame `name`, `facet`, `rows` (number of results read), and a column for each of
        `ERROR_TYPES`.
    """
    tagged = frames.check(tagged, "error_counts", ["name", "facet", "error"], keys=[])
    rows = [
        (*group, len(errors), *(int((errors == kind).sum()) for kind in protocols.ERROR_TYPES))
        for group, errors in tagged.groupby(["name", "facet"], sort=False)["error"]
    ]
    return pd.DataFrame(rows, columns=["name", "facet", "rows", *protocols.ERROR_TYPES])
