"""Rows of CSV and TSV files with a header.

Column names are those that people and services use, as dicts and frames have them, too; upper and
lower case, blanks, dots and underscores are the same. What is no row as the header is taken out
first, so that a stray quote costs its row alone.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, read_record

SEPARATORS = (",", ";", "\t", "|")
LARGEST_CELL = 2**24  # characters; Python's own limit is 131,072
MOST_LINES_ABOVE = 30  # a header


def normalise_names(fields: Mapping) -> dict[str, object]:
    """Return fields by their names as in NAMES; a column without a name is no field.

    Names are in lower case, with one blank between their words.
    """
    by_name: dict[str, object] = {}
    for name, value in fields.items():
        words = re.findall(r"[^\W_]+", str(name or "").casefold())
        # pandas calls columns without a name so when it has read them
        if words and words[0] != "unnamed":
            by_name.setdefault(" ".join(words), value)
    return by_name


def read_table(text: str) -> Iterator[Found]:
    """Yield a record per row of a CSV file, placed by the line on which the row begins."""
    csv.field_size_limit(LARGEST_CELL)
    lines = [f"{line}\n" for line in text.split("\n")]
    separator, names, header_end = _find_header(lines)
    if not names:
        found = text.strip()[:200].split("\n")[0] or "nothing"
        yield UnreadRecord("line 1", f"no header with a title or an abstract: found {found}")
        return

    between = re.escape(separator)
    plain = rf'(?:"(?:[^"]|"")*+"|[^"{between}\n]*+)'
    cell = rf"(?:{plain}(?=[{between}\n])|[^\"{between}\n][^{between}\n]*+)"
    # blank cells behind the last column are none
    row = rf'{cell}(?:{between}{cell}){{{len(names) - 1}}}(?:{between}(?:""|[ \t]*))*\n'
    other_row = rf"{plain}(?:{between}{plain})*\n"
    pieces = rf"(?P<row>{row})|{other_row}|.*\n(?:(?!{row}|{other_row}).*\n)*"
    line_number = header_end + 1
    for match in re.finditer(pieces, "".join(lines[header_end:])):
        place = f"line {line_number}"
        line_count = match[0].rstrip("\n").count("\n") + 1
        line_number += match[0].count("\n")
        if not match[0].strip(f'{separator}" \n'):
            continue

        cells = match[0].rstrip("\n").split(separator)
        if match["row"]:
            cells = next(csv.reader([match["row"]], delimiter=separator))
        elif len(cells) == len(names) and line_count == 1:
            yield Remark(place, "quotes within a cell: read as they stand")
        else:
            reason = f"{len(cells)} cells: expected {len(names)}, as the header"
            if '"' in match[0]:
                reason = f"damaged quotes in lines: {line_count}; the row is lost"
            yield UnreadRecord(place, reason)
            continue
        yield read_record(place, normalise_names(dict(zip(names, cells))), NAMES["table"])


def _find_header(lines: Sequence[str]) -> tuple[str, list[str], int]:
    """Return the separator, the header, and the number of lines up to its end.

    It is the row with most known names; no names if none has a title or an abstract.
    """
    known_names = {name for names in NAMES["table"].values() for name in names}
    titles = {*NAMES["table"]["title"], *NAMES["table"]["abstract"]}
    best: tuple[str, list[str], int] = (",", [], 0)
    most_known = 0
    for position in range(min(len(lines), MOST_LINES_ABOVE)):
        for separator in SEPARATORS:
            reader = csv.reader(lines[position:], delimiter=separator, strict=True)
            try:
                cells = next(reader)
            except csv.Error:
                continue
            names = normalise_names(dict.fromkeys(cells)).keys() & known_names
            if names & titles and len(names) > most_known:
                most_known = len(names)
                best = (separator, cells, position + reader.line_num)
    return best
