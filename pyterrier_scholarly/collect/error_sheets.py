"""Sheets in which a reader names the type of each error, of a system or of a judge.

    write_errors(rows, "errors.csv", "csfcube")
    # a person fills in the column `error`
    print(error_counts(read_errors("errors.csv", rows, "csfcube"), "csfcube"))

The rows are those of `error_rows` or of `disagreement_rows`.
"""

from pathlib import Path

import pandas as pd

from .. import frames, protocols
from ..arguments import FilePath, check_arguments
from ..choices import choose_preset
from .sheets import Row, Sheet

NamedTypes = str | protocols.ErrorTypes


@check_arguments
def write_errors(
    rows: pd.DataFrame, path: FilePath, types: NamedTypes = "csfcube", overwrite: bool = False
) -> Path:
    """Write rows to a CSV file; a reader fills in `error`, the type of the error.

    Args:
        rows: the frame of `error_rows`, or of `disagreement_rows` for ``types="doris-mae"``.
        path: of the new file.
        types: ``"csfcube"``, ``"doris-mae"``, or your own `protocols.ErrorTypes`.
        overwrite: whether to replace an existing file, with all that people filled in.

    Raises:
        FileExistsError, ValueError: see `Sheet.write`; unknown types.
    """
    return _create_sheet(types).write(rows, path, overwrite)


@check_arguments
def read_errors(path: FilePath, rows: pd.DataFrame, types: NamedTypes = "csfcube") -> pd.DataFrame:
    """Read a file of `write_errors`: the frame `rows` with `error` ("" for none) and `note`.

    Args:
        path: the file.
        rows, types: the arguments that it was written with.

    Raises:
        ValueError: see `Sheet.read`; an error outside of the types.
    """
    filled = _create_sheet(types).read(path, rows, _allow_no_error)
    return rows.reset_index(drop=True).join(filled[["error", "note"]])


def _allow_no_error(row: Row) -> tuple[str, ...]:
    """Return the columns that may be empty: not every row has an error."""
    return ("error",)


def _create_sheet(types: NamedTypes) -> Sheet:
    """Return the sheet of a paper's types of error."""
    error_types = choose_preset("types", types, protocols.ERROR_TYPES)
    return Sheet(
        keys=("name", "qid", "docno"),
        shown=error_types.shown,
        filled={"error": error_types.types, "note": None},
        instructions=(*error_types.words, f"Types from {error_types.source}."),
    )


@check_arguments
def error_counts(tagged: pd.DataFrame, types: NamedTypes = "csfcube") -> pd.DataFrame:
    """Count the types of error per system and facet.

    Args:
        tagged: the frame of `read_errors`.
        types: the types that it was written with.

    Returns:
        Frame `name`, `facet` (if the rows have one), `rows` (number of results read), and a column
        for each type.
    """
    error_types = choose_preset("types", types, protocols.ERROR_TYPES)
    type_names = list(error_types.types)
    tagged = frames.check(tagged, "error_counts", ["name", "error"], keys=[])
    group_columns = ["name", "facet"] if "facet" in tagged else ["name"]

    counts = []
    for group_values, errors in tagged.groupby(group_columns, sort=False)["error"]:
        row = dict(zip(group_columns, group_values, strict=True))
        row["rows"] = len(errors)
        for type_name in type_names:
            row[type_name] = int((errors == type_name).sum())
        counts.append(row)
    return pd.DataFrame(counts, columns=[*group_columns, "rows", *type_names])
