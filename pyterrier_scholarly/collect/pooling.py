"""Which documents of a query are judged: pools of what several systems rank first."""

import random
import warnings

import pandas as pd

from .. import frames

CITED = "cited"
COLUMNS = ["qid", "docno", "sources"]


def make_pools(runs, k, first=None, rule="depth", without=None, order=None, seed=0):
    """Pool what several systems rank first, query by query.

    ``rule="depth"`` is CSFCube's [Mysore2021, 3]: first the documents of `first`, then a block of k
    from each system in turn. What is in already is skipped and the system draws further down, so
    that a pool has exactly k more documents for each system. Which system's turn it is when, is
    drawn anew for each query. (With k = 12 or 33 it gives the sizes of the 34 released pools, cited
    papers + 7 k; the paper says 13.) ``rule="union"`` is TREC's: whatever is among some system's
    first k, best rank first, so that the size depends on how far the systems agree.

    Args:
        runs: dict from a system's name to its results, a frame of `qid`, `docno`, `score`; higher
            scores come first, equal scores by descending `docno`.
        k: documents of each system, 1 or more.
        first: frame of `qid` and `docno`, pooled before all others, in its order: papers that the
            query's paper cites, for instance, or another pool. Its column `sources` (tuples of
            names) says what they are from; without it, they are ``"cited"``.
        without: frame of `qid` and `docno` that are never pooled, such as the query's own paper.
        order: dict from qid to the systems' names in the order of their turns; None for a random
            order from `seed` and the qid alone, the same whatever other queries there are.

    Returns:
        Frame of `qid`, `docno`, `sources`, in the order of pooling. `sources` is a tuple of names:
        the one that drew the document, then the others that have it among their first k or came
        across it while they drew.

    Raises:
        pt.validate.InputValidationError: a run without these columns.
        ValueError: no runs, or none with a document, a k below 1, an unknown rule, scores that are
            no numbers, a document twice for a query, an `order` that is not of these systems.
    """
    if rule not in RULES:
        raise ValueError(f"rule={rule!r}: choose one of {', '.join(RULES)}.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k={k!r}: expected a whole number, 1 or more.")
    if CITED in runs:
        raise ValueError(f"a system is called {CITED!r}, as `first` is: give it another name.")
    barred = _by_query(without)
    ranked = {name: ranking(name, run) for name, run in runs.items()}
    given = _by_query(first)
    qids = dict.fromkeys(qid for found in (given, *ranked.values()) for qid in found)
    if not qids:
        raise ValueError("nothing to pool: the runs are empty. Do the topics match the systems?")
    rows = []
    for qid in qids:
        out = barred.get(qid, ())
        taken = {doc: list(names) for doc, names in given.get(qid, {}).items() if doc not in out}
        of_query = {
            name: [doc for doc in ranked[name].get(qid, ()) if doc not in out]
            for name in _turns(ranked, qid, order, seed)
        }
        RULES[rule](of_query, k, taken, qid)
        if not taken:
            raise ValueError(f"the pool of query {qid} is empty: all that was found is barred.")
        rows += [(qid, doc, tuple(dict.fromkeys(names))) for doc, names in taken.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _depth(ranked, k, taken, qid):
    """Add k documents of each system in turn to `taken`, from document to its sources."""
    for name, docs in ranked.items():
        drawn = 0
        for place, doc in enumerate(docs):
            if drawn == k and place >= k:
                break
            if doc in taken:
                taken[doc].append(name)
            elif drawn < k:
                taken[doc] = [name]
                drawn += 1
        if drawn < k:
            warnings.warn(
                f"{name} ranks {drawn} documents for query {qid} that were not pooled before, "
                f"fewer than k = {k}: give a longer run, or a smaller k",
                stacklevel=3,
            )


def _union(ranked, k, taken, qid):
    """Add the first k of each system to `taken`: all first places, then all second ones, ….

    Within a rank by the systems' turns.
    """
    for rank in range(k):
        for name, docs in ranked.items():
            if rank < len(docs):
                taken.setdefault(docs[rank], []).append(name)


RULES = {"depth": _depth, "union": _union}


def _turns(ranked, qid, order, seed):
    if order is None:
        return random.Random(f"{seed} {qid}").sample(sorted(ranked), len(ranked))
    if sorted(order.get(qid, ())) != sorted(ranked):
        raise ValueError(
            f"order of query {qid} is {order.get(qid)}: expected each of {', '.join(ranked)} once."
        )
    return order[qid]


def ranking(name, run):
    """Documents by descending score, from qid to a list."""
    best = frames.best_first(frames.check(run, f"run {name!r}", ["qid", "docno", "score"]))
    return {qid: list(rows["docno"]) for qid, rows in best.groupby("qid", sort=False)}


def _by_query(rows):
    """From qid to a dict from document to its sources."""
    found = {}
    if rows is not None:
        sources = rows["sources"] if "sources" in rows else [(CITED,)] * len(rows)
        for qid, doc, names in zip(rows["qid"], rows["docno"], sources):
            found.setdefault(qid, {})[doc] = names
    return found
