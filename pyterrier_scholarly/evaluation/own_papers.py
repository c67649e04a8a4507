"""Find the paper that a query comes from among the query's own results.

::

    own = find_own_papers(results, judgements, {"1198964_method": "1198964"})
    describe_own_papers(own)  # "the query's own paper is among the results of 17 queries, …"

Such a paper is most similar to itself, so it comes first. Nobody judged it, so measures that count
unjudged papers fall.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames

PAIR = ["qid", "docno"]


class OwnPapers(NamedTuple):
    """The queries whose own paper, unjudged, is among their results.

    qids: of these queries.
    first_count: how many of these have it first.
    """

    qids: tuple[str, ...]
    first_count: int


def find_own_papers(
    results: pd.DataFrame, judgements: pd.DataFrame, query_papers: Mapping[str, str]
) -> OwnPapers:
    """Find the queries whose own paper is among their results, and not judged.

    Args:
        results: frame of `qid`, `docno` and perhaps `score`; without scores, the best come first.
        judgements: frame of `qid` and `docno`.
        query_papers: from a query's id to the paper that it comes from.
    """
    is_own_paper = results["docno"] == results["qid"].map(query_papers)
    is_unjudged = ~mark_pairs(results, judgements)
    first_documents = results["qid"].map(_find_first_documents(results))
    is_first = results["docno"] == first_documents

    is_counted = is_own_paper & is_unjudged
    return OwnPapers(
        qids=tuple(results["qid"][is_counted].unique()),
        first_count=int((is_counted & is_first).sum()),
    )


def describe_own_papers(own: OwnPapers) -> str:
    """Say how many queries have their own paper among their results, and what to do."""
    return (
        f"the query's own paper is among the results of {len(own.qids)} queries, first for "
        f"{own.first_count}. It is not judged, so measures that count unjudged papers fall (P@20): "
        "leave it out of the results."
    )


def mark_pairs(results: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Mark the rows of results whose query and document are among `pairs`."""
    known_pairs = pd.MultiIndex.from_frame(pairs[PAIR])
    return pd.Series(pd.MultiIndex.from_frame(results[PAIR]).isin(known_pairs), results.index)


def _find_first_documents(results: pd.DataFrame) -> dict[str, str]:
    """Return each query's best document; without scores, that of its first row."""
    best_first = frames.best_first(results) if "score" in results.columns else results
    firsts = best_first.drop_duplicates("qid")
    return dict(zip(firsts["qid"], firsts["docno"]))
