"""Read runs from the files that authors release, whatever their format is, and write them.

    run = read_run("gritlm-7b.trec.gz")                    # TREC, JSON or DORIS-MAE's pickles
    runs = read_runs("rankings", "doris-mae")              # of each file of a folder, by name
    write_ranked_pools(run, "test-pid2pool-csfcube-MINE-method-ranked.json")
    to_all({"background": run, "method": other_run})       # one run of all facets

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). To write TREC's format, see `pt.io.write_results`. In `csfcube/method` a query's id is
its paper's; in `csfcube/all` it is ``<paper>_<facet>``, as in the official splits.
"""

import gzip
import json
import pickle
import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

import ir_datasets
import pandas as pd

from ir_datasets_ext import facets
from ir_datasets_ext.atomic import new_file
from ir_datasets_ext.csfcube import WITH_QUERY_PAPER
from ir_datasets_ext.doris_mae_queries import TOO_LONG

from .. import frames
from ..datasets import DatasetLike, irds
from ..frames import some
from ..protocols import find_queries
from ..step import best_first
from ..typed_records import convert, convert_values, read_json

FilePath: TypeAlias = str | Path

RUN_COLUMNS = ["qid", "docno", "score", "rank"]
TREC_COLUMNS = ["qid", "docno", "rank", "score", "name"]
PICKLES = (".pickle", ".pkl")
#: what a file's name may end with, beside what tells runs apart
ENDINGS = (".json", ".trec", ".run", ".res", ".txt", ".gz", *PICKLES)
POOL_REMEDY = (
    "Correct it, or write it again with write_ranked_pools: an object from query to candidates, "
    "[id, distance] pairs, or ids"
)
PICKLE_LAYOUT = "a pickle of a list of {'index_rank': [id, …]}, one for each query"
NO_DISTANCE = 0.0  # of a candidate in a file without distances, for `_rank_in_order`


# --- a run, or a folder of runs --------------------------------------------------------------


def read_runs(path: FilePath, dataset: DatasetLike | None = None) -> dict[str, pd.DataFrame]:
    """Read released rankings, each as it is released, from a file or a folder of files.

    ``reproduce("doris-mae", read_runs("rankings", "doris-mae"), table=11)`` makes a row of each.

    Args:
        path: of a file, or of a folder of files; see `read_run` for their formats. A file that is
            refused is left out, with a warning that names it and the reason. Files whose names
            differ only in the facet (CSFCube's ``…-background-…`` and ``…-method-…``) are one run,
            if their queries differ.
        dataset: an id or dataset that the runs are of, see `read_run`.

    Returns:
        Dict from a file's name without its ending, and without its facet, to a run as `read_run`
        returns it; in the order of the names.

    Raises:
        ValueError: a file has another form, is damaged, or has no results; a folder is empty, or
            each of its files is refused.
        OSError: a file is missing or cannot be read.
    """
    if not Path(path).is_dir():
        return {_name_run(Path(path)): read_run(path, dataset)}

    files_by_name: dict[str, list[Path]] = {}
    for file in sorted(Path(path).iterdir()):
        if file.is_file() and not file.name.startswith("."):  # hidden
            files_by_name.setdefault(_name_run(file), []).append(file)
    if not files_by_name:
        raise ValueError(f"{path} has no files. Pass a folder with files of runs.")

    runs = {}
    refusals = []
    for name, files in files_by_name.items():
        try:
            runs[name] = read_run(files, dataset)
        except ValueError as error:
            file_names = " and ".join(file.name for file in files)
            refusals.append(f"{file_names}: {error}")
    if not runs:
        raise ValueError(f"{path}: each file is refused, the first for this reason: {refusals[0]}")
    for refusal in refusals:
        warnings.warn(f"Left out, because it is refused: {refusal}", stacklevel=2)
    return runs


def _name_run(file: Path) -> str:
    """Return a file's name without what only says how, or for which facet, it was written."""
    name = file.name
    while Path(name).suffix.lower() in ENDINGS:  # "run.json.gz" has two
        name = Path(name).stem

    words = [word for word in name.split("-") if word.lower() not in facets.FACETS]
    return "-".join(words) or name  # a name of nothing but a facet stays


