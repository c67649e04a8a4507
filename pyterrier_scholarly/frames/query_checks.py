"""Check that the columns of a query agree with each other.

A query asks with some sentences of a paper. The truth is the paper (`query_title`,
`query_paper_sentences`, `query_paper_labels`) and `query_sentence_ids`, the positions of the
sentences that ask. `query_sentences` and `query_labels` are derived from it. Some scorers read the
truth, others what is derived, so half of them would ignore an edit of one without the other. Hence
all of these columns are compared, whichever a step reads, and a disagreement is refused.

`query` is derived, too, but is not compared: retrievers need it rewritten (`pt.rewrite.tokenise`),
and no step reads both it and sentences.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from .column_checks import some
from .list_checks import is_list
from .row_groups import number_values

IDS = "query_sentence_ids"
WEIGHTS = "query_sentence_weights"
SENTENCES = "query_sentences"
PAPER_SENTENCES = "query_paper_sentences"
#: title, sentences and labels of the query's paper
QUERY_PAPER = ("query_title", PAPER_SENTENCES, "query_paper_labels")
#: derived column -> the paper's column that holds the same at the positions IDS
SOURCE_OF_DERIVED = {SENTENCES: PAPER_SENTENCES, "query_labels": "query_paper_labels"}
#: columns of one item for each sentence that asks
ITEM_PER_SENTENCE = (IDS, SENTENCES, "query_labels", WEIGHTS)
#: columns of one item for each sentence of the paper
ITEM_PER_PAPER_SENTENCE = (PAPER_SENTENCES, "query_paper_labels")
COMPARED = (*ITEM_PER_SENTENCE, *ITEM_PER_PAPER_SENTENCE)

Items: TypeAlias = list | tuple | np.ndarray
Lists: TypeAlias = Mapping[str, Items]  # of one query: column -> its list


def is_query_column(name: str) -> bool:
    """Return whether all rows of a query share one value of the column."""
    return name == "facet" or name.startswith("query")


def check_agreement(queries: pd.DataFrame, step: object, needed: Sequence[str]) -> None:
    """Raise ValueError if columns of a query disagree; see the module.

    Args:
        queries: a row per query. A value that is no list (None, NaN) counts as an absent column.
        step: the step that reads the columns; errors name it.
        needed: the columns that it cannot do without.
    """
    compared = [name for name in COMPARED if name in queries.columns]
    rows = queries[compared].to_dict("records")
    for number, row in enumerate(rows):
        lists = {name: value for name, value in row.items() if is_list(value)}
        disagreement = _find_disagreement(lists)
        if not disagreement:
            continue

        query_name = f"The query {number}"
        if "qid" in queries.columns:
            query_name = f"Query {queries['qid'].iloc[number]}"
        remedy = _describe_remedy(queries, step, needed)
        raise ValueError(f"{query_name} {disagreement}. {remedy}")


def find_differing(
    column: pd.Series, query_of_row: np.ndarray, first_rows: np.ndarray
) -> np.ndarray:
    """Return the rows (k,) whose value in `column` differs from that of their query's first row.

    Args:
        column: a value for each of the n rows.
        query_of_row: the number of each row's query (n,), from 0.
        first_rows: the first row of each query.
    """
    first_row_of_row = first_rows[query_of_row]  # (n,)

    # First a fast comparison. It finds too many rows, never too few: equal lists, as read from a
    # file, may be different objects.
    suspects = _find_other_values(column, first_row_of_row)
    if not len(suspects):  # the usual case
        return suspects

    values = column.tolist()
    differing_rows = []
    for row in suspects.tolist():
        first_row = first_row_of_row[row]
        if not _is_equal(_make_plain(values[row]), _make_plain(values[first_row])):
            differing_rows.append(row)
    return np.array(differing_rows, dtype=np.intp)


def _find_other_values(column: pd.Series, compared_rows: np.ndarray) -> np.ndarray:
    """Return the rows whose value is another than that of their compared row.

    Values are compared as in `number_values`: in a column with lists, by identity.
    compared_rows: (n,), one for each row.
    """
    if column.dtype == object:
        values = column.tolist()
        addresses = np.fromiter(map(id, values), dtype=np.intp, count=len(values))
        if (addresses == addresses[compared_rows]).all():  # the usual case; quick
            return np.empty(0, dtype=np.intp)

    number_of_row, _ = number_values(column)
    return np.flatnonzero(number_of_row != number_of_row[compared_rows])


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


def _find_disagreement(lists: Lists) -> str:
    """Return what is wrong with one query's lists, as a predicate; "" if they agree."""
    return (
        _describe_wrong_positions(lists)
        or _describe_different_lengths(lists, ITEM_PER_SENTENCE)
        or _describe_different_lengths(lists, ITEM_PER_PAPER_SENTENCE)
        or _describe_different_items(lists)
    )


