"""Read runs from the files that authors release, and write CSFCube's.

    run = read_run("gritlm-7b.trec.gz")                    # TREC, JSON or DORIS-MAE's pickles
    runs = read_runs("rankings", "doris-mae")              # of each file of a folder, by name
    write_ranked_pools(run, "test-pid2pool-csfcube-MINE-method-ranked.json")

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). For TREC files use `pt.io.write_results(run, path)`.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

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
#: what a query of a JSON file may have
CANDIDATE_FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"


class RankedCandidate(NamedTuple):
    """A candidate of a query in a JSON file; without distances, its rank stands for it."""

    doc_id: str
    distance: float


class RunLine(NamedTuple):
    """A line of a TREC run."""

    qid: str
    docno: str
    rank: int
    score: float
    name: str


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
        return {_name_run(Path(path)): read_run(path, dataset)}

    files_by_name: dict[str, list[Path]] = {}
    for file in sorted(Path(path).iterdir()):
        is_hidden = file.name.startswith(".")
        if file.is_file() and not is_hidden:
            files_by_name.setdefault(_name_run(file), []).append(file)
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
        query_ids = run["qid"].unique()
        repeated_ids = [query_id for query_id in query_ids if query_id in file_by_query]
        if repeated_ids:
            other_file = file_by_query[repeated_ids[0]]
            raise ValueError(
                f"{file} has results for {some(repeated_ids)}, and so has {other_file}. Pass a "
                "different name for each file."
            )

        runs.append(run)
        for query_id in query_ids:
            file_by_query[query_id] = file
    return pd.concat(runs, ignore_index=True)


def _read_file(path: FilePath, dataset: DatasetLike | None) -> pd.DataFrame:
    """Read the run of one file."""
    if is_pickle(path):
        return _convert_rankings(read_pickled_rankings(path, dataset))

    run = read_ranked_pools(path) if _is_json(path) else read_trec_run(path)
    if run.empty:
        raise ValueError(f"{path} has no results. Pass a file with results.")
    if dataset is None:
        return run
    return _append_facet(run, Path(path).name, dataset)


def _name_run(file: Path) -> str:
    """Return a file's name without what only says how, or for which facet, it was written."""
    name = file.name
    while Path(name).suffix.lower() in ENDINGS:  # "run.json.gz" has two
        name = Path(name).stem

    words = [word for word in name.split("-") if word.lower() not in facets.FACETS]
    return "-".join(words) or name  # a name of nothing but a facet stays


def _convert_rankings(rankings: Sequence[PoolRanking]) -> pd.DataFrame:
    """Return rankings of ids as a run, with the number of ids from each to the last as score."""
    rows = []
    for ranking in rankings:
        for rank, doc_id in enumerate(ranking.doc_ids):
            score = float(len(ranking.doc_ids) - rank)
            rows.append((ranking.query_id, doc_id, score, rank))
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def _is_json(path: FilePath) -> bool:
    """Return whether a file begins as a JSON object does, whatever its name is."""
    with open(path, "rb") as file:
        beginning = file.read(1_000)
    # behind blanks and the mark of UTF-8 that some editors write
    return beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _append_facet(run: pd.DataFrame, file_name: str, dataset: DatasetLike) -> pd.DataFrame:
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
    remedy = f"{REMEDY}: an object from query to candidates, {CANDIDATE_FORMS}"
    content = read_json(path, dict, remedy)
    entry_types = list[str | int | tuple[str | int, float]]
    entries_by_query = convert_values(content, entry_types, path, "query", remedy)

    rows = []
    for query_id, entries in entries_by_query.items():
        candidates = _read_candidates(f"{path}", query_id, entries)
        for rank, candidate in enumerate(candidates):
            score = float(len(candidates) - rank)
            rows.append((query_id, candidate.doc_id, score, rank, candidate.distance))
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank", "distance"])


def _read_candidates(path: str, query_id: str, entries: Sequence) -> list[RankedCandidate]:
    """Return the candidates of a query, without itself if it is a paper.

    entries: all ids, or all pairs of an id and a distance.
    """
    have_distances = [isinstance(entry, tuple) for entry in entries]
    if any(have_distances) and not all(have_distances):
        raise ValueError(
            f"{path}: query {query_id!r} mixes ids and pairs: expected {CANDIDATE_FORMS}. {REMEDY}"
        )

    candidates = []
    for rank, entry in enumerate(entries):
        doc_id, distance = entry if isinstance(entry, tuple) else (entry, rank)
        candidates.append(RankedCandidate(str(doc_id), float(distance)))
    _check_candidates(path, query_id, candidates)

    if not any(have_distances):
        return candidates
    # in files with distances queries are papers; in files of ids an equal id is another thing
    return [candidate for candidate in candidates if candidate.doc_id != query_id]


def _check_candidates(path: str, query_id: str, candidates: Sequence[RankedCandidate]) -> None:
    """Raise ValueError for a duplicate candidate, or a distance that is no finite number."""
    doc_ids = {candidate.doc_id for candidate in candidates}
    if len(doc_ids) < len(candidates):
        raise ValueError(f"{path}: duplicate candidate of query {query_id!r}. {REMEDY}")

    for candidate in candidates:
        if not isfinite(candidate.distance):
            raise ValueError(
                f"{path}: the distance of candidate {candidate.doc_id!r} of query {query_id!r} is "
                f"{candidate.distance}: expected a finite number. {REMEDY}"
            )


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
    open_file = gzip.open if str(path).endswith(".gz") else open
    lines: list[RunLine] = []
    known_pairs: set[tuple[str, str]] = set()
    try:
        with open_file(path, "rt", encoding="utf-8-sig") as file:
            for number, text in enumerate(file, 1):
                if not text.strip():
                    continue
                where = f"{path}, line {number}"
                line = _parse_line(where, text)

                pair = (line.qid, line.docno)
                if pair in known_pairs:
                    raise ValueError(
                        f"{where}: duplicate document {line.docno!r} of query {line.qid!r}."
                    )
                known_pairs.add(pair)
                lines.append(line)
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is no TREC run, or damaged: {error}.") from error
    return pd.DataFrame(lines, columns=RunLine._fields)


def _parse_line(where: str, text: str) -> RunLine:
    """Parse a line; `where` is its file and number, for the error."""
    try:
        qid, _, docno, rank, score, name = text.split()
        line = RunLine(qid, docno, int(rank), float(score), name)
        if not isfinite(line.score):
            raise ValueError("a score must be a finite number")
    except ValueError as error:
        raise ValueError(
            f"{where}: {text.strip()!r:.80} is no line of a TREC run, `qid Q0 docno rank score "
            f"name` ({error})."
        ) from error
    return line


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

    # queries in the order of the run, candidates best first
    pools: dict[str, list[tuple[str, float]]] = {query_id: [] for query_id in run["qid"]}
    for row in best_first[["qid", "docno", "score"]].itertuples(index=False):
        distance = -float(row.score)
        pools[row.qid].append((row.docno, distance))

    with new_file(path) as file:
        json.dump(pools, file)
