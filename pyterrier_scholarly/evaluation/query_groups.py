"""Group a collection's queries by what is known of them.

::

    queries_by("litsearch", "specificity")                   # {"broad": [id, …], "specific": …}
    queries_by("csfcube/all", lambda query: query.paper_id)  # a group for each paper
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeAlias

import ir_datasets

from ir_datasets_ext.choices import choose_option

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..protocols import protocol_of

#: a field's name, or a function from a query, whose fields differ by collection, to its group
By: TypeAlias = str | Callable[[Any], object]


@check_arguments
def queries_by(dataset: DatasetLike, by: By) -> dict[object, list[str]]:
    """Group a dataset's queries.

    Args:
        dataset: an id or a dataset object.
        by: name of a field of its queries (CSFCube's ``"paper_type"`` and ``"paper_year"``,
            LitSearch's ``"specificity"`` and ``"quality"``, DORIS-MAE's ``"query_type"``); a group
            that the paper has beside fields (LitSearch's ``"source"``, "inline" or "author"); or a
            function from a query to its group.

    Returns:
        Dict from each value (0 or "" if the release has none), in order, to query ids.

    Raises:
        ValueError: an unknown field; names the nearest, and all.
    """
    source = irds(dataset)
    group_of = by if callable(by) else _choose_group(by, source)

    groups: dict = {}
    for query in source.queries_iter():
        groups.setdefault(group_of(query), []).append(query.query_id)
    return dict(sorted(groups.items()))


def _choose_group(name: str, dataset: ir_datasets.Dataset) -> Callable[[Any], object]:
    """Return the function from a query to its group: its field `name`, or the protocol's."""
    group_functions: dict[str, Callable[[Any], object]] = {}
    for field in dataset.queries_cls()._fields:
        group_functions[field] = attrgetter(field)

    protocol = protocol_of(dataset.dataset_id())
    if protocol is not None:
        for group, function in protocol.query_groups.items():
            group_functions.setdefault(group, function)  # a field of this name comes first

    owner = f"the queries of {dataset.dataset_id()}"
    return choose_option("field", name, group_functions, of=owner)
