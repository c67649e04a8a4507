"""Pools: the documents of a query that are judged, taken from the first results of systems."""

import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

import pandas as pd

from .. import frames
from ..arguments import Count, Seed, check_arguments

CITED = "cited"
COLUMNS = ["qid", "docno", "sources"]
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
    barred = _by_query(without, "without")
    given = _by_query(first, "first")
    ranked = {name: rankings(name, run) for name, run in runs.items()}
    qids = dict.fromkeys(chain(given, *ranked.values()))
    if not qids:
        raise ValueError("nothing to pool: the runs are empty. Do the topics match the systems?")
    rows = []
    for qid in qids:
        out = barred.get(qid, {})
        taken = {doc: list(names) for doc, names in given.get(qid, {}).items() if doc not in out}
        of_query = {
            name: [doc for doc in ranked[name].get(qid, ()) if doc not in out]
            for name in _turns(ranked, qid, order, seed)
        }
        RULES[rule](of_query, k, taken, qid)
        if not taken:
            raise ValueError(f"the pool of query {qid} is empty: `without` has all its documents.")
        rows += [(qid, doc, tuple(dict.fromkeys(names))) for doc, names in taken.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _depth(ranked: Rankings, k: Count, taken: dict[str, list[str]], qid: str) -> None:
    """Add k documents of each system in turn to `taken`."""
    for name, docs in ranked.items():
        drawn = 0
        for rank, doc in enumerate(docs):
            if drawn == k and rank >= k:
                break
            if doc in taken:
                taken[doc].append(name)
            elif drawn < k:
                taken[doc] = [name]
                drawn += 1
        if drawn < k:
            warnings.warn(
                f"{name} ranks {drawn} documents for query {qid} that were not pooled before, "
                f"fewer than k = {k}: pass a longer run, or a smaller k",
                stacklevel=4,
            )


def _union(ranked: Rankings, k: Count, taken: dict[str, list[str]], qid: str) -> None:
    """Add the first k of each system to `taken`, rank by rank, in the order of the systems."""
    longest = max(map(len, ranked.values()), default=0)
    for rank in range(min(k, longest)):
        for name, docs in ranked.items():
            if rank < len(docs):
                taken.setdefault(docs[rank], []).append(name)


RULES = {"depth": _depth, "union": _union}


def _turns(
    ranked: Mapping[str, object], qid: str, order: Mapping[str, Sequence[str]] | None, seed: Seed
) -> Sequence[str]:
    if order is None:
        return random.Random(f"{seed} {qid}").sample(sorted(ranked), len(ranked))
    if sorted(order.get(qid, ())) != sorted(ranked):
        raise ValueError(
            f"order of query {qid} is {order.get(qid)}: expected each of {', '.join(ranked)} once."
        )
    return order[qid]


def rankings(name: str, run: pd.DataFrame) -> Rankings:
    """Return the documents of each query by descending score."""
    best = frames.best_first(frames.check(run, f"run {name!r}", ["qid", "docno", "score"]))
    return {qid: list(rows["docno"]) for qid, rows in best.groupby("qid", sort=False)}


def _by_query(rows: pd.DataFrame | None, argument: str) -> dict[str, dict[str, Iterable[str]]]:
    """Return the sources by qid and document; `argument` is what errors call the frame."""
    if rows is None:
        return {}
    rows = frames.check(rows, f"make_pools({argument}=…)", ["qid", "docno"], optional=["sources"])
    if "sources" not in rows:
        rows = rows.assign(sources=[(CITED,)] * len(rows))
    return {
        qid: dict(zip(part["docno"], part["sources"]))
        for qid, part in rows.groupby("qid", sort=False)
    }
