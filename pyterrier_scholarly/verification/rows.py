"""The rows of the printed tables, their figures, and how the command line names them.

::

    rows = list_rows("doris-mae")
    choose_rows(rows, ["11:BM25", "13"])  # one row, and a table
    read_figures(rows[0])                 # its printed figures, if it is a system's
"""

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from ..arguments import check_arguments
from ..choices import check_option
from ..evaluation import printed_tables, published
from ..protocols import PROTOCOLS

WHOLE_TABLE = "the whole table"


class PrintedRow(NamedTuple):
    """A row of a printed table.

    table: its number in the paper; "" where figures come from several papers.
    name: as printed; `WHOLE_TABLE` for a table without figures that a row could be checked by.
    """

    collection: str
    table: str
    name: str

    @property
    def id(self) -> str:
        """The row's name on the command line."""
        return f"{self.table}:{self.name}" if self.table else self.name

    @property
    def shell_command(self) -> str:
        """The one command that verifies the row."""
        return f"pyterrier-scholarly verify papers {self.collection} --rows {shlex.quote(self.id)}"


def list_collections() -> list[str]:
    """Return the ids of the collections for which papers print figures."""
    return [name for name, protocol in PROTOCOLS.items() if protocol.printed]


@check_arguments
def list_rows(collection: str) -> list[PrintedRow]:
    """Return every row of every printed table of a collection, in the order of the tables.

    Raises:
        ValueError: no paper prints figures for it.
    """
    check_option("collection", collection, list_collections())

    rows = []

    # the tables of systems: a row for each system in each table
    systems = published(collection)[["table", "name"]].drop_duplicates()
    for system in systems.itertuples(index=False):
        rows.append(PrintedRow(collection, system.table, system.name))

    # tables that describe the collection: each row, or one for a whole table that is only quoted
    protocol = PROTOCOLS[collection]
    if protocol.printed_tables:
        for number, table in printed_tables(collection).items():
            is_quoted = number in protocol.quoted
            labels = [WHOLE_TABLE] if is_quoted else _list_labels(table)
            for label in labels:
                rows.append(PrintedRow(collection, number, label))

    # printed tables of which we have no file
    for number in protocol.other_tables:
        rows.append(PrintedRow(collection, number, WHOLE_TABLE))
    return rows


def choose_rows(rows: Sequence[PrintedRow], names: Iterable[str] | None) -> list[PrintedRow]:
    """Return the rows that names stand for, in the order of `rows`.

    Args:
        rows: to choose from.
        names: ids of rows, or numbers of tables; None for all rows.

    Raises:
        ValueError: no row and no table has that name.
    """
    if names is None:
        return list(rows)

    row_ids = [row.id for row in rows]
    table_numbers = [row.table for row in rows if row.table]
    known_names = list(dict.fromkeys(row_ids + table_numbers))  # each once
    chosen_names = list(names)
    for name in chosen_names:
        check_option("row", name, known_names)

    return [
        row for row in rows if row.id in chosen_names or (row.table and row.table in chosen_names)
    ]


def read_figures(row: PrintedRow) -> pd.DataFrame:
    """Return a system's printed figures, as `published` has them; zero rows for other tables."""
    figures = published(row.collection)
    is_of_row = (figures["table"] == row.table) & (figures["name"] == row.name)
    return figures[is_of_row]


def read_record(row: PrintedRow) -> dict[str, object]:
    """Return a row of a table that describes a collection: heading -> cell, as printed."""
    table = printed_tables(row.collection)[row.table]
    for record in table.to_dict("records"):
        if _join_label(record) == row.name:
            return record
    raise ValueError(f"{row.id!r} is no row of {row.collection}'s printed tables.")


def _list_labels(table: pd.DataFrame) -> list[str]:
    """Return the labels of a table's rows; WHOLE_TABLE alone if they do not tell rows apart."""
    labels = [_join_label(record) for record in table.to_dict("records")]
    are_distinct = len(set(labels)) == len(labels)
    if not all(labels) or not are_distinct:
        return [WHOLE_TABLE]
    return labels


def _join_label(record: dict[str, object]) -> str:
    """Return the label of a row of `printed_tables`: the texts before its first figure.

    A row of texts alone has its first one as label.
    """
    values = list(record.values())
    label_parts: list[str] = []
    for value in values:
        if not isinstance(value, str):
            return " ".join(label_parts)
        label_parts.append(value)
    return label_parts[0]
