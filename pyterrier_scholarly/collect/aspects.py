"""Aspects of queries, DORIS-MAE's way: pools found by them, and judgements summed over them."""

from itertools import count
from typing import NamedTuple

import pandas as pd

from .. import frames
from .pooling import COLUMNS, ranking


def aspect_pool(
    by_query, by_aspect, aspects, keep=None, query_k=20, aspects_k=25, aspect_k=2, least=80
):
    """Pool what systems rank first for a query, for its aspects together, and for each of them.

    DORIS-MAE's systems are TF-IDF and BM25. Each gives its first 20 for the query; the 25 that are
    found for most aspects (then by the sum of their reciprocal ranks, then by id); and the first 2
    for each aspect. Only papers of the query's arXiv category come in: `keep`. A pool of fewer than
    80 is grown, here by one more document of each kind in turn (how is not said). Its authors then
    add papers related by citation and 20 documents by ada-002; `make_pools` does both::

        core = aspect_pool(by_query, by_aspect, aspects, keep)
        related = pd.concat([core, citations.assign(sources=…)]).drop_duplicates(["qid", "docno"])
        make_pools({"ada-002": run}, 20, first=related)

    Args:
        by_query: dict from a system's name to its results for queries (`qid`, `docno`, `score`).
        by_aspect: the same of results whose qid is an aspect's id; for DORIS-MAE aspects and
            sub-aspects.
        aspects: dict from a query's qid to the ids of its aspects.
        keep: function of qid and docno: whether the document may be in the query's pool.
        query_k, aspects_k, aspect_k: how many of each kind a system gives.
        least: documents that a pool is grown to, as far as the runs reach.

    Returns:
        Frame of `qid`, `docno`, `sources` as `make_pools` gives it; a source is a system's name.

    Raises:
        ValueError: no runs, a run that is none, a query without any document.
    """
    whole = {name: ranking(name, run) for name, run in by_query.items()}
    parts = {name: ranking(name, run) for name, run in by_aspect.items()}
    rows = []
    for qid, ids in aspects.items():
        lists = [
            *((name, found.get(qid, []), query_k) for name, found in whole.items()),
            *((name, _together(found, ids), aspects_k) for name, found in parts.items()),
            *((name, found.get(one, []), aspect_k) for name, found in parts.items() for one in ids),
        ]
        allowed = [
            (name, [doc for doc in docs if keep is None or keep(qid, doc)], k)
            for name, docs, k in lists
        ]
        taken = _grown(allowed, least)
        if not taken:
            raise ValueError(
                f"the pool of query {qid} is empty: no run has a document for it or its aspects "
                f"({', '.join(ids)}) that may be kept."
            )
        rows += [(qid, doc, tuple(names)) for doc, names in taken.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _together(found, aspects):
    """Documents by how many aspects they are found for, then by summed reciprocal rank."""
    ranks = {}
    for aspect in aspects:
        for rank, doc in enumerate(found.get(aspect, []), 1):
            ranks.setdefault(doc, []).append(1 / rank)
    return sorted(ranks, key=lambda doc: (-len(ranks[doc]), -sum(ranks[doc]), doc))


def _grown(lists, least):
    """From document to its sources: the first k of each list, one more of each while too few."""
    longest = max((len(docs) for _, docs, _ in lists), default=0)
    for more in count():
        taken = {}
        for name, docs, k in lists:
            for doc in docs[: k + more]:
                names = taken.setdefault(doc, [])
                if name not in names:
                    names.append(name)
        if len(taken) >= least or more >= longest:
            return taken


class Totals(NamedTuple):
    """What judgements of aspects come to.

    frame: `qid`, `docno`, `label` (the sum of the grades of the query's aspects), `iteration` (how
        many aspects there are, as text), as `write_collection` takes qrels and our DORIS-MAE
        measures read them: relevant is what has `label` of that number or more.
    incomplete: `qid`, `docno`, `missing` (tuple of the aspects without a judgement): no sum.
    """

    frame: pd.DataFrame
    incomplete: pd.DataFrame


def aspect_totals(judged, aspects):
    """Sum the grades of a query's aspects for each document, as DORIS-MAE does [Wang2023, 4].

    Args:
        judged: frame of `qid` (an aspect's id), `docno`, `label`, as the frame of `judge`.
        aspects: dict from a query's qid to the ids of its aspects and sub-aspects.

    Returns:
        `Totals`, over every document that is judged for one aspect of the query at least. One with
        an aspect that is not judged has no sum, which would be too low.

    Raises:
        ValueError: a pair twice, a label that is no whole number (NaN), an aspect for which
            nothing is judged, a query without aspects.
    """
    judged = frames.check(judged, "aspect_totals", ["qid", "docno", "label"])
    broken = pd.to_numeric(judged["label"], errors="coerce") % 1 != 0  # true of NaN
    remedy = "fill it in, or leave these rows out"
    frames.refuse(judged, "label", "docno", broken.tolist(), "whole numbers", remedy)
    grades = {}
    for aspect, docno, label in zip(judged["qid"], judged["docno"], judged["label"]):
        grades.setdefault(aspect, {})[docno] = label
    rows, incomplete = [], []
    for qid, ids in aspects.items():
        ids = list(dict.fromkeys(ids))
        unknown = [aspect for aspect in ids if aspect not in grades]
        if unknown or not ids:
            raise ValueError(
                f"Query {qid!r} has the aspects {ids}, of which nothing is judged for "
                f"{frames.some(unknown) or 'any'}: judge them first, or leave the query out."
            )
        for docno in dict.fromkeys(docno for aspect in ids for docno in grades[aspect]):
            missing = tuple(aspect for aspect in ids if docno not in grades[aspect])
            if missing:
                incomplete.append((qid, docno, missing))
            else:
                total = sum(grades[aspect][docno] for aspect in ids)
                rows.append((qid, docno, int(total), str(len(ids))))
    return Totals(
        pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"]),
        pd.DataFrame(incomplete, columns=["qid", "docno", "missing"]),
    )
