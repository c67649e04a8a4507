"""DORIS-MAE's released rankings: pickles, read without importing or running anything.

A file holds a list with one dict for each query. Its one key, ``index_rank``, has the ids of the
query's pool, best first. Queries have no ids there, so each is recognised by its pool. ::

    for ranking in read_pickled_rankings("ranking_bm25.pickle", "doris-mae"):
        print(ranking.query_id, ranking.doc_ids[:10])
"""

import pickle
from collections import Counter, defaultdict
from pathlib import Path
from typing import IO, NamedTuple

import ir_datasets

from ir_datasets_ext.doris_mae.records import TOO_LONG

from ..arguments import FilePath
from ..datasets import DatasetLike, irds
from ..frames import some

KEY = "index_rank"
LAYOUT = f"a list of dicts {{{KEY!r}: [id, …]}} of whole numbers, one for each query"
#: a pickle of protocol 2 or later begins so; no text in UTF-8 does
FIRST_BYTE = b"\x80"
ENDINGS = (".pickle", ".pkl")


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
            ranks; five abstracts that embedding systems were not given may be missing.

    Raises:
        ValueError: the pickle names a class or a function (nothing of it is run), is damaged or has
            another layout; no dataset; or an entry fits no pool, or several.
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
    query_ids = [
        _find_query(f"{path}, entry {number}", doc_ids, pools, dataset)
        for number, doc_ids in enumerate(rankings)
    ]

    repeated_ids = [query_id for query_id, count in Counter(query_ids).items() if count > 1]
    if repeated_ids:
        raise ValueError(f"{path}: several entries rank the pool of {some(repeated_ids)}.")
    return [PoolRanking(query_id, doc_ids) for query_id, doc_ids in zip(query_ids, rankings)]


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


def _read_pools(dataset: ir_datasets.Dataset) -> dict[str, set[str]]:
    """Return the candidates of each query that has some."""
    if not dataset.has_scoreddocs():
        raise ValueError(
            f"{dataset.dataset_id()} has no candidate pools, by which queries are recognised. Pass "
            "a dataset with pools, such as 'doris-mae'."
        )
    pools: dict[str, set[str]] = defaultdict(set)
    for candidate in dataset.scoreddocs_iter():
        pools[candidate.query_id].add(candidate.doc_id)
    return dict(pools)


def _find_query(
    where: str, doc_ids: list[str], pools: dict[str, set[str]], dataset: DatasetLike
) -> str:
    """Return the one query whose pool an entry ranks; ValueError for none, or several.

    Args:
        where: the entry, for the error.
        doc_ids: the ids that the entry ranks.
        pools: the candidates of each query.
        dataset: the user's, for the error.
    """
    ranked_ids = set(doc_ids)
    fitting = [query_id for query_id, pool in pools.items() if _ranks_pool(ranked_ids, pool)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ValueError(
            f"{where} ranks the pools of {some(fitting)} alike, so its query is unknown. Write it "
            "as JSON {query: [id, …]} with the query that it is of."
        )
    raise ValueError(
        f"{where} ranks the pool of no query in the files of {dataset}. Add the release's "
        "files, or pass the dataset that the ranking is of."
    )


def _ranks_pool(ranked_ids: set[str], pool: set[str]) -> bool:
    """Return whether an entry ranks a query's whole pool.

    It may lack the abstracts that are TOO_LONG, which some systems cannot read. It may have more
    ids than the pool, because a part of the release has smaller pools than the release.
    """
    required_ids = pool - TOO_LONG
    has_all_required = required_ids <= ranked_ids
    has_any = not pool.isdisjoint(ranked_ids)  # nothing is required of a pool of long ones alone
    return has_all_required and has_any