def read_run(
    path: FilePath | Sequence[FilePath], dataset: DatasetLike | None = None
) -> pd.DataFrame:
    """Read one run, from a file or from several files of different queries.

    What a file begins with tells its format: TREC's, also gzipped, as LitSearch's runs are; the
    JSON of CSFCube's pools or of ranked ids (`read_ranked_pools`); a pickle as DORIS-MAE's authors
    publish them, a list of ``{"index_rank": [id, …]}``. Nothing in a pickle is run, and
    one that names any class or function is refused. Its queries are
    recognised by their pools, and sub-queries of one query by their order, so it needs the dataset.
    Of a released file in the authors' folders the dataset is known (``query/ranking_bm25_….pickle``
    is of "doris-mae").

    Args:
        path: the file, or several, such as those of CSFCube's three facets.
        dataset: an id or dataset that the run is of; None if that does not matter, or is known.
            Entries of a pickle for queries that are not in it are left out, with a warning. For
            ``"csfcube/all"``, whose query ids end in facets, a file of one facet may have papers as
            queries, as the authors write it. Its name must then hold the facet
            (``specter-method-ranked.json``).

    Returns:
        Frame with `qid`, `docno`, `score` and `rank`, and the format's other columns.

    Raises:
        ValueError: a file has another form, is damaged, or has no results; two files have a query
            in common; no entry of a pickle fits the pool of a query, or one fits several.
        OSError: a file is missing or cannot be read.
    """
    if isinstance(path, (str, Path)):
        return _read_file(Path(path), dataset)

    runs: list[pd.DataFrame] = []
    file_by_query: dict[str, FilePath] = {}
    for file in path:
        run = _read_file(Path(file), dataset)
        repeated_ids = sorted(file_by_query.keys() & set(run["qid"]))
        if repeated_ids:
            raise ValueError(
                f"{file} has results for {some(repeated_ids)}, and so has "
                f"{file_by_query[repeated_ids[0]]}. Pass a different name for each file."
            )
        runs.append(run)
        file_by_query |= dict.fromkeys(run["qid"], file)
    if not runs:
        raise ValueError("path=[]: expected one file or more.")
    return pd.concat(runs, ignore_index=True)


def _read_file(path: Path, dataset: DatasetLike | None) -> pd.DataFrame:
    """Read the run of one file, in the format that its beginning tells."""
    with open(path, "rb") as file:
        beginning = file.read(1_000)
    if beginning.startswith(b"\x80") or path.suffix.lower() in PICKLES:
        return _read_pickle(path, find_queries(path) if dataset is None else dataset)

    # behind blanks and the mark of UTF-8 that some editors write
    if beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        subsets = [] if dataset is None else irds(dataset).dataset_id().split("/")
        run = read_ranked_pools(path, query_papers=WITH_QUERY_PAPER in subsets)
    else:
        run = read_trec_run(path)

    if run.empty:
        raise ValueError(f"{path} has no results. Pass a file with results.")
    return run if dataset is None else _append_facet(run, path.name, dataset)


def _append_facet(run: pd.DataFrame, file_name: str, dataset: DatasetLike) -> pd.DataFrame:
    """Return a run with query ids as the dataset has them, if these end in the queries' facet.

    Released runs of one facet often have the papers' ids, and the facet in the file's name: of
    "run-method.json" the query "1198964" becomes "1198964_method". Other runs stay as they are.
    """
    named_facets = [facet for facet in facets.FACETS if facet in file_name.lower()]
    if len(named_facets) != 1:
        return run

    known_ids = {query.query_id for query in irds(dataset).queries_iter()}
    run_with_facets = to_all({named_facets[0]: run})
    fits_as_written = not known_ids.isdisjoint(run["qid"])
    fits_with_facets = not known_ids.isdisjoint(run_with_facets["qid"])
    return run_with_facets if fits_with_facets and not fits_as_written else run


# --- single facets, and all of them -----------------------------------------------------------


