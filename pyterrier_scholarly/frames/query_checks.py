"""Check that the columns of a query agree with each other.

A query asks with some sentences of a paper. The truth is the paper (`query_title`,
`query_paper_sentences`, `query_paper_labels`) and `query_sentence_ids`, the positions of the
sentences that ask. `query_sentences` and `query_labels` are derived from it. Some scorers read the
truth, others what is derived, so half of them would ignore an edit of one without the other. Hence
all of these columns are compared, whichever a step reads, and a disagreement is refused.

`query` is derived, too, but is not compared: retrievers need it rewritten (`pt.rewrite.tokenise`),
and no step reads both it and sentences.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from .column_checks import some
from .row_groups import LISTS, number_values

IDS, WEIGHTS = "query_sentence_ids", "query_sentence_weights"
SENTENCES, PAPER_SENTENCES = "query_sentences", "query_paper_sentences"
#: title, sentences and labels of the query's paper
QUERY_PAPER = ("query_title", PAPER_SENTENCES, "query_paper_labels")
#: derived column -> the paper's column that holds the same at the positions IDS
DERIVED = {SENTENCES: PAPER_SENTENCES, "query_labels": "query_paper_labels"}
Items = list | tuple | np.ndarray
COMPARED = (IDS, *DERIVED, *DERIVED.values(), WEIGHTS)
#: columns of one item for each sentence that asks
ITEM_PER_SENTENCE = (IDS, *DERIVED, WEIGHTS)


def is_query_column(name: str) -> bool:
    """Return whether all rows of a query share one value of the column."""
    return name == "facet" or name.startswith("query")


def find_differing(
    column: pd.Series, query_of_row: np.ndarray, first_rows: np.ndarray
) -> np.ndarray:
    """Find the rows (k,) whose value in `column` is not that of their query's first row.

    Args:
        query_of_row, first_rows: what `numbered` returns for the queries.
    """
    value_of_row, _ = number_values(column)
    expected_values = value_of_row[first_rows][query_of_row]
    suspects = np.flatnonzero(value_of_row != expected_values)
    if not len(suspects):
        return suspects

    # lists are numbered by identity; equal ones, as of a file, may be different objects
    values = column.tolist()
    expected = [_plain(values[row]) for row in first_rows.tolist()]
    differs = [
        not _is_equal(_plain(values[row]), expected[query])
        for row, query in zip(suspects.tolist(), query_of_row[suspects].tolist())
    ]
    return suspects[np.array(differs)]


def refuse_differing(frame: pd.DataFrame, column: str, rows: np.ndarray) -> None:
    """Raise ValueError that names the queries of these `rows`, which `find_differing` found."""
    qids = frame["qid"].iloc[rows].drop_duplicates()
    raise ValueError(
        f"Column {column!r} must hold one value in all rows of a query; it does not for qid "
        f"{some(qids)}: change all rows of a query alike."
    )


def refuse_weights(step: object) -> None:
    """Raise ValueError for weights of sentences that `step` would ignore."""
    raise ValueError(
        f"{step!s:.120} does not use column {WEIGHTS!r}: drop it before this step "
        f"(`frame.drop(columns={WEIGHTS!r})`), or add it behind. SentenceMaxSim uses it with "
        "aggregate='mean' and 'sum'."
    )


def check_agreement(queries: pd.DataFrame, step: object, needed: Sequence[str]) -> None:
    """Raise ValueError if columns of a query disagree; see the module.

    Args:
        queries: a row per query. A value that is no list (None, NaN) counts as an absent column.
        step: the step that reads the columns; errors name it.
        needed: the columns that it cannot do without.
    """
    present = [name for name in COMPARED if name in queries.columns]
    columns = [queries[name].tolist() for name in present]
    for row, values in enumerate(zip(*columns)):
        lists = {name: value for name, value in zip(present, values) if is_list(value)}
        disagreement = _find_disagreement(lists)
        if disagreement:
            query = f"Query {queries['qid'].iloc[row]}" if "qid" in queries else f"The query {row}"
            remedy = _find_remedy(queries, step, needed)
            raise ValueError(f"{query} {disagreement}. {remedy}")


def _find_disagreement(lists: Mapping[str, Items]) -> str:
    """Return what is wrong with one query's lists, by column, as a predicate; "" if they agree."""
    ids = lists.get(IDS)
    for source in DERIVED.values():
        if ids is None or source not in lists:
            continue
        size = len(lists[source])
        outside = [position for position in ids if position not in range(size)]
        if outside or not len(ids):
            return (
                f"asks with sentences {list(ids)} of a paper of {size}: {IDS} must be some of "
                "these, counted from 0"
            )

    for columns in (ITEM_PER_SENTENCE, DERIVED.values()):
        counts = {name: len(lists[name]) for name in columns if name in lists}
        if len(set(counts.values())) > 1:
            shown = ", ".join(f"{count} in {name}" for name, count in counts.items())
            return f"has different numbers of sentences in its columns: {shown}"

    for derived, source in DERIVED.items():
        if ids is None or derived not in lists or source not in lists:
            continue
        for number, position in enumerate(ids):
            if not _is_equal(lists[derived][number], lists[source][position]):
                return (
                    f"has {lists[derived][number]!r:.60} in {derived}[{number}], but "
                    f"{lists[source][position]!r:.60} in {source}[{position}], which "
                    f"{IDS}[{number}] names"
                )
    return ""


def _find_remedy(queries: pd.DataFrame, step: object, needed: Sequence[str]) -> str:
    """Say how to make a query's columns agree, for a step that needs the columns `needed`."""
    truth = [name for name in (IDS, *QUERY_PAPER) if name in queries.columns]
    if PAPER_SENTENCES not in truth:
        return "Give each of these columns one item per sentence that asks."
    change = (
        f"To change what it asks with, change {IDS} or the paper (query_paper_…), and put "
        f"FacetQuery() behind that, which derives the other columns"
    )
    if set(truth) & set(needed):
        return f"{change}; or drop {truth}, and FacetQuery() makes {SENTENCES} the paper."
    return f"{change}; or drop {truth}, which {step!s:.120} can do without."


def is_list(value: object) -> bool:
    """Return whether a value of a column is a list, a tuple, or an array with items."""
    return isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0


def _plain(value: object) -> object:
    """Return a value of a column; as a list, if it is a tuple or an array."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _is_equal(one: object, other: object) -> bool:
    """Return whether two plain values are equal, NaN to NaN."""
    try:
        return bool(one == other or (one != one and other != other))
    except (TypeError, ValueError):  # pd.NA, or arrays in a list: no single answer
        return False
