"""Runs of faceted collections: the authors' file format, and ids of facets and of `all`.

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). In `csfcube/method` a query's id is its paper's; in `csfcube/all` it is
``<paper>_<facet>``, as in the official splits. For TREC files use `pt.io.write_results(run, path)`.
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from math import isfinite

import pandas as pd
import pyterrier as pt

from ir_datasets_ext import facets
from ir_datasets_ext.store import new_file, read_json

from ..arguments import FilePath, check_arguments
from ..frames import check

FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"


@check_arguments
def read_ranked_pools(path: FilePath) -> pd.DataFrame:
    """Read a run in the format of CSFCube's evaluation script, or of DORIS-MAE's rankings.

    The file is a JSON object ``{query paper: [[candidate, distance], ...]}``, best candidate first.
    The script uses only that order, so `score` is not the distance: it is the number of candidates
    from this one to the last. A query paper among its own candidates is skipped, as in the authors'
    rankings. In ``{query: [candidate, ...]}``, queries are no papers and the rank is the distance.

    Returns:
        Frame with columns `qid`, `docno` (str), `score` (float, distinct per query), `rank` (int)
        and `distance` (float, as in the file). For `csfcube/all`, see `to_all`.

    Raises:
        ValueError: the file has another form; names it and the query.
    """
    layout = dict[str, list[str | int | tuple[str | int, float]]]
    pools = read_json(path, layout, f"{REMEDY}: an object from query to candidates, {FORMS}")
    pairs_of = {qid: _pairs(path, qid, entries) for qid, entries in pools.items()}
    rows = [
        (qid, docno, float(len(pairs) - rank), rank, float(distance))
        for qid, pairs in pairs_of.items()
        for rank, (docno, distance) in enumerate(pairs)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank", "distance"])


def _pairs(path: FilePath, qid: str, entries: list) -> list[tuple[str, float]]:
    """Return candidates and distances of a query, without itself if it is a paper."""
    kinds = {isinstance(entry, tuple) for entry in entries}
    if len(kinds) > 1:
        raise ValueError(f"{path}: query {qid!r} mixes ids and pairs: expected {FORMS}. {REMEDY}")
    of_papers = kinds == {True}
    pairs = entries if of_papers else [(docno, float(rank)) for rank, docno in enumerate(entries)]
    pairs = [(str(docno), distance) for docno, distance in pairs]
    if len({docno for docno, _ in pairs}) < len(pairs):
        raise ValueError(f"{path}: duplicate candidate of query {qid!r}. {REMEDY}")
    return [pair for pair in pairs if not of_papers or pair[0] != qid]


@check_arguments
def read_trec_run(path: FilePath) -> pd.DataFrame:
    """Read a TREC run, as text or gzipped (``.gz``): ``qid Q0 docno rank score name`` a line.

    Ids are kept as written, also "NA", "007" and quotes.

    Returns:
        Frame with columns `qid`, `docno` (str), `rank` (int), `score` (float) and `name` (str).

    Raises:
        ValueError: a line of another form, a damaged file, or a duplicate document of a query;
            names file and line.
    """
    opened = gzip.open if str(path).endswith(".gz") else open
    rows: list[tuple] = []
    seen: set[tuple[str, str]] = set()
    try:
        with opened(path, "rt", encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    rows.append(_trec_row(f"{path}, line {number}", line, seen))
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is no TREC run, or damaged: {error}.") from error
    return pd.DataFrame(rows, columns=["qid", "docno", "rank", "score", "name"])


def _trec_row(where: str, line: str, seen: set[tuple[str, str]]) -> tuple:
    try:
        qid, _, docno, rank, score, name = line.split()
        row = qid, docno, int(rank), float(score), name
        if not isfinite(row[3]):
            raise ValueError("a score must be a finite number")
    except ValueError as error:
        raise ValueError(
            f"{where}: {line.strip()!r:.80} is no line of a TREC run, `qid Q0 docno rank score "
            f"name` ({error})."
        ) from error
    if (qid, docno) in seen:
        raise ValueError(f"{where}: duplicate document {docno!r} of query {qid!r}.")
    seen.add((qid, docno))
    return row


@check_arguments
def write_ranked_pools(run: pd.DataFrame, path: FilePath) -> None:
    """Write `run` in the format of CSFCube's evaluation script, atomically.

    Args:
        run: frame with `qid`, `docno`, `score`. Candidates are written best first, ties by `docno`
            descending as measures break them, with minus the score as distance.
        path: conventionally ``test-pid2pool-csfcube-<SYSTEM>-<facet>-ranked.json``, with query ids
            of that facet (see `from_all`).
    """
    pt.validate.columns(run, includes=["qid", "docno", "score"])
    best_first = run.sort_values(["score", "docno"], ascending=False, kind="stable")
    pools = {
        str(qid): [[str(d), -float(s)] for d, s in zip(rows["docno"], rows["score"])]
        for qid, rows in best_first.groupby("qid", sort=False)
    }
    with new_file(path) as file:
        json.dump({str(qid): pools[str(qid)] for qid in run["qid"].unique()}, file)


@check_arguments
def to_all(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Join frames of single facets into one of the `all` subset, with ``<paper>_<facet>`` as `qid`.

    Args:
        frames: dict from facet ("background", "method", "result") to a frame with `qid`, the query
            paper (a run, topics, qrels or per-query values).
    """
    if not frames:
        raise ValueError("frames={}: expected a frame for one facet or more.")
    for facet, frame in frames.items():
        check(frame, f"to_all, frame of {facet!r}", ["qid"], keys=[])
    parts = [
        frame.assign(qid=[facets.join(paper, facet) for paper in frame["qid"]])
        for facet, frame in frames.items()
    ]
    return pd.concat(parts, ignore_index=True)


@check_arguments
def from_all(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split a frame of the `all` subset by facet, with the paper as `qid`.

    ValueError for a query id that is not ``<paper>_<facet>``.
    """
    check(frame, "from_all", ["qid"], keys=[])
    ids = [facets.split(qid) for qid in frame["qid"]]
    frame = frame.assign(qid=[paper for paper, _ in ids])
    facet = pd.Series([facet for _, facet in ids], index=frame.index, dtype=object)
    return {
        name: frame[facet == name].reset_index(drop=True)
        for name in facets.FACETS
        if (facet == name).any()
    }