def to_all(frame_by_facet: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Join frames of single facets into one of the `all` subset, with ``<paper>_<facet>`` as `qid`.

    Args:
        frame_by_facet: dict from facet ("background", "method", "result") to a frame with `qid`,
            the query paper (a run, topics, qrels or per-query values).
    """
    if not frame_by_facet:
        raise ValueError("frame_by_facet={}: expected a frame for one facet or more.")
    renamed_frames = [
        frame.assign(qid=[facets.join(paper, facet) for paper in frame["qid"]])
        for facet, frame in frame_by_facet.items()
    ]
    return pd.concat(renamed_frames, ignore_index=True)


def from_all(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split a frame of the `all` subset by facet, with the paper as `qid`.

    ValueError for a query id that is not ``<paper>_<facet>``.
    """
    papers_and_facets = [facets.split(query_id) for query_id in frame["qid"]]
    split_frame = frame.assign(qid=[paper for paper, _ in papers_and_facets])
    # a series, because pandas takes a list of one facet for the name of a column
    facet_of_row = pd.Series([facet for _, facet in papers_and_facets], frame.index, dtype=object)
    return {facet: rows.reset_index(drop=True) for facet, rows in split_frame.groupby(facet_of_row)}


# --- TREC's format ----------------------------------------------------------------------------


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
    try:
        with open_file(path, "rt", encoding="utf-8-sig") as file:
            lines = file.readlines()
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is damaged, or no text: {error}. Download it again, or pass a TREC run."
        ) from error

    row_by_pair: dict[tuple[str, str], tuple] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            query_id, _, doc_id, rank, score, name = line.split()
            if not isfinite(float(score)):
                raise ValueError("a score must be a finite number")
            if (query_id, doc_id) in row_by_pair:
                raise ValueError(f"duplicate document {doc_id!r} of query {query_id!r}")
            row_by_pair[query_id, doc_id] = query_id, doc_id, int(rank), float(score), name
        except ValueError as error:
            raise ValueError(
                f"{path}, line {number}: {error}, in {line.strip()!r:.80}. Expected a line "
                "`qid Q0 docno rank score name`, each document of a query once."
            ) from error
    return pd.DataFrame(row_by_pair.values(), columns=TREC_COLUMNS)


# --- CSFCube's JSON, and ranked ids -----------------------------------------------------------


def read_ranked_pools(path: FilePath, query_papers: bool = False) -> pd.DataFrame:
    """Read a run in the format of CSFCube's evaluation script, or of ranked ids.

    The file is a JSON object ``{query paper: [[candidate, distance], ...]}``, best candidate first.
    The script uses only that order, so `score` is not the distance: it is the number of candidates
    from this one to the last. A query paper among its own candidates is skipped, as in the authors'
    rankings. In ``{query: [candidate, ...]}``, queries are no papers and the rank is the distance.
    The pickles of DORIS-MAE's authors are read by `read_run`.

    Args:
        path: of the file.
        query_papers: whether a query paper stays among its own candidates, as ASPIRE's code ranks
            it: for `csfcube/with-query-paper`.

    Returns:
        Frame with columns `qid`, `docno` (str), `score` (float, distinct per query), `rank` (int)
        and `distance` (float, as in the file). For `csfcube/all`, see `to_all`.

    Raises:
        ValueError: the file has another form, or a distance is NaN or infinite; names it and the
            query.
    """
    content = read_json(path, dict, POOL_REMEDY)
    entry_types: Any = list[str | int | tuple[str | int, float]]
    entries_by_query = convert_values(content, entry_types, path, "query", POOL_REMEDY)

    candidates = []
    for query_id, entries in entries_by_query.items():
        pairs = [entry for entry in entries if isinstance(entry, tuple)]
        if 0 < len(pairs) < len(entries):
            raise ValueError(f"{path}: query {query_id!r} mixes ids and pairs. {POOL_REMEDY}")
        if not pairs:
            # an id that equals the query's stays, because queries are no papers here
            pairs = [(doc_id, rank) for rank, doc_id in enumerate(entries)]
        elif not query_papers:
            pairs = [(doc_id, distance) for doc_id, distance in pairs if str(doc_id) != query_id]

        for doc_id, distance in pairs:
            if not isfinite(distance):
                raise ValueError(
                    f"{path}: query {query_id!r}: the distance of candidate {str(doc_id)!r} is "
                    f"{distance}: expected a finite number. {POOL_REMEDY}"
                )
            candidates.append((query_id, str(doc_id), float(distance)))
    return _rank_in_order(candidates, path)


