"""DORIS-MAE's released rankings: pickles, read without importing or running anything.

A file holds a list with one dict for each query. Its one key, ``index_rank``, has the ids of the
query's pool, best first. Queries have no ids there, so each is recognised by its pool. Sub-queries
share their query's pool, and are told apart by their order, which is fixed in the release. ::

    for ranking in read_pickled_rankings("ranking_bm25.pickle", "doris-mae"):
        print(ranking.query_id, ranking.doc_ids[:10])
"""

import pickle
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import ir_datasets

from ir_datasets_ext.doris_mae.records import TOO_LONG

from ..arguments import FilePath
from ..datasets import DatasetLike, irds
from ..frames import some
from ..protocols import protocol_of

KEY = "index_rank"
LAYOUT = f"a list of dicts {{{KEY!r}: [id, …]}} of whole numbers, one for each query"
#: a pickle of protocol 2 or later begins so; no text in UTF-8 does
FIRST_BYTE = b"\x80"
ENDINGS = (".pickle", ".pkl")

#: a pool -> the ids of its queries, in the dataset's order
Pools = Mapping[frozenset[str], Sequence[str]]


class PoolRanking(NamedTuple):
    """The ids of a query's pool, best first."""

    query_id: str
    doc_ids: list[str]


class _PlainUnpickler(pickle.Unpickler):
    """Load lists, dicts, texts and numbers; refuse whatever would have to be imported."""

    def find_class(self, module: str, name: str) -> object:
        """Refuse every class and function, before anything of it runs."""
        raise pickle.UnpicklingError(f"it names {module}.{name}, and no name is imported")


def is_pickle(path: str | Path) -> bool:
    """Return whether a file is a pickle, by its ending or its first byte."""
    if str(path).lower().endswith(ENDINGS):
        return True
    with open(path, "rb") as file:
        return file.read(1) == FIRST_BYTE


def read_pickled_rankings(path: FilePath, dataset: DatasetLike | None) -> list[PoolRanking]:
    """Read the ranking of each query, in the file's order.

    Args:
        path: of a pickle in the released layout.
        dataset: an id or dataset with the queries' pools. An entry is of the query whose pool it
            ranks; five abstracts that embedding systems were not given may be missing. Entries of
            queries that share a pool are in the dataset's order. Entries of queries that are not in
            a part, such as "doris-mae/dev", or not in the files at hand, are left out, with a
            warning that counts them.

    Raises:
        ValueError: the pickle names a class or a function (nothing of it is run), is damaged or has
            another layout; no dataset; or an entry fits no pool of a whole dataset, or several.
    """
    with open(path, "rb") as file:
        entries = _load_plain(path, file)
    rankings = [_read_entry(path, number, entry) for number, entry in enumerate(entries)]

    if dataset is None:
        raise ValueError(
            f"{path} does not name its queries: they are recognised by their pools. Pass the "
            "dataset, such as 'doris-mae'."
        )
    pools = _read_pools(irds(dataset))
    rankings_by_pool: dict[frozenset[str], list[list[str]]] = defaultdict(list)
    unplaced_rankings: dict[str, list[str]] = {}
    for number, doc_ids in enumerate(rankings):
        where = f"{path}, entry {number}"
        pool = _find_pool(where, doc_ids, pools)
        if pool is None:
            unplaced_rankings[where] = doc_ids
        else:
            rankings_by_pool[pool].append(doc_ids)

    if unplaced_rankings:
        _check_unplaced(unplaced_rankings, dataset)
    if not rankings_by_pool:
        raise ValueError(
            f"{path} ranks the pool of no query in the files of {dataset}. Add the release's "
            "files, or pass the dataset that the ranking is of."
        )
    if unplaced_rankings:
        warnings.warn(
            f"{path}: {len(unplaced_rankings)} of {len(rankings)} entries rank the pool of no "
            f"query in the files of {dataset}, and are left out.",
            stacklevel=2,
        )
    return _name_queries(path, rankings_by_pool, pools)


def _load_plain(path: str | Path, file: IO[bytes]) -> list:
    """Return the list in a pickle; ValueError for a pickle of anything else."""
    try:
        entries = _PlainUnpickler(file).load()
    except Exception as error:  # a damaged pickle raises nearly any class of error
        raise ValueError(
            f"{path} is refused, and nothing in it was run: {error}. Expected a pickle of {LAYOUT}."
        ) from error
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path}: expected a pickle of {LAYOUT}, got {entries!r:.80}.")
    return entries


