"""Explain why a table that somebody asks for is not over the queries of a dataset.

describe_missing_table("doris-mae/dev", "14", ["11"])  # "… Pass 'doris-mae/test' as dataset."
"""

from collections.abc import Sequence

import ir_datasets

from ir_datasets_ext.choices import describe_unknown

from ..evaluation import published
from ..frames import some
from ..protocols import Protocol, protocol_of
from .column_queries import read_queries, select_rows_over_queries

UNNUMBERED = "one without a number"


def describe_missing_table(name: str, number: str, numbers: Sequence[str]) -> str:
    """Return an error's message: why a table is not over a dataset's queries, and what to do.

    Args:
        name: the dataset's id.
        number: of the table that was asked for.
        numbers: of the tables over the dataset's queries; "" for one without a number.
    """
    written_numbers = [possible_number or UNNUMBERED for possible_number in numbers]
    other_tables = f"Tables over queries of {name}: {', '.join(written_numbers)}."
    unknown_table = describe_unknown("table", number, written_numbers, of=name, suggestions=0)

    protocol = protocol_of(name)
    if protocol is None:  # no paper is known for the dataset
        return unknown_table

    table_without_systems = _describe_table_without_systems(protocol, number)
    if table_without_systems:
        return f"{table_without_systems} {other_tables}"

    datasets = _find_datasets_of_table(protocol, number)
    if datasets is None:
        return unknown_table
    if len(datasets) == 0:
        title = _title_table(protocol, number)
        return f"{title} is over queries or candidates that were not published. {other_tables}"
    return _describe_right_dataset(name, protocol, number, datasets)


def _describe_table_without_systems(protocol: Protocol, number: str) -> str:
    """Say what a printed table holds that has no figures of systems here; "" for others."""
    title = _title_table(protocol, number)
    if number in [path.stem for path in protocol.printed_tables]:
        call = f"printed_tables({protocol.collection!r})[{number!r}]"
        return f"{title} has no figures of systems: {call} has it."
    if number in protocol.other_tables:
        return f"{title} cannot be made. {protocol.other_tables[number].text}"
    return ""


def _find_datasets_of_table(protocol: Protocol, number: str) -> list[str] | None:
    """Return the ids of the datasets over whose queries a printed table is.

    None if no such table is printed; an empty list if ir_datasets has none of the datasets.
    """
    if not protocol.printed:
        return None

    figures = published(protocol.collection)
    figures_of_table = figures[figures["table"] == number]
    if figures_of_table.empty:
        return None

    figures_over_queries = select_rows_over_queries(protocol, figures_of_table)
    dataset_ids = []
    for subset_name in figures_over_queries["subset"].unique():
        subset = protocol.find_subset(subset_name)
        # the subset of all queries is the collection itself: its id below that is ""
        dataset_id = f"{protocol.collection}/{subset.dataset}".rstrip("/")
        dataset_ids.append(dataset_id)

    distinct_ids = dict.fromkeys(dataset_ids)
    return [dataset_id for dataset_id in distinct_ids if dataset_id in ir_datasets.registry]


def _describe_right_dataset(
    name: str, protocol: Protocol, number: str, datasets: Sequence[str]
) -> str:
    """Say which datasets a table is over, and which one to pass instead of `name`."""
    title = _title_table(protocol, number)
    datasets_with_queries = [dataset for dataset in datasets if not _explain_no_queries(dataset)]
    if not datasets_with_queries:
        reason = _explain_no_queries(datasets[0])
        return (
            f"{title} is over {some(datasets)}, without queries in the files that are present. "
            f"{reason}"
        )

    has_one_dataset = len(datasets_with_queries) == 1
    right_dataset = datasets_with_queries[0] if has_one_dataset else protocol.collection
    return f"{title} is over {some(datasets)}, not over {name}. Pass {right_dataset!r} as dataset."


def _title_table(protocol: Protocol, number: str) -> str:
    return f"Table {number} of {protocol.title}"


def _explain_no_queries(name: str) -> str:
    """Say what a dataset's queries lack in the files that are present; "" if there are queries."""
    try:
        queries = read_queries(name)
    except ValueError as error:  # a part that cannot be made from these files
        return str(error)
    return "" if queries else "Add the release's files."
