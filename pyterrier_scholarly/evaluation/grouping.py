"""Queries in groups, by a field of theirs."""

from ..datasets import irds


def queries_by(dataset, by):
    """Group a dataset's queries by a field.

    Args:
        dataset: an id or a dataset object.
        by: name of a field of its queries (CSFCube's ``"paper_type"`` and ``"paper_year"``,
            DORIS-MAE's ``"query_type"``), or a function from a query to its group.

    Returns:
        Dict from each value (0 or "" where the release has none), in order, to query ids.

    Raises:
        ValueError: the queries have no such field; names those that they have.
    """
    groups = {}
    for query in irds(dataset).queries_iter():
        if not callable(by) and by not in query._fields:
            fields = ", ".join(query._fields)
            raise ValueError(f"queries of {dataset} have no field {by!r}: they have {fields}")
        value = by(query) if callable(by) else getattr(query, by)
        groups.setdefault(value, []).append(query.query_id)
    return dict(sorted(groups.items()))
