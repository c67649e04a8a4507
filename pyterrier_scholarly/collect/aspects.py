"""Aspects of queries as in DORIS-MAE: pools found by them, and judgements summed over them."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames
from ..arguments import Natural, check_arguments
from .pooling import COLUMNS, Rankings, Runs, rankings


@check_arguments
def aspect_pool(
    by_query: Runs,
    by_aspect: Runs,
    aspects: Mapping[str, Iterable[str]],
    keep: Callable[[str, str], bool] | None = None,
    query_k: Natural = 20,
    aspects_k: Natural = 25,
    aspect_k: Natural = 2,
    least: Natural = 80,
) -> pd.DataFrame:
    """Pool the first results for a query, for its aspects together, and for each aspect.

    DORIS-MAE's systems are TF-IDF and BM25. Each adds its first 20 for the query; the 25 found for
    most aspects (ties by the sum of reciprocal ranks, then by id); and the first 2 for each aspect.
    `keep` restricts the pool to the query's arXiv category. A pool of fewer than 80 grows, here by
    one more document of each kind in turn (the paper does not say how). Its authors then add papers
    related by citation and 20 documents by ada-002; `make_pools` does both::

        core = aspect_pool(by_query, by_aspect, aspects, keep)
        related = pd.concat([core, citations.assign(sources=…)]).drop_duplicates(["qid", "docno"])
        make_pools({"ada-002": run}, 20, first=related)

    Args:
        by_query: dict from a system's name to its results for queries (`qid`, `docno`, `score`).
        by_aspect: the same, with ids of aspects as `qid`; for DORIS-MAE aspects and sub-aspects.
        aspects: dict from a query's qid to the ids of its aspects.
        keep: function of qid and docno: whether the query's pool may have the document.
        query_k, aspects_k, aspect_k: number of documents of each kind per system.
        least: size that a pool grows to, as far as the runs reach.

    Returns:
        Frame of `qid`, `docno`, `sources` as from `make_pools`; a source is a system's name.

    Raises:
        ValueError: no runs, an invalid run, a query without documents.
    """
    whole = {name: rankings(name, run) for name, run in by_query.items()}
    parts = {name: rankings(name, run) for name, run in by_aspect.items()}
    rows = []
    for qid, ids in aspects.items():
        lists = [
            *((name, ranked.get(qid, []), query_k) for name, ranked in whole.items()),
            *((name, _together(ranked, ids), aspects_k) for name, ranked in parts.items()),
            *((name, ranked.get(i, []), aspect_k) for name, ranked in parts.items() for i in ids),
        ]
        lists = [
            (name, [d for d in docs if not keep or keep(qid, d)], k) for name, docs, k in lists
        ]
        taken = _grown(lists, least)
        if not taken:
            raise ValueError(
                f"the pool of query {qid} is empty: no run has an allowed document for it or its "
                f"aspects ({', '.join(ids)}). Check the ids and `keep`."
            )
        rows += [(qid, doc, tuple(dict.fromkeys(names))) for doc, names in taken.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _together(ranked: Rankings, aspects: Iterable[str]) -> list[str]:
    """Rank documents by the number of aspects they are found for, then by reciprocal ranks."""
    shares: dict[str, list[float]] = {}
    for aspect in aspects:
        for rank, doc in enumerate(ranked.get(aspect, []), 1):
            shares.setdefault(doc, []).append(1 / rank)
    return sorted(shares, key=lambda doc: (-len(shares[doc]), -sum(shares[doc]), doc))


def _grown(lists: list[tuple[str, list[str], int]], least: Natural) -> dict[str, list[str]]:
    """Take the first k of each list, and as many more of each as `least` documents need."""
    longest = max((len(docs) for _, docs, _ in lists), default=0)
    # with each more, there are as many documents or more: so the search may halve its range
    more = bisect_left(range(longest), least, key=lambda more: len(_taken(lists, more)))
    return _taken(lists, more)


def _taken(lists: list[tuple[str, list[str], int]], more: int) -> dict[str, list[str]]:
    """Take the first k + `more` of each list: the names of the lists by document."""
    taken: dict[str, list[str]] = {}
    for name, docs, k in lists:
        for doc in docs[: k + more]:
            taken.setdefault(doc, []).append(name)
    return taken


class Totals(NamedTuple):
    """Hold the sums of judgements over aspects.

    frame: `qid`, `docno`, `label` (the sum of the grades over the query's aspects), `iteration`
        (the number of aspects, as text): qrels for `write_collection` and our DORIS-MAE measures. A
        document is relevant if its `label` is that number or more.
    incomplete: `qid`, `docno`, `missing` (tuple of aspects without a judgement); these have no sum.
    """

    frame: pd.DataFrame
    incomplete: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def aspect_totals(judged: pd.DataFrame, aspects: Mapping[str, Iterable[str]]) -> Totals:
    """Sum the grades of a query's aspects for each document, as DORIS-MAE does [Wang2023, 4].

    Args:
        judged: frame of `qid` (an aspect's id), `docno`, `label`, as the frame of `judge`.
        aspects: dict from a query's qid to the ids of its aspects and sub-aspects.

    Returns:
        `Totals` of every document that is judged for at least one aspect of the query. A document
        with an aspect that is not judged has no sum: it would be too low.

    Raises:
        ValueError: a duplicate pair, a label that is no whole number (NaN), an aspect without
            judgements, a query without aspects.
    """
    judged = frames.check(judged, "aspect_totals", ["qid", "docno", "label"])
    broken = (pd.to_numeric(judged["label"], errors="coerce") % 1 != 0).tolist()  # true of NaN
    frames.refuse(
        judged, "label", "docno", broken, "whole numbers", "fill it in, or leave these rows out"
    )
    grades = {
        aspect: dict(zip(part["docno"], part["label"]))
        for aspect, part in judged.groupby("qid", sort=False)
    }
    rows, incomplete = [], []
    for qid, ids in aspects.items():
        ids = list(dict.fromkeys(ids))
        unjudged = [aspect for aspect in ids if aspect not in grades]
        if unjudged or not ids:
            raise ValueError(
                f"Query {qid!r} has the aspects {ids}, without judgements of "
                f"{frames.some(unjudged) or 'any'}: judge them first, or leave the query out."
            )
        for docno in dict.fromkeys(docno for aspect in ids for docno in grades[aspect]):
            missing = tuple(aspect for aspect in ids if docno not in grades[aspect])
            if missing:
                incomplete.append((qid, docno, missing))
            else:
                total = int(sum(grades[aspect][docno] for aspect in ids))
                rows.append((qid, docno, total, str(len(ids))))
    return Totals(
        pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"]),
        pd.DataFrame(incomplete, columns=["qid", "docno", "missing"]),
    )
