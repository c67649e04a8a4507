"""CSFCube's description: citations as judgements, pools and grades."""

from collections import Counter
from itertools import combinations

import pandas as pd

from ..datasets import collection, irds
from .grouping import queries_by

GRADES = (0, 1, 2, 3)


def tables(dataset):
    """Return tables of facets (`cited`, `pools`, `facets`), and `paper_type` and `paper_year`.

    cited: `facet`, `cited` (pairs of a query and a candidate that it cites), how many of them have
        each grade ("0" to "3"), and the share of the grades 0 and 1 ("0 or 1", in 0..1).
    pools: `facet`, `queries`, `candidates` (judged pairs), `smallest`, `mean` and `largest` pool,
        and how many pairs have each grade.
    paper_type, paper_year: the same for each type and year of query papers.
    facets: how candidates of one query paper were rated for two facets: `facet` and `grade` of the
        first, `other` (the second facet), and how many have each grade there ("0" to "3").
    """
    cited = {
        (entry.paper_id, entry.doc_id)
        for entry in irds(collection(dataset)).pool_sources_iter()
        if "cited" in entry.sources
    }
    if "/" not in dataset.dataset_id():  # the bare collection, whose facets have the queries
        dataset = irds(f"{dataset.dataset_id()}/all")
    rated = {}
    for rating in dataset.ratings_iter():
        rated.setdefault(rating.query_id, []).append((rating.doc_id, rating.relevance))
    by_facet = {}
    for query in dataset.queries_iter():
        pairs = [(query.paper_id, *pair) for pair in rated[query.query_id]]
        by_facet.setdefault(query.facet, []).extend(pairs)
    return {
        "cited": pd.DataFrame([_cited(*facet, cited) for facet in by_facet.items()]),
        "pools": _pools(dataset, "facet", rated),
        "paper_type": _pools(dataset, "paper_type", rated),
        "paper_year": _pools(dataset, "paper_year", rated),
        "facets": pd.DataFrame(
            [row for pair in combinations(by_facet, 2) for row in _both(*pair, by_facet)],
            columns=["facet", "other", "grade", *map(str, GRADES)],
        ),
    }


def _cited(facet, pairs, cited):
    counts = Counter(grade for paper, doc_id, grade in pairs if (paper, doc_id) in cited)
    share = (counts[0] + counts[1]) / counts.total() if counts else float("nan")
    return {"facet": facet, "cited": counts.total(), **_by_grade(counts), "0 or 1": share}


def _pools(dataset, by, rated):
    """A row per group of queries: their pools' sizes and grades."""
    return pd.DataFrame(
        [
            {by: value, **_pool([rated[qid] for qid in qids])}
            for value, qids in queries_by(dataset, by).items()
        ]
    )


def _pool(pools):
    sizes = [len(pool) for pool in pools]
    return {
        "queries": len(sizes),
        "candidates": sum(sizes),
        "smallest": min(sizes),
        "mean": sum(sizes) / len(sizes),
        "largest": max(sizes),
        **_by_grade(Counter(grade for pool in pools for _, grade in pool)),
    }


def _both(facet, other, by_facet):
    """Yield a row per grade of `facet`: the grades of the same pairs of papers for `other`."""
    graded = {(paper, doc_id): grade for paper, doc_id, grade in by_facet[other]}
    counts = Counter(
        (grade, graded[paper, doc_id])
        for paper, doc_id, grade in by_facet[facet]
        if (paper, doc_id) in graded
    )
    for grade in GRADES:
        of_it = Counter({there: counts[grade, there] for there in GRADES})
        yield {"facet": facet, "other": other, "grade": grade, **_by_grade(of_it)}


def _by_grade(counts):
    return {str(grade): counts[grade] for grade in GRADES}
