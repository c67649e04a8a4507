"""Pools by aspects of queries, as in DORIS-MAE [Wang2023].

    core = aspect_pool({"bm25": by_query}, {"bm25": by_aspect}, {"q1": ["q1-a", "q1-b"]})

`by_query` has results for the qid ``q1``, `by_aspect` for the qids ``q1-a`` and ``q1-b``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ..arguments import Natural, check_arguments
from .drawn_pools import POOL_COLUMNS, Rankings, Runs, rank_documents


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

    DORIS-MAE's systems are TF-IDF and BM25. Each adds

    - its first 20 for the query;
    - the 25 found for most aspects (ties by the sum of reciprocal ranks, then by id);
    - its first 2 for each aspect.

    `keep` restricts the pool to the query's arXiv category. A pool of fewer than 80 grows as in the
    released code (create_candidate_pool.py; the paper does not say how). Steps count from 1:

    - an odd step adds one more by all aspects together;
    - an even step adds one more by the query;
    - a step that is a multiple of the number of aspects also adds one more for each aspect.

    The authors then add papers related by citation and 20 documents by ada-002; `make_pools` does
    both::

        core = aspect_pool(by_query, by_aspect, aspects, keep)
        cited = citations.assign(sources=[("citation",)] * len(citations))
        related = pd.concat([core, cited]).drop_duplicates(["qid", "docno"])
        candidates = make_pools({"ada-002": run}, 20, first=related)

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
    ranked_by_query = {system: rank_documents(system, run) for system, run in by_query.items()}
    ranked_by_aspect = {system: rank_documents(system, run) for system, run in by_aspect.items()}
    first_depths = Depths(query=query_k, aspects_together=aspects_k, single_aspect=aspect_k)

    rows = []
    for qid, aspects_of_query in aspects.items():
        aspect_ids = list(aspects_of_query)
        lists = _list_rankings(qid, aspect_ids, ranked_by_query, ranked_by_aspect)
        if keep is not None:
            lists = [ranked_list.filtered(qid, keep) for ranked_list in lists]

        systems_of_document = _grow_pool(lists, first_depths, len(aspect_ids), least)
        if not systems_of_document:
            raise ValueError(
                f"the pool of query {qid} is empty: no run has an allowed document for it or its "
                f"aspects ({', '.join(aspect_ids)}). Check the ids and `keep`."
            )
        for docno, systems in systems_of_document.items():
            rows.append((qid, docno, tuple(dict.fromkeys(systems))))
    return pd.DataFrame(rows, columns=POOL_COLUMNS)


class Depths(NamedTuple):
    """How many documents a system adds from each kind of its lists; the fields are the kinds."""

    query: int  #: from its list for the query
    aspects_together: int  #: from its list for all aspects together
    single_aspect: int  #: from its list for each aspect

    def deepen(self, step: int, aspect_count: int) -> "Depths":
        """Return the depths after one more step of a pool that grows; `step` counts from 1.

        This is the schedule of DORIS-MAE's released code, which gives no reasons. With three
        aspects, step 1 adds a document by all aspects together, step 2 one by the query, step 3 one
        by all aspects together and one for each aspect, and so on.
        """
        is_even = step % 2 == 0
        is_for_each_aspect = aspect_count > 0 and step % aspect_count == 0
        return Depths(
            query=self.query + int(is_even),
            aspects_together=self.aspects_together + int(not is_even),
            single_aspect=self.single_aspect + int(is_for_each_aspect),
        )


class RankedList(NamedTuple):
    """Documents that a system ranks, best first; `kind` is the field of `Depths` with the depth."""

    system: str
    kind: str
    docnos: list[str]

    def filtered(self, qid: str, keep: Callable[[str, str], bool]) -> "RankedList":
        """Return the list without the documents that the query's pool may not have."""
        kept_ids = [docno for docno in self.docnos if keep(qid, docno)]
        return self._replace(docnos=kept_ids)


def _list_rankings(
    qid: str,
    aspect_ids: Sequence[str],
    ranked_by_query: Mapping[str, Rankings],
    ranked_by_aspect: Mapping[str, Rankings],
) -> list[RankedList]:
    """Return what all systems rank for a query and its aspects, in the order of pooling.

    First come all systems' lists for the query, then those for all aspects together, then those for
    each aspect.

    Args:
        qid: of the query.
        aspect_ids: of the query's aspects.
        ranked_by_query: system -> qid -> documents.
        ranked_by_aspect: system -> id of an aspect -> documents.
    """
    lists = []
    for system, rankings in ranked_by_query.items():
        lists.append(RankedList(system, "query", rankings.get(qid, [])))
    for system, rankings in ranked_by_aspect.items():
        docnos = _rank_together(rankings, aspect_ids)
        lists.append(RankedList(system, "aspects_together", docnos))
    for system, rankings in ranked_by_aspect.items():
        for aspect_id in aspect_ids:
            lists.append(RankedList(system, "single_aspect", rankings.get(aspect_id, [])))
    return lists


def _rank_together(rankings: Rankings, aspect_ids: Iterable[str]) -> list[str]:
    """Rank documents by the number of aspects they are found for, then by reciprocal ranks."""
    reciprocal_ranks: dict[str, list[float]] = {}
    for aspect_id in aspect_ids:
        for rank, docno in enumerate(rankings.get(aspect_id, []), 1):
            reciprocal_ranks.setdefault(docno, []).append(1 / rank)

    def sort_key(docno: str) -> tuple[int, float, str]:
        shares = reciprocal_ranks[docno]
        return -len(shares), -sum(shares), docno

    return sorted(reciprocal_ranks, key=sort_key)


def _grow_pool(
    lists: Sequence[RankedList], depths: Depths, aspect_count: int, least: int
) -> dict[str, list[str]]:
    """Return a query's pool: the first documents of each list, at least `least` if possible.

    Lists are read deeper, step by step, until the pool is large enough or all lists are at their
    end.

    Args:
        lists: what the systems rank for the query.
        depths: of the lists, before the first step.
        aspect_count: number of the query's aspects.
        least: number of documents that the pool should have.

    Returns:
        Dict from a document to the systems that rank it, in the order of the lists.
    """
    last_step = _count_steps_to_end(lists, aspect_count)
    systems_of_document = _pool_first(lists, depths)

    for step in range(1, last_step + 1):
        if len(systems_of_document) >= least:
            break
        depths = depths.deepen(step, aspect_count)
        systems_of_document = _pool_first(lists, depths)
    return systems_of_document


def _count_steps_to_end(lists: Sequence[RankedList], aspect_count: int) -> int:
    """Return a number of steps of `Depths.deepen` after which every list is at its end."""
    list_lengths = [len(ranked_list.docnos) for ranked_list in lists]
    longest = max(list_lengths, default=0)

    # `deepen` reads one document more of a list for the query, or for all aspects together, at
    # every second step; of a list for a single aspect at every aspect_count-th step
    steps_between_query_documents = 2
    steps_between_aspect_documents = aspect_count
    return longest * max(steps_between_query_documents, steps_between_aspect_documents)


def _pool_first(lists: Sequence[RankedList], depths: Depths) -> dict[str, list[str]]:
    """Return the first documents of each list, with the systems that have them."""
    systems_of_document: dict[str, list[str]] = {}
    for ranked_list in lists:
        depth = getattr(depths, ranked_list.kind)  # a list's kind is the field with its depth
        for docno in ranked_list.docnos[:depth]:
            systems_of_document.setdefault(docno, []).append(ranked_list.system)
    return systems_of_document
