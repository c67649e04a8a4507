"""Aspects of queries as in DORIS-MAE: pools found by them, and judgements summed over them."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames
from ..arguments import Natural, check_arguments
from .drawn_pools import COLUMNS, Rankings, Runs, rankings


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
    `keep` restricts the pool to the query's arXiv category. A pool of fewer than 80 grows as in the
    released code (create_candidate_pool.py; the paper does not say how): in turn, one more by all
    aspects together and one more by the query; at every step whose number is a multiple of the
    number of aspects, also one more for each aspect. Its authors then add papers related by
    citation and 20 documents by ada-002; `make_pools` does both::

        core = aspect_pool(by_query, by_aspect, aspects, keep)
        related = pd.concat([core, citations.assign(sources=…)]).drop_duplicates(["qid", "docno"])
        make_pools({"ada-002": run}, 20, first=related)

    Args:
        by_query: dict from a system's name to its results for queries (`qid`, `docno`, `score`).
        by_aspect: the same, with ids of aspects as `qid`. (The released code asks by aspects,
            without their sub-aspects.)
        aspects: dict from a query's qid to the ids of its aspects.
        keep: function of qid and docno: whether the query's pool may have the document.
        query_k, aspects_k, aspect_k: number of documents by the query, by all aspects together and
            for each aspect, per system.
        least: size that a pool grows to, as far as the runs reach.

    Returns:
        Frame of `qid`, `docno`, `sources` as from `make_pools`; a source is a system's name.

    Raises:
        ValueError: no runs, an invalid run, a query without documents.
    """
    by_query_ranked = {name: rankings(name, run) for name, run in by_query.items()}
    by_aspect_ranked = {name: rankings(name, run) for name, run in by_aspect.items()}

    rows = []
    for qid, aspect_ids in aspects.items():
        aspect_ids = list(aspect_ids)
        lists = _ranked_lists(qid, aspect_ids, by_query_ranked, by_aspect_ranked, keep)
        depths = Depths(query_k, aspects_k, aspect_k)
        sources = _grown_pool(lists, depths, len(aspect_ids), least)
        if not sources:
            raise ValueError(
                f"the pool of query {qid} is empty: no run has an allowed document for it or its "
                f"aspects ({', '.join(aspect_ids)}). Check the ids and `keep`."
            )
        for docno, names in sources.items():
            rows.append((qid, docno, tuple(dict.fromkeys(names))))
    return pd.DataFrame(rows, columns=COLUMNS)


class Depths(NamedTuple):
    """How many documents a system adds: by the query, by all aspects together, for each aspect."""

    by_query: int
    by_aspects: int
    by_aspect: int

    def grown(self, step: int, aspect_count: int) -> "Depths":
        """Return the depths after one more step (steps count from 1)."""
        is_for_each_aspect = aspect_count > 0 and step % aspect_count == 0
        return Depths(
            by_query=self.by_query + (1 if step % 2 == 0 else 0),
            by_aspects=self.by_aspects + (1 if step % 2 == 1 else 0),
            by_aspect=self.by_aspect + (1 if is_for_each_aspect else 0),
        )


class RankedList(NamedTuple):
    """Documents that a system ranks, best first; `kind` is the field of `Depths` that counts."""

    system: str
    kind: str
    docnos: list[str]


def _ranked_lists(
    qid: str,
    aspect_ids: list[str],
    by_query: Mapping[str, Rankings],
    by_aspect: Mapping[str, Rankings],
    keep: Callable[[str, str], bool] | None,
) -> list[RankedList]:
    """Return what all systems rank for a query and its aspects, without documents not kept."""
    lists = []
    for system, ranked in by_query.items():
        lists.append(RankedList(system, "by_query", ranked.get(qid, [])))
    for system, ranked in by_aspect.items():
        lists.append(RankedList(system, "by_aspects", _together(ranked, aspect_ids)))
    for system, ranked in by_aspect.items():
        for aspect_id in aspect_ids:
            lists.append(RankedList(system, "by_aspect", ranked.get(aspect_id, [])))

    if keep is None:
        return lists
    return [
        one._replace(docnos=[docno for docno in one.docnos if keep(qid, docno)]) for one in lists
    ]


def _grown_pool(
    lists: list[RankedList], depths: Depths, aspect_count: int, least: int
) -> dict[str, list[str]]:
    """Pool the first documents of each list, and grow the pool to `least` as far as lists reach.

    Returns:
        Dict from a document to the systems that have it, in the order of the lists.
    """
    # steps that reach the end of each list: every second one deepens a list by the query or by all
    # aspects, every aspect_count-th one those of single aspects
    longest = max((len(one.docnos) for one in lists), default=0)
    last_step = longest * max(2, aspect_count)

    step = 0
    sources = _pool_of(lists, depths)
    while len(sources) < least and step < last_step:
        step += 1
        depths = depths.grown(step, aspect_count)
        sources = _pool_of(lists, depths)
    return sources


def _pool_of(lists: list[RankedList], depths: Depths) -> dict[str, list[str]]:
    """Return the first documents of each list, with the systems that have them."""
    sources: dict[str, list[str]] = {}
    for one in lists:
        depth = getattr(depths, one.kind)
        for docno in one.docnos[:depth]:
            sources.setdefault(docno, []).append(one.system)
    return sources


def _together(ranked: Rankings, aspects: Iterable[str]) -> list[str]:
    """Rank documents by the number of aspects they are found for, then by reciprocal ranks."""
    shares: dict[str, list[float]] = {}
    for aspect in aspects:
        for rank, doc in enumerate(ranked.get(aspect, []), 1):
            shares.setdefault(doc, []).append(1 / rank)
    return sorted(shares, key=lambda doc: (-len(shares[doc]), -sum(shares[doc]), doc))


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
    frames.refuse_rows(
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
