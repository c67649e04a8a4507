"""Show records of frames on a screen: their sizes and first rows."""

from textwrap import fill
from typing import Any

import pandas as pd

WIDTH = 100  # characters
ROWS = 3  # of each frame
WIDEST_CELL = 30  # characters


def fit_screen(record: Any) -> str:
    """Return the text of a named tuple of frames: of each its name, its size and its first rows."""
    parts = [f"{type(record).__name__}:"]
    for name, frame in record._asdict().items():
        row_count = f"{len(frame):,} row{'' if len(frame) == 1 else 's'}"
        heading = f"{name}: {row_count} of {', '.join(map(str, frame.columns))}"
        parts.append(fill(heading, WIDTH, subsequent_indent="    "))
        if not frame.empty:
            parts.append(_first_rows(frame))
    return "\n".join(parts)


def _first_rows(frame: pd.DataFrame) -> str:
    """Return the first rows with as many columns as fit; those in the middle give way to dots."""
    first_rows = frame.head(ROWS)
    for column_count in range(len(frame.columns), 0, -1):
        text = first_rows.to_string(index=False, max_cols=column_count, max_colwidth=WIDEST_CELL)
        widest_line = max(len(line) for line in text.splitlines())
        if widest_line <= WIDTH:
            break

    has_more_rows = len(frame) > ROWS
    return f"{text}\n…" if has_more_rows else text
