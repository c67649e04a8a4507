"""Runs of faceted collections: the authors' file format, and facet ids to `all` ids and back.

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). In `csfcube/method` a query's id is its paper's; in `csfcube/all` it is
``<paper>_<facet>``, as in the official splits. For TREC files use `pt.io.write_results(run, path)`.
"""

import gzip
import json
import zlib
from math import isfinite

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import new_file, read_json

FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"
COLUMNS = ["qid", "docno", "score", "rank", "distance"]


def read_ranked_pools(path):
    """Read a run in the format of CSFCube's evaluation script, or of DORIS-MAE's rankings.

    The file is a JSON object ``{query paper: [[candidate, distance], ...]}``, best candidate first.
    The script goes by that order alone, so `score` keeps the order and not the distances: it is the
    number of candidates from this one to the last. A query paper among its own candidates is left
    out, as in the authors' own rankings. In ``{query: [candidate, ...]}`` the rank is the distance
    (and queries are no papers).

    Returns:
        Frame with columns `qid`, `docno` (str), `score` (float, distinct per query), `rank` (int)
        and `distance` (float, as in the file). For `csfcube/all`, see `to_all`.

    Raises:
        ValueError: the file is not of that form; names it and the query.
    """
    layout = dict[str, list[str | int | tuple[str | int, float]]]
    pools = read_json(path, layout, f"{REMEDY}: an object from query to candidates, {FORMS}")
    rows = []
    for qid, ranked in pools.items():
        ranked = _pairs(path, qid, ranked)
        for rank, (docno, distance) in enumerate(ranked):
            rows.append((qid, docno, float(len(ranked) - rank), rank, float(distance)))
    return pd.DataFrame(rows, columns=COLUMNS)


def _pairs(path, qid, ranked):
    """Candidates and distances of a query, without itself where it is a paper."""
    of_pairs = {isinstance(entry, tuple) for entry in ranked}
    if len(of_pairs) > 1:
        what = f"of query {qid!r} some are ids, some pairs: expected {FORMS}"
        raise ValueError(f"{path}: {what}. {REMEDY}")
    if of_pairs == {True}:
        itself, pairs = qid, [(str(docno), distance) for docno, distance in ranked]
    else:
        itself, pairs = None, [(str(docno), float(rank)) for rank, docno in enumerate(ranked)]
    if len({docno for docno, _ in pairs}) < len(pairs):
        raise ValueError(f"{path}: a candidate of query {qid!r} stands there twice. {REMEDY}")
    return [pair for pair in pairs if pair[0] != itself]


def read_trec_run(path):
    """Read a TREC run, as text or gzipped (``.gz``): ``qid Q0 docno rank score name`` a line.

    Ids are taken as they stand there ("NA", "007" and quotes too).

    Returns:
        Frame with columns `qid`, `docno` (str), `rank` (int), `score` (float) and `name` (str).

    Raises:
        ValueError: a line is not of that form or the file is damaged; a document stands twice under
            a query; names file and line.
    """
    opened = gzip.open if str(path).endswith(".gz") else open
    rows, seen = [], set()
    try:
        with opened(path, "rt", encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    rows.append(_trec_row(f"{path}, line {number}", line, seen))
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is no TREC run, or damaged: {error}.") from error
    return pd.DataFrame(rows, columns=["qid", "docno", "rank", "score", "name"])


def _trec_row(where, line, seen):
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
        raise ValueError(f"{where}: document {docno!r} stands twice under query {qid!r}.")
    seen.add((qid, docno))
    return row


def write_ranked_pools(run, path):
    """Write `run` in the format of CSFCube's evaluation script, atomically.

    Args:
        run: frame with `qid`, `docno`, `score`; written best first, ties by `docno` descending as
            the measures break them, with minus the score as distance.
        path: conventionally ``test-pid2pool-csfcube-<SYSTEM>-<facet>-ranked.json``; query ids must
            then be those of that facet (see `from_all`).
    """
    pt.validate.columns(run, includes=["qid", "docno", "score"])
    best_first = run.sort_values(["score", "docno"], ascending=False, kind="stable")
    pools = {
        str(qid): [[str(d), -float(s)] for d, s in zip(rows["docno"], rows["score"])]
        for qid, rows in best_first.groupby("qid", sort=False)
    }
    with new_file(path) as file:
        json.dump({str(qid): pools[str(qid)] for qid in run["qid"].unique()}, file)


def to_all(frames):
    """Join frames of single facets to one of the `all` subset.

    Args:
        frames: dict from facet ("background", "method", "result") to a frame with `qid`, the query
            paper (a run, topics, qrels or per-query values).

    Returns:
        One frame, `qid` being ``<paper>_<facet>``.
    """
    from ir_datasets_ext import facets

    return pd.concat(
        [
            frame.assign(qid=[facets.join(paper, facet) for paper in frame["qid"]])
            for facet, frame in frames.items()
        ],
        ignore_index=True,
    )


def from_all(frame):
    """Take a frame of the `all` subset apart: dict from facet to a frame with the paper as `qid`.

    Raises:
        ValueError: a query id is not of the form ``<paper>_<facet>``.
    """
    from ir_datasets_ext import facets

    ids = [facets.split(qid) for qid in frame["qid"]]
    frame = frame.assign(qid=[paper for paper, _ in ids])
    facet = pd.Series([facet for _, facet in ids], index=frame.index, dtype=object)
    return {
        name: frame[facet == name].reset_index(drop=True)
        for name in facets.FACETS
        if (facet == name).any()
    }
