"""Cells of CSV files that spreadsheets open: none of them is run as a formula."""

import csv
import re

#: what a spreadsheet would run, and what `safe` makes of it
FORMULA = re.compile(r"'*[=+\-@\t\r]")


def safe(value) -> str:
    """The text of a value, behind an apostrophe if a spreadsheet would run it."""
    text = str(value)
    return f"'{text}" if FORMULA.match(text) else text


def plain(cell) -> str:
    """The text that `safe` was given."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def rows_of(path) -> list:
    """The rows of a CSV file in UTF-8, each a list of cells.

    Raises:
        ValueError: the file is not UTF-8.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except UnicodeDecodeError:
        raise ValueError(f'{path} is no longer UTF-8: save it as "CSV UTF-8".') from None
