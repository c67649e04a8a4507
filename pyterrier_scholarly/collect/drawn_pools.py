"""Pools: the documents of a query that are judged, taken from the first results of systems.

    pools = make_pools({"bm25": bm25(topics), "specter": specter(topics)}, k=12)
    pools[["qid", "docno", "sources"]]

A system ranks by descending score, ties by descending `docno`, as trec_eval reads a run.
"""

import random
import warnings
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import pandas as pd

from .. import frames
from ..arguments import Count, Seed, check_arguments
from ..step import best_first

CITED = "cited"  # the source of papers that the query's paper cites
POOL_COLUMNS = ["qid", "docno", "sources"]
#: system -> its results
Runs = Mapping[str, pd.DataFrame]
#: qid -> documents, best first
Rankings = dict[str, list[str]]


@check_arguments
def make_pools(
    runs: Runs,
    k: Count,
    first: pd.DataFrame | None = None,
    rule: Literal["depth", "union"] = "depth",
    without: pd.DataFrame | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Pool the first results of several systems, query by query.

    ``rule="depth"`` is CSFCube's [Mysore2021, 3]: the documents of `first`, then a block of k from
    each system in turn. A system skips pooled documents and draws further down, so each adds
    exactly k. The order of systems is drawn at random for each query. (k = 12 or 33 gives the sizes
    of the 34 released pools, cited papers + 7 k; the paper says 13.) ``rule="union"`` is TREC's:
    the first k of any system, best rank first. Its size depends on how far the systems agree.

    Args:
        runs: dict from a system's name to its results, a frame of `qid`, `docno`, `score`. Higher
            scores come first, equal scores by descending `docno`.
        k: documents of each system, 1 or more.
        first: frame of `qid` and `docno`, pooled before all others, in its order: for instance
            papers that the query's paper cites, or another pool. Its column `sources` has tuples of
            names; without it, the source is ``"cited"``.
        without: frame of `qid` and `docno` that are never pooled, such as the query's own paper.
        order: dict from qid to the systems' names in order; None for a random order by `seed` and
            qid, which does not depend on the other queries.

    Returns:
        Frame of `qid`, `docno`, `sources`, in the order of pooling. `sources` is a tuple of names:
        the source that drew the document, then the others that rank it among their first k or met
        it while they drew.

    Raises:
        pt.validate.InputValidationError: a run with a missing column.
        ValueError: no runs or only empty ones, a k below 1, an unknown rule, invalid scores, a
            duplicate document, an `order` of other systems.
    """
    if CITED in runs:
        raise ValueError(f"a system is called {CITED!r}, as `first` is: give it another name.")

    excluded_by_query = _read_sources(without, "without")
    first_by_query = _read_sources(first, "first")
    rankings = {system: rank_documents(system, run) for system, run in runs.items()}
    qids = list(dict.fromkeys(chain(first_by_query, *rankings.values())))
    if not qids:
        raise ValueError("nothing to pool: the runs are empty. Do the topics match the systems?")

    draw_documents = RULES[rule]
    rows = []
    for qid in qids:
        excluded_ids = excluded_by_query.get(qid, {})
        systems = _order_systems(rankings, qid, order, seed)
        ranked_lists = _list_allowed(rankings, systems, qid, excluded_ids)

        # in the order of pooling: first the documents of `first`, then those that systems draw
        sources_of_document: dict[str, list[str]] = {}
        for docno, sources in first_by_query.get(qid, {}).items():
            if docno not in excluded_ids:
                sources_of_document[docno] = list(sources)
        draws = draw_documents(ranked_lists, k, list(sources_of_document), qid)
        for draw in draws:
            sources_of_document.setdefault(draw.docno, []).append(draw.system)

        if not sources_of_document:
            raise ValueError(f"the pool of query {qid} is empty: `without` has all its documents.")
        for docno, sources in sources_of_document.items():
            rows.append((qid, docno, tuple(dict.fromkeys(sources))))
    return pd.DataFrame(rows, columns=POOL_COLUMNS)


def rank_documents(system: str, run: pd.DataFrame) -> Rankings:
    """Return the documents of each query, best first."""
    run = frames.check(run, f"run {system!r}", ["qid", "docno", "score"])
    rows_of_queries = best_first(run).groupby("qid", sort=False)
    return {qid: list(rows["docno"]) for qid, rows in rows_of_queries}


def _read_sources(rows: pd.DataFrame | None, argument: str) -> dict[str, dict[str, Sequence[str]]]:
    """Return the sources of documents by qid and docno; errors call the frame `argument`."""
    if rows is None:
        return {}

    name = f"make_pools({argument}=…)"
    rows = frames.check(rows, name, ["qid", "docno", "sources"], ["qid", "docno"])
    if "sources" not in rows:
        rows = rows.assign(sources=[(CITED,)] * len(rows))

    sources_by_query = {}
    for qid, rows_of_query in rows.groupby("qid", sort=False):
        sources_by_query[qid] = dict(zip(rows_of_query["docno"], rows_of_query["sources"]))
    return sources_by_query


def _order_systems(
    systems: Collection[str], qid: str, order: Mapping[str, Sequence[str]] | None, seed: int
) -> Sequence[str]:
    """Return the systems in the order in which they draw for a query."""
    if order is None:
        return random.Random(f"{seed} {qid}").sample(sorted(systems), len(systems))

    has_each_once = sorted(order.get(qid, ())) == sorted(systems)
    if not has_each_once:
        raise ValueError(
            f"order of query {qid} is {order.get(qid)}: expected each of {', '.join(systems)} once."
        )
    return order[qid]


class SystemRanking(NamedTuple):
    """The documents that a system may draw for one query, best first."""

    system: str
    docnos: list[str]


def _list_allowed(
    rankings: Mapping[str, Rankings],
    systems: Sequence[str],
    qid: str,
    excluded_ids: Collection[str],
) -> list[SystemRanking]:
    """Return what the systems rank for a query, in their order, without excluded documents."""
    ranked_lists = []
    for system in systems:
        ranked_ids = rankings[system].get(qid, [])
        allowed_ids = [docno for docno in ranked_ids if docno not in excluded_ids]
        ranked_lists.append(SystemRanking(system, allowed_ids))
    return ranked_lists


class Draw(NamedTuple):
    """A system has a document among those it draws from.

    The first draw of a document pools it. Later ones say that other systems have it, too.
    """

    docno: str
    system: str


def _draw_to_depth(
    ranked_lists: Sequence[SystemRanking], k: int, pooled: Collection[str], qid: str
) -> list[Draw]:
    """Draw k documents of each system that are not pooled yet, system by system.

    A system reads its ranking until it has k new documents, and at least its first k. Documents
    that it meets there and that are pooled already are drawn again: so the pool says that this
    system has them, too.

    pooled: documents that are in the pool before.
    """
    draws = []
    pooled_ids = set(pooled)  # grows with the documents that are drawn here
    for ranking in ranked_lists:
        new_count = 0
        for rank, docno in enumerate(ranking.docnos):  # from 0
            has_enough = new_count == k
            is_beyond_first_k = rank >= k
            if has_enough and is_beyond_first_k:
                break

            is_new = docno not in pooled_ids
            if is_new and has_enough:
                continue
            draws.append(Draw(docno, ranking.system))
            if is_new:
                pooled_ids.add(docno)
                new_count += 1

        if new_count < k:
            warnings.warn(
                f"{ranking.system} ranks {new_count} documents for query {qid} that were not "
                f"pooled before, fewer than k = {k}: pass a longer run, or a smaller k",
                stacklevel=4,  # who called `make_pools`
            )
    return draws


def _draw_union(
    ranked_lists: Sequence[SystemRanking], k: int, pooled: Collection[str], qid: str
) -> list[Draw]:
    """Draw the first k of each system, rank by rank; what is pooled before plays no part."""
    draws = []
    longest = max((len(ranking.docnos) for ranking in ranked_lists), default=0)
    for rank in range(min(k, longest)):
        for ranking in ranked_lists:
            if rank < len(ranking.docnos):
                draws.append(Draw(ranking.docnos[rank], ranking.system))
    return draws


#: name -> the rule, which `make_pools` calls for each query
RULES = {"depth": _draw_to_depth, "union": _draw_union}
