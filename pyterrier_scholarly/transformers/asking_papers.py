"""Find the papers that the queries of a dataset ask with, by the ids of the queries.

find_papers("csfcube", ["1198964_method"], None)  # [AskingPaper("1198964", "method")]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ir_datasets_ext.facets import FACETS, split
from ir_datasets_ext.typed_records import Record

from .. import datasets, frames
from ..datasets import DatasetLike


class AskingPaper(NamedTuple):
    """The paper of a dataset that a topic asks with, and with which of its sentences."""

    doc_id: str
    facet: str  #: as in `Request`
    positions: Sequence[int] | None = None  #: as in `Request`


def find_papers(dataset: DatasetLike, qids: Iterable[str], facet: str | None) -> list[AskingPaper]:
    """Find the papers and facets that queries of `dataset` ask with, by the queries' ids.

    If the dataset has no queries, an id is ``<paper>_<facet>``, or a paper if `facet` is passed.

    Raises:
        ValueError: an unknown id, or queries that are no facets of papers.
    """
    query_by_id = _read_queries(dataset)
    if query_by_id is None:
        return [_read_paper_and_facet(dataset, qid, facet) for qid in qids]
    return [_find_paper(dataset, qid, query_by_id) for qid in qids]


def _read_queries(dataset: DatasetLike) -> dict[str, Record] | None:
    """Return the queries of a dataset by id; None if it has none."""
    part = datasets.irds(dataset)
    if not part.has_queries():
        return None
    try:
        return {query.query_id: query for query in part.queries_iter()}
    except NotImplementedError:  # only the facets of this collection have queries
        return None


def _find_paper(dataset: DatasetLike, qid: str, query_by_id: Mapping[str, Record]) -> AskingPaper:
    """Return the paper and the facet that a dataset's query asks with.

    Raises:
        ValueError: the dataset has no such query, or its queries are no facets of papers.
    """
    if qid not in query_by_id:
        raise ValueError(
            f"{qid!r} is no query of {dataset} ({len(query_by_id)} queries, such as "
            f"{frames.some(query_by_id)}). For any paper add a column 'query_docno'; for a "
            "text of your own use FacetQuery without a dataset."
        )

    query = query_by_id[qid]
    if not hasattr(query, "paper_id"):
        raise ValueError(
            f"The queries of {dataset} are no facets of papers: for their text use "
            "FacetQuery without a dataset and a column 'query_text'."
        )
    return AskingPaper(query.paper_id, query.facet)


def _read_paper_and_facet(dataset: DatasetLike, qid: str, facet: str | None) -> AskingPaper:
    """Take an id ``<paper>_<facet>`` apart; another id is a paper's, if `facet` is passed."""
    try:
        paper_id, facet_of_id = split(qid)
    except ValueError as error:
        if facet is not None:
            return AskingPaper(qid, facet)
        raise ValueError(
            f"{dataset} has no queries, so a qid must be <paper>_<facet>, with one of "
            f"the facets {', '.join(FACETS)}; or pass one: FacetQuery(…, facet='method'). "
            f"Got {qid!r}."
        ) from error
    return AskingPaper(paper_id, facet_of_id)
