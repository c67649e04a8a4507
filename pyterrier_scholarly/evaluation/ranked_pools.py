"""The JSON files of CSFCube's evaluation script, which have each query's pool, best first.

    run = read_ranked_pools("test-pid2pool-csfcube-specter-method-ranked.json")
    write_ranked_pools(run, "test-pid2pool-csfcube-MINE-method-ranked.json")

Conventions: a file is an object from query to candidates, each an id with a distance. It may also
have ids alone, as other authors release them.
"""

import json
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import pandas as pd

from ir_datasets_ext.store import new_file, read_json
from ir_datasets_ext.typed_records import convert_values

from .. import frames
from ..arguments import FilePath, check_arguments

#: what a query of a JSON file may have
CANDIDATE_FORMS = "[id, distance] pairs, or ids"
REMEDY = "Correct it, or write it again with write_ranked_pools"


class RankedCandidate(NamedTuple):
    """A candidate of a query in a JSON file; without distances, its rank stands for it."""

    doc_id: str
    distance: float


@check_arguments
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
    remedy = f"{REMEDY}: an object from query to candidates, {CANDIDATE_FORMS}"
    content = read_json(path, dict, remedy)
    entry_types = list[str | int | tuple[str | int, float]]
    entries_by_query = convert_values(content, entry_types, path, "query", remedy)

    rows = []
    for query_id, entries in entries_by_query.items():
        candidates = _read_candidates(f"{path}", query_id, entries, query_papers)
        for rank, candidate in enumerate(candidates):
            score = float(len(candidates) - rank)
            rows.append((query_id, candidate.doc_id, score, rank, candidate.distance))
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank", "distance"])


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


def _read_candidates(
    path: str, query_id: str, entries: Sequence, query_papers: bool
) -> list[RankedCandidate]:
    """Return the candidates of a query, without itself if it is a paper.

    entries: all ids, or all pairs of an id and a distance.
    query_papers: whether it stays.
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

    if query_papers or not any(have_distances):
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
