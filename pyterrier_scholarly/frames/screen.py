"""Show records of frames on a screen: their sizes and first rows.

class Tables(NamedTuple):
    queries: pd.DataFrame

    def __str__(self) -> str:
        return fit_screen(self)
"""

from textwrap import fill
from typing import Any

import pandas as pd

SCREEN_WIDTH = 100  # characters
SHOWN_ROWS = 3  # of each frame
WIDEST_CELL = 30  # characters


def fit_screen(record: Any) -> str:
    """Return the text of a named tuple of frames: of each its name, its size and its first rows."""
    lines = [f"{type(record).__name__}:"]
    for name, frame in record._asdict().items():
        unit = "row" if len(frame) == 1 else "rows"
        column_names = ", ".join(map(str, frame.columns))
        heading = f"{name}: {len(frame):,} {unit} of {column_names}"
        lines.append(fill(heading, SCREEN_WIDTH, subsequent_indent="    "))
        if not frame.empty:
            lines.append(_write_first_rows(frame))
    return "\n".join(lines)


def _write_first_rows(frame: pd.DataFrame) -> str:
    """Return the first rows with as many columns as fit; those in the middle give way to dots."""
    first_rows = frame.head(SHOWN_ROWS)
    for column_count in range(len(frame.columns), 0, -1):
        text = first_rows.to_string(index=False, max_cols=column_count, max_colwidth=WIDEST_CELL)
        widest_line = max(len(line) for line in text.splitlines())
        if widest_line <= SCREEN_WIDTH:
            break

    has_more_rows = len(frame) > SHOWN_ROWS
    return f"{text}\n…" if has_more_rows else text
