"""Runs of faceted collections: the authors' file format, and ids of facets and of `all`.

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). In `csfcube/method` a query's id is its paper's; in `csfcube/all` it is
``<paper>_<facet>``, as in the official splits. For TREC files use `pt.io.write_results(run, path)`.
"""

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

import pandas as pd

from ir_datasets_ext import facets
from ir_datasets_ext.store import new_file, read_json
from ir_datasets_ext.typed_records import convert_values

from .. import frames
from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some

FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"


@check_arguments
def read_run(path: FilePath, dataset: DatasetLike | None = None) -> pd.DataFrame:
    """Read a run: in TREC's format, also gzipped, or the authors' JSON (`read_ranked_pools`).

    Args:
        path: the file; what it begins with tells its format.
        dataset: an id or dataset that the run is of; None if that does not matter. For
            ``"csfcube/all"``, whose query ids end in facets, a file of one facet may have papers as
            queries, as the authors write it. Its name must then hold the facet
            (``specter-method-ranked.json``).

    Returns:
        Frame with `qid`, `docno`, `score` and `rank`, and the format's other columns.

    Raises:
        ValueError: the file has another form, is damaged, or has no results.
    """
    run = read_ranked_pools(path) if _is_json(path) else read_trec_run(path)
    if run.empty:
        raise ValueError(f"{path} has no results. Pass a file with results.")
    return run if dataset is None else _with_facet(run, Path(path).name, dataset)


@check_arguments
def read_runs(paths: Sequence[FilePath], dataset: DatasetLike | None = None) -> pd.DataFrame:
    """Read files as one run, such as CSFCube's three facets; they must have different queries.

    Args:
        paths: of the files, see `read_run`.
        dataset: see `read_run`.

    Raises:
        ValueError: two files have a query in common, or one is of another form; names them.
        OSError: a file is missing or cannot be read.
    """
    runs: list[pd.DataFrame] = []
    file_by_query: dict[str, FilePath] = {}
    for path in paths:
        run = read_run(path, dataset)
        repeated = [qid for qid in run["qid"].unique() if qid in file_by_query]
        if repeated:
            raise ValueError(
                f"{path} has results for {some(repeated)}, and so has {file_by_query[repeated[0]]}."
                " Pass a different name for each file."
            )
        file_by_query |= dict.fromkeys(run["qid"].unique(), path)
        runs.append(run)
    return pd.concat(runs, ignore_index=True)


def _is_json(path: FilePath) -> bool:
    """Return whether a file begins as a JSON object does, whatever its name is."""
    with open(path, "rb") as file:
        return file.read(1_000).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _with_facet(run: pd.DataFrame, file_name: str, dataset: DatasetLike) -> pd.DataFrame:
    """Append to query ids the facet in a file's name, if `dataset` has only the longer ids."""
    named_facets = [facet for facet in facets.FACETS if facet in file_name.lower()]
    if len(named_facets) != 1:
        return run

    (facet,) = named_facets
    known_ids = {query.query_id for query in irds(dataset).queries_iter()}
    longer_ids = [facets.join(paper, facet) for paper in run["qid"]]
    if known_ids.isdisjoint(run["qid"]) and not known_ids.isdisjoint(longer_ids):
        return run.assign(qid=longer_ids)
    return run


@check_arguments
def read_ranked_pools(path: FilePath) -> pd.DataFrame:
    """Read a run in the format of CSFCube's evaluation script, or of ranked ids.

    The file is a JSON object ``{query paper: [[candidate, distance], ...]}``, best candidate first.
    The script uses only that order, so `score` is not the distance: it is the number of candidates
    from this one to the last. A query paper among its own candidates is skipped, as in the authors'
    rankings. In ``{query: [candidate, ...]}``, queries are no papers and the rank is the distance.
    (The rankings that DORIS-MAE's authors publish are pickles, and no such file.)

    Returns:
        Frame with columns `qid`, `docno` (str), `score` (float, distinct per query), `rank` (int)
        and `distance` (float, as in the file). For `csfcube/all`, see `to_all`.

    Raises:
        ValueError: the file has another form, or a distance is NaN or infinite; names it and the
            query.
    """
    remedy = f"{REMEDY}: an object from query to candidates, {FORMS}"
    candidates = list[str | int | tuple[str | int, float]]
    pools = convert_values(read_json(path, dict, remedy), candidates, path, "query", remedy)
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
    for docno, distance in pairs:
        if not isfinite(distance):
            raise ValueError(
                f"{path}: the distance of candidate {docno!r} of query {qid!r} is {distance}: "
                f"expected a finite number. {REMEDY}"
            )
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

    Raises:
        ValueError: a score is no finite number, an id no text, or a candidate of a query occurs
            twice.
    """
    run = frames.check(run, "write_ranked_pools", ["qid", "docno", "score"])
    best_first = run.sort_values(["score", "docno"], ascending=False, kind="stable")
    pools: dict[str, list[tuple[str, float]]] = {qid: [] for qid in run["qid"]}
    for qid, docno, score in zip(best_first["qid"], best_first["docno"], best_first["score"]):
        pools[qid].append((docno, -float(score)))
    with new_file(path) as file:
        json.dump(pools, file)


@check_arguments
def to_all(frame_by_facet: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Join frames of single facets into one of the `all` subset, with ``<paper>_<facet>`` as `qid`.

    Args:
        frame_by_facet: dict from facet ("background", "method", "result") to a frame with `qid`,
            the query paper (a run, topics, qrels or per-query values).
    """
    if not frame_by_facet:
        raise ValueError("frame_by_facet={}: expected a frame for one facet or more.")
    for facet, frame in frame_by_facet.items():
        frames.check(frame, f"to_all, frame of {facet!r}", ["qid"], keys=[])
    parts = [
        frame.assign(qid=[facets.join(paper, facet) for paper in frame["qid"]])
        for facet, frame in frame_by_facet.items()
    ]
    return pd.concat(parts, ignore_index=True)


@check_arguments
def from_all(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split a frame of the `all` subset by facet, with the paper as `qid`.

    ValueError for a query id that is not ``<paper>_<facet>``.
    """
    frames.check(frame, "from_all", ["qid"], keys=[])
    ids = [facets.split(qid) for qid in frame["qid"]]
    frame = frame.assign(qid=[paper for paper, _ in ids])
    facet = pd.Series([facet for _, facet in ids], index=frame.index, dtype=object)
    return {
        name: frame[facet == name].reset_index(drop=True)
        for name in facets.FACETS
        if (facet == name).any()
    }
