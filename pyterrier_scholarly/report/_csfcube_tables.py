"""CSFCube's description: citations as judgements, pools and grades."""

from collections import Counter
from itertools import combinations

import pandas as pd

from ..datasets import collection, irds

GRADES = (0, 1, 2, 3)


def tables(dataset):
    """Return `cited` and `pools`, with a row for each facet, and `facets`, with pairs of facets.

    cited: `facet`, `cited` (pairs of a query and a candidate that it cites), how many of them have
        each grade ("0" to "3"), and the share of the grades 0 and 1 ("0 or 1", in 0..1).
    pools: `facet`, `queries`, `candidates` (judged pairs), `smallest`, `mean` and `largest` pool,
        and how many pairs have each grade.
    facets: how candidates of one query paper were rated for two facets: `facet` and `grade` of the
        first, `other` (the second facet), and how many have each grade there ("0" to "3").
    """
    cited = {
        (entry.paper_id, entry.doc_id)
        for entry in irds(collection(dataset)).pool_sources_iter()
        if "cited" in entry.sources
    }
    by_facet = {}
    for facet, paper, rating in _ratings(dataset):
        by_facet.setdefault(facet, []).append((paper, rating.doc_id, rating.relevance))
    return {
        "cited": pd.DataFrame([_cited(*facet, cited) for facet in by_facet.items()]),
        "pools": pd.DataFrame([_pools(*facet) for facet in by_facet.items()]),
        "facets": pd.DataFrame(
            [row for pair in combinations(by_facet, 2) for row in _both(*pair, by_facet)],
            columns=["facet", "other", "grade", *map(str, GRADES)],
        ),
    }


def _ratings(dataset):
    """Yield (facet, query paper, rating) of the release's rows."""
    from ir_datasets_ext import _facets as facets

    name, _, below = dataset.dataset_id().partition("/")
    if not below:
        dataset, below = irds(f"{name}/all"), "all"
    only = below.split("/")[0]
    for rating in dataset.ratings_iter():
        paper, facet = (rating.query_id, only)
        if only == "all":
            paper, facet = facets.split(rating.query_id)
        yield facet, paper, rating


def _cited(facet, pairs, cited):
    counts = Counter(grade for paper, doc_id, grade in pairs if (paper, doc_id) in cited)
    share = (counts[0] + counts[1]) / counts.total() if counts else float("nan")
    return {"facet": facet, "cited": counts.total(), **_by_grade(counts), "0 or 1": share}


def _pools(facet, pairs):
    sizes = Counter(paper for paper, _, _ in pairs).values()
    return {
        "facet": facet,
        "queries": len(sizes),
        "candidates": len(pairs),
        "smallest": min(sizes),
        "mean": len(pairs) / len(sizes),
        "largest": max(sizes),
        **_by_grade(Counter(grade for _, _, grade in pairs)),
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
