"""Read runs from the files that authors release, whatever their format is.

    run = read_run("gritlm-7b.trec.gz")                    # TREC, JSON or DORIS-MAE's pickles
    runs = read_runs("rankings", "doris-mae")              # of each file of a folder, by name

Conventions: a run is a frame with `qid`, `docno`, `score`, `rank` (higher score is better, ranks
start at 0). To write one, see `write_ranked_pools` and `pt.io.write_results`.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ir_datasets_ext import facets
from ir_datasets_ext.csfcube.records import WITH_QUERY_PAPER

from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from ..protocols import find_queries
from .pickled_rankings import PoolRanking, is_pickle, read_pickled_rankings
from .ranked_pools import read_ranked_pools
from .trec_runs import read_trec_run

#: what a file's name may end with, beside what tells runs apart
ENDINGS = (".json", ".trec", ".run", ".res", ".txt", ".gz", ".pickle", ".pkl")


@check_arguments
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
        is_hidden = file.name.startswith(".")
        if file.is_file() and not is_hidden:
            files_by_name.setdefault(_name_run(file), []).append(file)
    if not files_by_name:
        raise ValueError(f"{path} has no files. Pass a folder with files of runs.")

    runs = {}
    refusals = []
    for name, files in files_by_name.items():
        try:
            runs[name] = read_run(files, dataset)
        except ValueError as error:
            refusals.append(f"{' and '.join(file.name for file in files)}: {error}")
    if not runs:
        raise ValueError(f"{path}: each file is refused, the first for this reason: {refusals[0]}")
    for refusal in refusals:
        warnings.warn(f"Left out, because it is refused: {refusal}", stacklevel=2)
    return runs


@check_arguments
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
        known_dataset = find_queries(Path(path)) if dataset is None else dataset
        return _convert_rankings(read_pickled_rankings(path, known_dataset))

    if _is_json(path):
        run = read_ranked_pools(path, query_papers=_ranks_query_papers(dataset))
    else:
        run = read_trec_run(path)
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
    """Return rankings of ids as a run: `qid`, `docno`, `score`, and `rank` from 0.

    The rankings have no scores, so scores count down to 1 for each query's last document.
    """
    rows = []
    for ranking in rankings:
        document_count = len(ranking.doc_ids)
        for rank, doc_id in enumerate(ranking.doc_ids):
            score = float(document_count - rank)
            rows.append((ranking.query_id, doc_id, score, rank))
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def _is_json(path: FilePath) -> bool:
    """Return whether a file begins as a JSON object does, whatever its name is."""
    with open(path, "rb") as file:
        beginning = file.read(1_000)
    # behind blanks and the mark of UTF-8 that some editors write
    return beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _ranks_query_papers(dataset: DatasetLike | None) -> bool:
    """Return whether a query paper may be a candidate of itself in a dataset."""
    return dataset is not None and WITH_QUERY_PAPER in irds(dataset).dataset_id().split("/")


def _append_facet(run: pd.DataFrame, file_name: str, dataset: DatasetLike) -> pd.DataFrame:
    """Return a run with query ids as the dataset has them, if these end in the queries' facet.

    Released runs of one facet often have the papers' ids, and the facet in the file's name: of
    "run-method.json" the query "1198964" becomes "1198964_method". Other runs stay as they are.
    """
    named_facets = [facet for facet in facets.FACETS if facet in file_name.lower()]
    if len(named_facets) != 1:
        return run

    facet = named_facets[0]
    known_ids = {query.query_id for query in irds(dataset).queries_iter()}
    ids_with_facet = [facets.join(paper, facet) for paper in run["qid"]]
    knows_any_id = not known_ids.isdisjoint(run["qid"])
    knows_any_id_with_facet = not known_ids.isdisjoint(ids_with_facet)
    if not knows_any_id and knows_any_id_with_facet:
        return run.assign(qid=ids_with_facet)
    return run
