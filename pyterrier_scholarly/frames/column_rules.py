"""What a column of a given name must hold: one table for all packages.

    check_columns(frame, ["qid", "doc_ids"])  # ids that are texts, lists of texts

To give a new column a rule, add its name to COLUMN_CHECKS.
"""

from collections.abc import Callable, Iterable
from functools import partial

import pandas as pd

from .column_checks import check_ids, check_numbers, check_text_lists, check_texts

#: column -> the function that checks it, called with a frame and the column's name
COLUMN_CHECKS: dict[str, Callable[..., None]] = {
    "qid": check_ids,
    "docno": check_ids,
    "query_docno": check_ids,
    "doc_id": check_ids,
    "paragraph_id": check_ids,
    "query_id": check_ids,
    "score": check_numbers,
    "query": check_texts,
    "query_text": check_texts,
    "facet": partial(check_texts, blank=True),
    "title": partial(check_texts, by="docno", blank=True),
    "text": partial(check_texts, by="docno", blank=True),
    "doc_ids": check_text_lists,
    "sources": partial(
        check_text_lists, by="docno", remedy="pass tuples of systems' names, as make_pools returns"
    ),
}


def check_columns(frame: pd.DataFrame, columns: Iterable[str]) -> None:
    """Check what `columns` hold, if `frame` has them and COLUMN_CHECKS knows them.

    Raises:
        ValueError: a value that its column must not hold; names the value or its row.
    """
    for name in select_present(frame, columns):
        if name in COLUMN_CHECKS:
            check_column = COLUMN_CHECKS[name]
            check_column(frame, name)


def select_present(frame: pd.DataFrame, columns: Iterable[str]) -> list[str]:
    """Return those of `columns` that the frame has, each once."""
    return [name for name in dict.fromkeys(columns) if name in frame.columns]
