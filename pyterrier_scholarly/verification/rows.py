"""The rows of the printed tables, and how the command line names them.

rows = list_rows("doris-mae")
choose_rows(rows, ["11:BM25", "13"])  # one row, and a table
"""

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ir_datasets_ext.choices import describe_unknown

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


def list_rows(collection: str) -> list[PrintedRow]:
    """Return every row of every printed table of a collection, in the order of the tables.

    Raises:
        ValueError: no paper prints figures for it.
    """
    if collection not in list_collections():
        raise ValueError(describe_unknown("collection", collection, list_collections()))

    systems = published(collection)[["table", "system"]].drop_duplicates()
    rows = [PrintedRow(collection, *pair) for pair in systems.itertuples(index=False)]

    protocol = PROTOCOLS[collection]
    if protocol.printed_tables:
        for number, table in printed_tables(collection).items():
            names = [label_of(record) for record in table.to_dict("records")]
            if not all(names) or len(set(names)) < len(names) or number in protocol.quoted:
                names = [WHOLE_TABLE]
            rows += [PrintedRow(collection, number, name) for name in names]
    rows += [PrintedRow(collection, number, WHOLE_TABLE) for number in protocol.other_tables]
    return rows


def label_of(record: dict[str, object]) -> str:
    """Return the label of a row of `printed_tables`: the texts before its first figure.

    A row of texts alone has its first one as label.
    """
    values = list(record.values())
    are_texts = [isinstance(value, str) for value in values]
    count = are_texts.index(False) if False in are_texts else 1
    return " ".join(str(value) for value in values[:count])


def choose_rows(rows: Sequence[PrintedRow], asked: Iterable[str] | None) -> list[PrintedRow]:
    """Return the rows with an id, or of a table, that was asked for; all if None.

    Raises:
        ValueError: no row and no table has that name.
    """
    if asked is None:
        return list(rows)

    names = list(asked)
    known = dict.fromkeys([row.id for row in rows] + [row.table for row in rows if row.table])
    for name in names:
        if name not in known:
            raise ValueError(describe_unknown("row", name, known))
    return [row for row in rows if row.id in names or (row.table and row.table in names)]
