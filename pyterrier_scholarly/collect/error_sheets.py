"""What people look at: the overlap of pool methods, and errors of systems and of judges."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import datasets, frames, protocols
from ..arguments import Count, FilePath, Natural, check_arguments
from ..datasets import DatasetLike
from .coefficients import majority_of
from .drawn_pools import CITED, Runs
from .ratings import PAIR
from .sheets import Sheet

KEYS = ["name", "qid", "docno"]
Named = str | protocols.ErrorTypes


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
    runs: Runs, dataset: DatasetLike, k: Count = 10, missed: Natural = 0, relevant: int = 2
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
    table = pd.DataFrame(rows, columns=[*KEYS, "rank", "label"])
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
def disagreement_rows(
    judged: pd.DataFrame | Mapping[str, pd.DataFrame], people: object, pairs: pd.DataFrame
) -> pd.DataFrame:
    """Collect the pairs that a judge grades otherwise than most people do [Wang2023, B.4].

    Args:
        judged: frame of `qid`, `docno`, `label` and `content` (the reply), as the `frame` of
            `judge`; or a dict from a judge to such a frame.
        people: a dataset with their ratings (``"doris-mae/human"``), a frame of `qid`, `docno`,
            `annotator`, `rating`, or a dict from a person to a frame of `qid`, `docno`, `label`.
        pairs: frame of `qid`, `docno`, `query` (the aspect) and `text` (the abstract).

    Returns:
        Frame `name` (the judge), `qid`, `docno`, `label`, `majority` (both as text), `query`,
        `text`, `content`: the rows for ``write_errors(rows, path, "doris-mae")``.

    Raises:
        ValueError: see `agreement`; a pair that is missing from `pairs`.
    """
    pairs = frames.check(pairs, "disagreement_rows", [*PAIR, "query", "text"], keys=PAIR)
    majority = majority_of(people)
    by_judge = judged if isinstance(judged, Mapping) else {"judge": judged}

    parts = []
    for name, frame in by_judge.items():
        frame = frames.check(frame, "disagreement_rows", [*PAIR, "label", "content"], keys=PAIR)
        both = frame[[*PAIR, "label", "content"]].merge(majority, on=PAIR)
        different = both[both["label"] != both["majority"]]
        parts.append(different.assign(name=name))
    rows = pd.concat(parts, ignore_index=True)

    texts = rows[PAIR].merge(pairs[[*PAIR, "query", "text"]], on=PAIR, how="left")
    without_text = rows[PAIR][texts["text"].isna()]
    if len(without_text):
        named = frames.some(f"{row.qid} {row.docno}" for row in without_text.itertuples())
        raise ValueError(f"pairs has no {named}, which judge and people grade: add them.")
    return pd.DataFrame(
        {
            "name": rows["name"],
            "qid": rows["qid"],
            "docno": rows["docno"],
            "label": rows["label"].map("{:g}".format),
            "majority": rows["majority"].map("{:g}".format),
            "query": texts["query"],
            "text": texts["text"],
            "content": rows["content"],
        }
    )


@check_arguments
def write_errors(
    rows: pd.DataFrame, path: FilePath, types: Named = "csfcube", overwrite: bool = False
) -> Path:
    """Write rows to a CSV file; a reader fills in `error`, the type of the error.

    Args:
        rows: the frame of `error_rows`, or of `disagreement_rows` for ``types="doris-mae"``.
        path: of the new file.
        types: ``"csfcube"``, ``"doris-mae"``, or your own `protocols.ErrorTypes`.
        overwrite: whether to replace an existing file, with all that people filled in.

    Raises:
        FileExistsError, ValueError: see `Sheet.write`; unknown types.
    """
    return _error_sheet(types).write(rows, path, overwrite)


@check_arguments
def read_errors(path: FilePath, rows: pd.DataFrame, types: Named = "csfcube") -> pd.DataFrame:
    """Read a file of `write_errors`: the frame `rows` with `error` ("" for none) and `note`.

    Args:
        path: the file.
        rows, types: the arguments that it was written with.

    Raises:
        ValueError: see `Sheet.read`; an error outside of the types.
    """
    filled = _error_sheet(types).read(path, rows, lambda row: ("error",))[["error", "note"]]
    return rows.reset_index(drop=True).join(filled)


@check_arguments
def error_counts(tagged: pd.DataFrame, types: Named = "csfcube") -> pd.DataFrame:
    """Count the types of error per system and facet.

    Args:
        tagged: the frame of `read_errors`.
        types: the types that it was written with.

    Returns:
        Frame `name`, `facet` (if the rows have one), `rows` (number of results read), and a column
        for each type.
    """
    names = list(protocols.preset("types", types, protocols.ERROR_TYPES).types)
    tagged = frames.check(tagged, "error_counts", ["name", "error"], keys=[])
    groups = ["name", "facet"] if "facet" in tagged else ["name"]

    counts = []
    for group, errors in tagged.groupby(groups, sort=False)["error"]:
        row = dict(zip(groups, group, strict=True), rows=len(errors))
        for name in names:
            row[name] = int((errors == name).sum())
        counts.append(row)
    return pd.DataFrame(counts, columns=[*groups, "rows", *names])


def _error_sheet(types: Named) -> Sheet:
    """Return the sheet of a paper's types of error."""
    known = protocols.preset("types", types, protocols.ERROR_TYPES)
    return Sheet(
        keys=tuple(KEYS),
        shown=known.shown,
        filled={"error": known.types, "note": None},
        instructions=(*known.words, f"Types from {known.source}."),
    )
