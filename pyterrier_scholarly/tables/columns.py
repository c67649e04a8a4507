"""The columns of a paper's table, and the queries of each."""

from itertools import product
from typing import NamedTuple

import ir_datasets

from ..datasets import irds
from ..evaluation import folds
from ..protocols import PROTOCOLS


class Column(NamedTuple):
    """A measure over some queries.

    subset, measure, label: as `published` has them (an id below the collection, our repr, as
        printed).
    parts: sets of query ids; the figure is the mean of the means over them. Two test folds, or all
        queries in one.
    of: how many queries the papers' figures are over.
    """

    subset: str
    measure: str
    label: str
    parts: tuple[frozenset, ...]
    of: int

    @property
    def queries(self) -> frozenset:
        """All query ids."""
        return frozenset().union(*self.parts)


def columns_of(run, collection, printed):
    """The columns of a table in the papers' order; of facets, each label of theirs for each.

    Args:
        run: id of the dataset whose queries are run.
        collection: its first part.
        printed: rows of `published`, of one table.
    """
    found = printed.drop_duplicates(["subset", "measure"])
    protocol = PROTOCOLS[collection]
    if protocol.facets:  # one's own rows have every column, whatever is printed in it
        facets = [facet for facet in protocol.facets if facet in set(found["subset"])]
        of = [(m, label) for label, m in protocol.measures.items()]
        columns = [(facet, *pair) for facet, pair in product(facets, of)]
    else:
        columns = list(zip(found["subset"], found["measure"], found["label"]))
    parts = {subset: _parts(run, collection, subset) for subset, _, _ in columns}
    return tuple(Column(*column, *parts[column[0]]) for column in columns)


def _parts(run, collection, subset):
    """A subset's queries among those that are run, in parts; and how many it has."""
    inside = subset.partition("(")[2].rstrip(")") or subset
    asked, here = _queries(f"{collection}/{inside}".rstrip("/")), _queries(run)
    if not PROTOCOLS[collection].facets:  # an id may be of another text in another dataset
        return (frozenset(qid for qid, _ in here & asked),), len(asked)
    qids = frozenset(qid for qid, _ in here)
    if run.split("/")[1] == "all" != subset:  # ids of `all` end in the facet
        qids = frozenset(qid for qid in qids if qid.rpartition("_")[2] == subset)
    if f"{run}/fold1/test" not in ir_datasets.registry:
        return (qids,), len(asked)
    return tuple(qids & frozenset(topics["qid"]) for topics in folds(run)), len(asked)


def _queries(name):
    return {(query.query_id, query.default_text()) for query in irds(name).queries_iter()}