def _describe_wrong_positions(lists: Lists) -> str:
    """Return the problem of a query with a position outside its paper, or without any position.

    Returns "" if nothing is wrong, or if the query has no list of positions or no paper.
    """
    if IDS not in lists:
        return ""

    positions = lists[IDS]
    for column in ITEM_PER_PAPER_SENTENCE:
        if column not in lists:
            continue
        sentence_count = len(lists[column])
        are_inside = all(position in range(sentence_count) for position in positions)
        if not are_inside or len(positions) == 0:
            return (
                f"asks with sentences {list(positions)} of a paper of {sentence_count}: {IDS} must "
                "be some of these, counted from 0"
            )
    return ""


def _describe_different_lengths(lists: Lists, columns: Iterable[str]) -> str:
    """Return the problem of a query whose lists in `columns` differ in length; "" if they do not.

    columns: lists with an item for each sentence. The query may lack some of them.
    """
    counts = {name: len(lists[name]) for name in columns if name in lists}
    if len(set(counts.values())) <= 1:
        return ""
    shown_counts = ", ".join(f"{count} in {name}" for name, count in counts.items())
    return f"has different numbers of sentences in its columns: {shown_counts}"


def _describe_different_items(lists: Lists) -> str:
    """Return the problem of a query with a derived list that is not what the paper has.

    Item n of the list must be the paper's at position n of IDS. Returns "" if all are.
    """
    for derived, source in SOURCE_OF_DERIVED.items():
        if not {IDS, derived, source} <= set(lists):
            continue

        for number, position in enumerate(lists[IDS]):
            item = lists[derived][number]
            paper_item = lists[source][position]
            if not _is_equal(item, paper_item):
                return (
                    f"has {item!r:.60} in {derived}[{number}], but {paper_item!r:.60} in "
                    f"{source}[{position}], which {IDS}[{number}] names"
                )
    return ""


def _describe_remedy(queries: pd.DataFrame, step: object, needed: Sequence[str]) -> str:
    """Return what to do, for an error about a query whose columns disagree.

    needed: the columns that `step` cannot do without.
    """
    has_paper = PAPER_SENTENCES in queries.columns
    if not has_paper:  # FacetQuery() could derive nothing
        return "Give each of these columns one item per sentence that asks."

    change = (
        f"To change what it asks with, change {IDS} or the paper (query_paper_…), and put "
        f"FacetQuery() behind that, which derives the other columns"
    )

    # or keep the edited columns, and drop those that they were derived from
    source_columns = [name for name in (IDS, *QUERY_PAPER) if name in queries.columns]
    needs_sources = not set(source_columns).isdisjoint(needed)
    if needs_sources:
        return f"{change}; or drop {source_columns}, and FacetQuery() makes {SENTENCES} the paper."
    return f"{change}; or drop {source_columns}, which {step!s:.120} can do without."


def _make_plain(value: object) -> object:
    """Return a value of a column; as a list, if it is a tuple or an array."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _is_equal(first: object, second: object) -> bool:
    """Return whether two plain values are equal, NaN to NaN."""
    try:
        are_both_nan = first != first and second != second
        return bool(first == second or are_both_nan)
    except (TypeError, ValueError):  # pd.NA, or arrays in a list: no single answer
        return False
    except OverflowError:  # numpy's number, and a whole number beyond the largest float
        return False
