"""The first results of systems, with what a reader needs to find their errors [Mysore2021, 6].

rows = error_rows({"specter": run}, "csfcube/method", k=10, missed=3)
write_errors(rows, "errors.csv")
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from .. import datasets, frames
from ..arguments import Count, Natural, check_arguments
from ..datasets import DatasetLike
from ..step import best_first
from .drawn_pools import Runs


@check_arguments
def error_rows(
    runs: Runs, dataset: DatasetLike, k: Count = 10, missed: Natural = 0, relevant: int = 2
) -> pd.DataFrame:
    """Collect the first results of each system and query for a reader [Mysore2021, 6].

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`).
        dataset: the id or dataset with their queries, documents and judgements.
        k: number of results of each query.
        missed: number of false negatives that are listed, too: documents of grade `relevant` or
            more that the system ranks lower, best grade first.
        relevant: the lowest grade of a relevant document.

    Returns:
        Frame `name` (the system), `qid`, `docno`, `rank` (from 0), `label` (the grade as text, ""
        if not judged), `facet` ("" if none), `query`, `title`, `text`.

    Raises:
        pt.validate.InputValidationError: a run with a missing column.
        ValueError: a document or query missing from the dataset.
    """
    source = datasets.irds(dataset)
    query_by_id = {query.query_id: query for query in source.queries_iter()}
    grades = {(row.query_id, row.doc_id): row.relevance for row in source.qrels_iter()}

    results: list[Result] = []
    for name, run in runs.items():
        run = frames.check(run, f"run {name!r} of error_rows", ["qid", "docno", "score"])
        for qid, ranked in best_first(run).groupby("qid", sort=False):
            if qid not in query_by_id:
                raise ValueError(f"{name} ranks for query {qid!r}, which {dataset} does not have.")

            results_of_query = [
                Result(name, qid, docno, rank, grades.get((qid, docno)))
                for rank, docno in enumerate(ranked["docno"])
            ]
            first_results = results_of_query[:k]
            missed_results = _find_missed(results_of_query[k:], relevant)
            results += first_results
            results += missed_results[:missed]

    # a column has an item per result, so queries and documents are listed per result, too
    queries = [query_by_id[result.qid] for result in results]
    document_by_id = datasets.documents(source, [result.docno for result in results])
    documents = [document_by_id[result.docno] for result in results]
    labels = ["" if result.grade is None else str(result.grade) for result in results]
    return pd.DataFrame(
        {
            "name": [result.name for result in results],
            "qid": [result.qid for result in results],
            "docno": [result.docno for result in results],
            "rank": [result.rank for result in results],
            "label": labels,
            "facet": [getattr(query, "facet", "") for query in queries],
            "query": [query.default_text() for query in queries],
            "title": [getattr(document, "title", "") for document in documents],
            "text": [datasets.text(document) for document in documents],
        }
    )


class Result(NamedTuple):
    """A document that a system ranks for a query."""

    #: of the system
    name: str
    qid: str
    docno: str
    #: from 0
    rank: int
    #: None if not judged
    grade: int | None


def _find_missed(results: Sequence[Result], relevant: int) -> list[Result]:
    """Return the results of grade `relevant` or more, best grade first, then by rank.

    results: of one query, in the order of rank, without the first ones that are listed anyway.
    """
    relevant_results = [result for result in results if _read_grade(result) >= relevant]
    # sorting is stable, so results of one grade stay in the order of rank
    return sorted(relevant_results, key=_read_grade, reverse=True)


def _read_grade(result: Result) -> int:
    """Return a result's grade; 0 if it is not judged."""
    return 0 if result.grade is None else result.grade