def _read_entry(path: str | Path, number: int, entry: object) -> list[str]:
    """Return the ids in an entry as texts; ValueError for another layout or a duplicate."""
    ids = None
    if isinstance(entry, dict) and set(entry) == {KEY}:
        ids = entry[KEY]
    # by the type, because True is an int, too
    if not isinstance(ids, list) or not all(type(doc_id) is int for doc_id in ids):
        raise ValueError(f"{path}, entry {number}: expected {LAYOUT}, got {entry!r:.80}.")
    if len(set(ids)) < len(ids):
        raise ValueError(f"{path}, entry {number}: it has an abstract twice.")
    return [str(doc_id) for doc_id in ids]


def _read_pools(dataset: ir_datasets.Dataset) -> Pools:
    """Return each pool, with the queries that have it as candidates."""
    if not dataset.has_scoreddocs():
        raise ValueError(
            f"{dataset.dataset_id()} has no candidate pools, by which queries are recognised. Pass "
            "a dataset with pools, such as 'doris-mae'."
        )
    pool_by_query: dict[str, set[str]] = defaultdict(set)
    for candidate in dataset.scoreddocs_iter():
        pool_by_query[candidate.query_id].add(candidate.doc_id)

    queries_by_pool: dict[frozenset[str], list[str]] = defaultdict(list)
    for query in dataset.queries_iter():
        if query.query_id in pool_by_query:
            pool = frozenset(pool_by_query[query.query_id])
            queries_by_pool[pool].append(query.query_id)
    return queries_by_pool


def _find_pool(where: str, doc_ids: list[str], pools: Pools) -> frozenset[str] | None:
    """Return the pool that an entry ranks; None if it ranks none.

    Args:
        where: the entry, for the error.
        doc_ids: the ids that the entry ranks.
        pools: to choose from.

    Raises:
        ValueError: it ranks several.
    """
    ranked_ids = set(doc_ids)
    fitting = [pool for pool in pools if _ranks_pool(ranked_ids, pool)]
    if len(fitting) > 1:
        query_ids = [query_id for pool in fitting for query_id in pools[pool]]
        raise ValueError(
            f"{where} ranks the pools of {some(query_ids)} alike, so its query is unknown. Write "
            "it as JSON {query: [id, …]} with the query that it is of."
        )
    return fitting[0] if fitting else None


def _ranks_pool(ranked_ids: set[str], pool: frozenset[str]) -> bool:
    """Return whether an entry ranks a query's whole pool.

    It may lack the abstracts that are TOO_LONG, which some systems cannot read. It may have more
    ids than the pool, because a part of the release has smaller pools than the release.
    """
    required_ids = pool - TOO_LONG
    has_all_required = required_ids <= ranked_ids
    has_any = not pool.isdisjoint(ranked_ids)  # nothing is required of a pool of long ones alone
    return has_all_required and has_any


def _check_unplaced(unplaced_rankings: Mapping[str, list[str]], dataset: DatasetLike) -> None:
    """Raise ValueError for an entry that ranks no pool of the whole collection.

    A dataset may be a part of it, such as "doris-mae/dev". Nothing is raised if the files at hand
    lack the pool of some query: then nobody can tell whether an entry is of that one.

    Args:
        unplaced_rankings: ids of entries that rank no pool of the dataset, by a name for errors.
        dataset: the user's.
    """
    name = irds(dataset).dataset_id()
    protocol = protocol_of(name)
    collection = irds(protocol.queries_of(protocol.collection) if protocol else dataset)
    stated_count = protocol.count_queries("") if protocol else 0

    pools = _read_pools(collection)
    count_with_pool = sum(len(query_ids) for query_ids in pools.values())
    query_count = max(stated_count, collection.queries_count() or 0)
    if count_with_pool < query_count:
        return

    for where, doc_ids in unplaced_rankings.items():
        if _find_pool(where, doc_ids, pools) is None:
            raise ValueError(
                f"{where} ranks the pool of no query of {dataset}. Pass the dataset that the "
                "ranking is of."
            )


def _name_queries(
    path: str | Path, rankings_by_pool: Mapping[frozenset[str], list[list[str]]], pools: Pools
) -> list[PoolRanking]:
    """Return the rankings with their queries: those of one pool are in the queries' order.

    Raises:
        ValueError: a pool has more or fewer rankings than queries.
    """
    named_rankings: list[PoolRanking] = []
    for pool, rankings in rankings_by_pool.items():
        query_ids = pools[pool]
        if len(rankings) != len(query_ids):
            raise ValueError(
                f"{path}: {len(rankings)} entries rank the pool of {some(query_ids)}, expected "
                f"{len(query_ids)}. Pass the dataset that the ranking is of."
            )
        named_rankings += map(PoolRanking, query_ids, rankings)
    return named_rankings
