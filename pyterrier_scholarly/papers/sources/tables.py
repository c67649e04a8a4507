"""Rows of CSV and TSV files with a header.

Column names are those that people and services use, as dicts and frames have them, too; upper and
lower case, blanks, dots and underscores are the same. What is no row as the header is taken out
first, so that a stray quote costs its row alone.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, read_record

SEPARATORS = ",;\t|"
MOST_LINES_ABOVE = 30  # a header

# Patterns of rows with commas; another separator takes their place, and a number that of COUNT: of
# the cells behind the first, as the header has. "++" and "*+" give nothing back: damaged quotes
# would be tried in all ways.
CELL = r'(?:"(?:[^"]++|"")*+"(?=[,\n])|[^",\n][^,\n]*+|)'
BLANK_CELLS = r'(?:,(?:""|[^\S,\n]*+))*+'
ROW = rf"{CELL}(?:,{CELL}){{COUNT}}{BLANK_CELLS}\n"
#: a line without stray quotes, but with another number of cells
OTHER_LINE = r'(?:(?:"(?:[^"\n]|"")*+"|[^",\n]*+)(?:,|(?=\n)))+\n'
#: a line with as many separators
WHOLE_LINE = r"[^,\n]*(?:,[^,\n]*){COUNT}\n"
#: what is damaged ends where one of them begins
DAMAGED_LINES = rf".*\n(?:(?!{ROW}|{OTHER_LINE}|{WHOLE_LINE}).*\n)*"
ROW_OR_OTHER = rf"(?P<row>{ROW})|{OTHER_LINE}|{DAMAGED_LINES}"


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
    csv.field_size_limit(2**24)  # characters; Python's own limit is 131,072
    lines = re.findall(".*\n", f"{text}\n")
    headers = list(_find_headers(lines))
    if not headers:
        yield UnreadRecord(
            "line 1", f"no header with a title or an abstract: found {lines[0].rstrip()[:200]!r}"
        )
        return

    _, names, separator, line_count = max(headers, key=itemgetter(0))
    line_number = line_count + 1
    pattern = ROW_OR_OTHER.replace(",", re.escape(separator))
    pattern = pattern.replace("COUNT", str(len(names) - 1))
    for match in re.finditer(pattern, "".join(lines[line_count:])):
        place = f"line {line_number}"
        line_number += match[0].count("\n")
        row = match[0].rstrip("\n")
        if not row.strip(f'{separator}" \n'):
            continue

        cells = row.split(separator)
        if match["row"]:
            cells = next(csv.reader([row], delimiter=separator))
        elif len(cells) == len(names) and "\n" not in row:
            yield Remark(place, "quotes within a cell: read as they stand")
        else:
            reason = f"{len(cells)} cells: expected {len(names)}, as the header"
            if '"' in row:
                damaged_count = row.count("\n") + 1
                reason = f"damaged quotes in lines: {damaged_count}; the row is lost"
            yield UnreadRecord(place, reason)
            continue
        yield read_record(place, normalise_names(dict(zip(names, cells))), "table")


def _find_headers(lines: Sequence[str]) -> Iterator[tuple[int, list[str], str, int]]:
    """Yield rows that may be the header.

    Each with how many names it has, its cells, their separator, and the number of lines up to its
    end.
    """
    known_names = {name for names in NAMES["table"].values() for name in names}
    for position in range(min(len(lines), MOST_LINES_ABOVE)):
        for separator in SEPARATORS:
            rows = csv.reader(lines[position:], delimiter=separator, strict=True)
            try:
                cells = next(rows)
            except csv.Error:  # damaged quotes
                continue
            names = normalise_names(dict.fromkeys(cells)).keys() & known_names
            if names & {*NAMES["table"]["title"], *NAMES["table"]["abstract"]}:
                yield len(names), cells, separator, position + rows.line_num