def _rank_in_order(candidates: Sequence[tuple[str, str, float]], path: FilePath) -> pd.DataFrame:
    """Rank each query's candidates in the order in which a file has them.

    Args:
        candidates: query, document, and distance.
        path: of the file, for errors.

    Returns:
        Frame with RUN_COLUMNS and `distance`.

    Raises:
        ValueError: a query has a candidate twice.
    """
    run = pd.DataFrame(candidates, columns=["qid", "docno", "distance"])
    duplicates = run[run.duplicated(["qid", "docno"])]
    if len(duplicates):
        row = duplicates.iloc[0]
        raise ValueError(
            f"{path}: query {row['qid']!r}: candidate {row['docno']!r} is a duplicate: expected "
            f"each candidate once. {POOL_REMEDY}"
        )

    # distances need not rise, so scores count down to 1 for the last candidate
    rows_of_query = run.groupby("qid", sort=False)["docno"]
    run["rank"] = rows_of_query.cumcount()
    run["score"] = (rows_of_query.transform("size") - run["rank"]).astype(float)
    return run[[*RUN_COLUMNS, "distance"]]


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
    ordered = best_first(run)
    distances = -ordered["score"].astype(float)
    pools: dict[str, list[tuple[str, float]]] = {}
    for query_id, doc_id, distance in zip(ordered["qid"], ordered["docno"], distances):
        pools.setdefault(query_id, []).append((doc_id, distance))
    with new_file(path) as file:
        json.dump(pools, file)


# --- DORIS-MAE's pickles ----------------------------------------------------------------------


class _PoolRanking(TypedDict):
    """An entry of a released pickle: the ids of a query's pool, best first."""

    index_rank: list[int]


class _PlainUnpickler(pickle.Unpickler):
    """Load lists, dicts, texts and numbers; refuse whatever would have to be imported."""

    def find_class(self, module: str, name: str) -> object:
        """Refuse every class and function, before anything of it runs."""
        raise pickle.UnpicklingError(f"it names {module}.{name}, and no name is imported")


def _read_pickle(path: Path, dataset: DatasetLike | None) -> pd.DataFrame:
    """Read a pickle of PICKLE_LAYOUT; each entry is of the query whose pool it ranks.

    Five abstracts that embedding systems were not given may be missing from an entry. Entries of
    queries that share a pool are in the dataset's order.

    Raises:
        ValueError: the pickle names a class or a function (nothing of it is run), is damaged or has
            another layout; no dataset; no entry fits a pool, or one fits several.
    """
    rankings = _load_rankings(path)
    if dataset is None:
        raise ValueError(
            f"{path} does not name its queries: they are recognised by their pools. Pass the "
            "dataset, such as 'doris-mae'."
        )
    pool_by_query = _read_pools(irds(dataset))

    # group the entries by the queries that they could be of, which is one or those of one pool
    rankings_by_queries: dict[tuple[str, ...], list[list[str]]] = {}
    foreign_count = 0
    for doc_ids in rankings:
        query_ids = _find_queries(doc_ids, pool_by_query)
        if query_ids:
            rankings_by_queries.setdefault(query_ids, []).append(doc_ids)
        else:  # it fits no query's pool
            foreign_count += 1
    if not rankings_by_queries:
        raise ValueError(
            f"{path} ranks the pool of no query in the files of {dataset}. Add the release's "
            "files, or pass the dataset that the ranking is of."
        )
    if foreign_count:
        warnings.warn(
            f"{path}: {foreign_count} of {len(rankings)} entries rank the pool of no "
            f"query in the files of {dataset}, and are left out.",
            stacklevel=4,
        )

    # queries that share a pool are told apart by the order of the entries alone
    candidates = []
    for query_ids, rankings_of_pool in rankings_by_queries.items():
        _check_entries_of_pool(path, query_ids, rankings_of_pool, pool_by_query, rankings)
        for query_id, doc_ids in zip(query_ids, rankings_of_pool):
            for doc_id in doc_ids:
                candidates.append((query_id, doc_id, NO_DISTANCE))

    run = _rank_in_order(candidates, path)
    return run[RUN_COLUMNS]  # without the column of distances, which a pickle lacks


