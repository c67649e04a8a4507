"""What runs are checked against: a dataset's queries, judgements, pools and documents.

::

    reference = Reference.of("csfcube/all")
    reference.query_ids   # of all queries
    reference.sizes       # how many documents are present, of how many in the release
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import ir_datasets
import ir_measures
import pandas as pd

from ..datasets import DatasetLike, irds
from .official_measures import default_measures

PAIR = ["qid", "docno"]


class Sizes(NamedTuple):
    """How many documents of a collection are present, and how many its release has."""

    present: int
    released: int

    @property
    def is_part(self) -> bool:
        """Whether documents of the release are missing."""
        return self.present < self.released

    def __str__(self) -> str:
        return f"{self.present:,} of {self.released:,} documents"


@dataclass(frozen=True)
class Reference:
    """The queries, judgements, pools and documents that runs are checked against.

    name: as messages have it.
    query_ids: of all queries.
    judgements: frame with `qid`, `docno` and `label`.
    pools: frame with `qid` and `docno`; None if queries have no candidates.
    query_papers: dict from a query's id to the paper that it comes from.
    dataset: has the documents; None if these are the judged ones and those of the pools.
    measure: whose figure says what ties do; None if nobody asks.
    """

    name: str
    query_ids: frozenset[str]
    judgements: pd.DataFrame
    pools: pd.DataFrame | None
    query_papers: Mapping[str, str]
    dataset: ir_datasets.Dataset | None
    measure: ir_measures.Measure | None = None

    @classmethod
    def of(cls, dataset: DatasetLike, judgements: pd.DataFrame | None = None) -> "Reference":
        """Return what runs are checked against, read from a dataset.

        Args:
            dataset: an id or dataset object.
            judgements: frame of `qid`, `docno` and `label`; None for the dataset's own.

        Raises:
            ValueError: there are no judgements.
        """
        source = irds(dataset)
        if judgements is None and source.has_qrels():
            rows = [(row.query_id, row.doc_id, row.relevance) for row in source.qrels_iter()]
            judgements = pd.DataFrame(rows, columns=[*PAIR, "label"])
        if judgements is None or judgements.empty:
            raise ValueError(
                f"Nothing to check against: {source.dataset_id()} has no judgements. Choose a "
                "dataset that has some."
            )

        query_ids = set()
        query_papers = {}
        if source.has_queries():
            for query in source.queries_iter():
                query_ids.add(query.query_id)
                if hasattr(query, "paper_id"):
                    query_papers[query.query_id] = query.paper_id
        if not query_ids:  # other people's datasets may have judgements alone
            query_ids = set(judgements["qid"])

        pools = None
        if source.has_scoreddocs():
            pairs = [(row.query_id, row.doc_id) for row in source.scoreddocs_iter()]
            pools = pd.DataFrame(pairs, columns=PAIR)

        return cls(
            name=source.dataset_id(),
            query_ids=frozenset(query_ids),
            judgements=judgements[[*PAIR, "label"]],
            pools=pools,
            query_papers=query_papers,
            dataset=source if source.has_docs() else None,
            measure=_choose_measure(source),
        )

    @cached_property
    def sizes(self) -> Sizes | None:
        """How many documents the collection has; None if that is unknown."""
        return None if self.dataset is None else count_documents(self.dataset)

    @cached_property
    def listed_documents(self) -> frozenset[str]:
        """The ids of the documents that are judged, or in a pool."""
        listed = set(self.judgements["docno"])
        if self.pools is not None:
            listed.update(self.pools["docno"])
        return frozenset(listed)


def count_documents(dataset: ir_datasets.Dataset) -> Sizes | None:
    """Count the documents that are present, and those of the release; None if unknown."""
    released = dataset.metadata().get("docs", {}).get("count")
    present = dataset.docs_count()

    # other people's datasets count only what they have indexed, and are downloaded as a whole
    if present is None:
        present = released
    if present is None:
        return None
    return Sizes(present, max(present, released or 0))


def _choose_measure(dataset: ir_datasets.Dataset) -> ir_measures.Measure:
    """Return the first nDCG of a dataset's measures, else the first measure."""
    measures = default_measures(dataset)
    ndcgs = [measure for measure in measures if "ndcg" in str(measure).lower()]
    return [*ndcgs, *measures][0]
