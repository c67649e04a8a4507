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
from .pickled_rankings import PoolRanking, is_pickle, read_pickled_rankings

#: what a file's name may end with, beside what tells runs apart
ENDINGS = (".json", ".trec", ".run", ".res", ".txt", ".gz", ".pickle", ".pkl")
FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"


@check_arguments
def read_runs(path: FilePath, dataset: DatasetLike | None = None) -> dict[str, pd.DataFrame]:
    """Read released rankings, each as it is released, from a file or a folder of files.

    ``reproduce("doris-mae", read_runs("rankings", "doris-mae"), table=11)`` makes a row of each.

    Args:
        path: of a file, or of a folder with nothing but files of runs; see `read_run` for their
            formats. Files whose names differ only in the facet (CSFCube's ``…-background-…`` and
            ``…-method-…``) are one run, if their queries differ.
        dataset: an id or dataset that the runs are of, see `read_run`.

    Returns:
        Dict from a file's name without its ending, and without its facet, to a run as `read_run`
        returns it; in the order of the names.

    Raises:
        ValueError: a file has another form, is damaged, or has no results; or a folder is empty.
        OSError: a file is missing or cannot be read.
    """
    if not Path(path).is_dir():
        return {_name_of_run(Path(path)): read_run(path, dataset)}

    files_by_name: dict[str, list[Path]] = {}
    for file in sorted(Path(path).iterdir()):
        if file.is_file() and not file.name.startswith("."):
            files_by_name.setdefault(_name_of_run(file), []).append(file)
    if not files_by_name:
        raise ValueError(f"{path} has no files. Pass a folder with files of runs.")
    return {name: read_run(files, dataset) for name, files in files_by_name.items()}


@check_arguments
def read_run(
    path: FilePath | Sequence[FilePath], dataset: DatasetLike | None = None
) -> pd.DataFrame:
    """Read one run, from a file or from several files of different queries.

    What a file begins with tells its format: TREC's, also gzipped, as LitSearch's runs are; the
    JSON of CSFCube's pools or of ranked ids (`read_ranked_pools`); a pickle as DORIS-MAE's authors
    publish them, a list of ``{"index_rank": [id, …]}``. Nothing in a pickle is run, and
    one that names any class or function is refused. Its queries are recognised by their pools, so
    it needs the dataset.

    Args:
        path: the file, or several, such as those of CSFCube's three facets.
        dataset: an id or dataset that the run is of; None if that does not matter. For
            ``"csfcube/all"``, whose query ids end in facets, a file of one facet may have papers as
            queries, as the authors write it. Its name must then hold the facet
            (``specter-method-ranked.json``).

    Returns:
        Frame with `qid`, `docno`, `score` and `rank`, and the format's other columns.

    Raises:
        ValueError: a file has another form, is damaged, or has no results; two files have a query
            in common; or an entry of a pickle fits the pool of no query, or of several.
        OSError: a file is missing or cannot be read.
    """
    if isinstance(path, (str, Path)):
        return _read_file(path, dataset)

    runs: list[pd.DataFrame] = []
    file_by_query: dict[str, FilePath] = {}
    for file in path:
        run = _read_file(file, dataset)
        repeated = [qid for qid in run["qid"].unique() if qid in file_by_query]
        if repeated:
            raise ValueError(
                f"{file} has results for {some(repeated)}, and so has {file_by_query[repeated[0]]}."
                " Pass a different name for each file."
            )
        file_by_query |= dict.fromkeys(run["qid"].unique(), file)
        runs.append(run)
    return pd.concat(runs, ignore_index=True)


def _read_file(path: FilePath, dataset: DatasetLike | None) -> pd.DataFrame:
    """Read the run of one file."""
    if is_pickle(path):
        return _run_of_rankings(read_pickled_rankings(path, dataset))

    run = read_ranked_pools(path) if _is_json(path) else read_trec_run(path)
    if run.empty:
        raise ValueError(f"{path} has no results. Pass a file with results.")
    return run if dataset is None else _with_facet(run, Path(path).name, dataset)


def _name_of_run(file: Path) -> str:
    """Return a file's name without what only says how, or for which facet, it was written."""
    name = file.name
    while Path(name).suffix.lower() in ENDINGS:
        name = Path(name).stem
    words = [word for word in name.split("-") if word.lower() not in facets.FACETS]
    return "-".join(words) or name


def _run_of_rankings(rankings: Sequence[PoolRanking]) -> pd.DataFrame:
    """Return rankings of ids as a run, with the number of ids from each to the last as score."""
    rows = [
        (ranking.query_id, doc_id, float(len(ranking.doc_ids) - rank), rank)
        for ranking in rankings
        for rank, doc_id in enumerate(ranking.doc_ids)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


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
    The pickles of DORIS-MAE's authors are read by `read_run`.

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
