"""A row of texts: its id and its text, whether it is a pair, a dict or a document.

>>> read_row({"docno": "d1", "text": "An abstract."})
TextRow(docno='d1', text='An abstract.')
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

ID_COLUMNS = ("docno", "doc_id", "id")  # the first of these columns is the id


class TextColumns(NamedTuple):
    """The names of the columns of id and text."""

    docno: str
    text: str


class TextRow(NamedTuple):
    """The id and the text of a row."""

    docno: str
    text: str


def recognise_columns(names: Sequence[str], where: str) -> TextColumns:
    """Return the columns of id and text among `names`.

    where: what has the columns, for the error.

    Raises:
        ValueError: one of them is missing.
    """
    id_names = [name for name in ID_COLUMNS if name in names]
    if not id_names or "text" not in names:
        raise ValueError(
            f"No columns of ids and texts recognised in {where} (it has {names}): expected one of "
            f"{ID_COLUMNS} and 'text'. Pass columns=(id, text)."
        )
    return TextColumns(id_names[0], "text")


def read_row(row: Any) -> TextRow:
    """Return the id and the text of a pair, a dict, or a document of ir_datasets.

    Raises:
        ValueError: the row is none of these, or its text cannot be encoded.
    """
    docno, text = _divide_row(row)
    if not isinstance(text, str):
        raise ValueError(f"The text of {docno} is {text!r}, no text: fill it, or drop the row.")

    docno = str(docno)
    try:
        (docno + text).encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{docno!r} or its text has half a surrogate pair, which no file can hold: correct it, "
            "or drop the row."
        ) from None
    return TextRow(docno, text)


def _divide_row(row: Any) -> tuple[Any, Any]:
    """Return the id and the text of a row, whatever they are."""
    if hasattr(row, "default_text"):
        return row.doc_id, row.default_text()

    if isinstance(row, dict):
        columns = recognise_columns(list(row), f"the row {row}")
        return row[columns.docno], row[columns.text]

    try:
        docno, text = row
    except (TypeError, ValueError):
        raise ValueError(
            f"{row!r} is no row of texts: expected (id, text), a dict or a document."
        ) from None
    return docno, text