def _check_entries_of_pool(
    path: Path,
    query_ids: Sequence[str],
    entries: Sequence[list[str]],
    pool_by_query: Mapping[str, frozenset[str]],
    all_entries: Sequence[list[str]],
) -> None:
    """Raise ValueError unless entries that fit the same queries can be told apart.

    Args:
        path: of the pickle.
        query_ids: those whose pool each of the entries ranks.
        entries: the ranked documents of each.
        pool_by_query: of all queries.
        all_entries: of the pickle, in which an error says where the first of `entries` is.
    """
    pools = {pool_by_query[query_id] for query_id in query_ids}
    if len(pools) > 1:
        entry_number = all_entries.index(entries[0])
        raise ValueError(
            f"{path}: entry {entry_number} ranks the pools of {some(query_ids)} alike, so its "
            "query is unknown. Write it as JSON {query: [id, …]} with the query that it is of."
        )
    if len(entries) != len(query_ids):
        raise ValueError(
            f"{path}: {len(entries)} entries rank the pool of {some(query_ids)}, expected "
            f"{len(query_ids)}. Pass the dataset that the ranking is of."
        )


def _load_rankings(path: Path) -> list[list[str]]:
    """Return the ids in each entry of a pickle, as texts, without importing anything."""
    try:
        with open(path, "rb") as file:
            entries = _PlainUnpickler(file).load()
    except Exception as error:  # a damaged pickle raises nearly any class of error
        raise ValueError(
            f"{path} is refused, and nothing in it was run: {error}. Expected {PICKLE_LAYOUT}."
        ) from error

    entries = convert(entries, list[_PoolRanking], path, remedy=f"Expected {PICKLE_LAYOUT}")
    if not entries:
        raise ValueError(f"{path} has no entries. Expected {PICKLE_LAYOUT}.")

    rankings = [[str(doc_id) for doc_id in entry["index_rank"]] for entry in entries]
    for number, doc_ids in enumerate(rankings):
        if len(set(doc_ids)) < len(doc_ids):
            raise ValueError(f"{path}, entry {number}: it has an abstract twice.")
    return rankings


def _read_pools(dataset: ir_datasets.Dataset) -> dict[str, frozenset[str]]:
    """Return the pool of each query that has one, in the dataset's order of queries."""
    if not dataset.has_scoreddocs():
        raise ValueError(
            f"{dataset.dataset_id()} has no candidate pools, by which queries are recognised. Pass "
            "a dataset with pools, such as 'doris-mae'."
        )
    candidates = pd.DataFrame(dataset.scoreddocs_iter())
    pools = candidates.groupby("query_id")["doc_id"].agg(frozenset)
    query_ids = [query.query_id for query in dataset.queries_iter() if query.query_id in pools]
    return pools[query_ids].to_dict()


def _find_queries(
    doc_ids: Iterable[str], pool_by_query: Mapping[str, frozenset[str]]
) -> tuple[str, ...]:
    """Return the queries whose pool an entry ranks whole.

    It may lack the abstracts that are TOO_LONG, which some systems cannot read. It may have more
    ids than the pool, because a part of the release has smaller pools than the release.
    """
    ranked_ids = set(doc_ids)
    return tuple(
        query_id
        for query_id, pool in pool_by_query.items()
        # both are asked, because a pool of nothing but long abstracts may lack all of them
        if pool - ranked_ids <= TOO_LONG and not pool.isdisjoint(ranked_ids)
    )
