"""What columns of lists may hold: as in `checks`, each function names the rows of what may not be.

Lists that rows share are checked once, and all together, which takes a third of the time.
"""

from itertools import chain

import numpy as np

from .checks import refuse

LISTS = (list, tuple, np.ndarray)  # what a column of lists may hold


def sentences_only(frame, column, by="qid", empty=False):
    """Check that `column` holds lists (tuples, arrays) of texts, none blank.

    Raises:
        ValueError: a value is no list (a text that is not split, NaN), an item is no text or
            blank, or, unless `empty` is allowed, a list is empty; names the rows' `by`.
    """
    values = frame[column].tolist()
    distinct = {id(value): value for value in values}  # rows of a query share one list
    if _all_texts(distinct.values(), empty):
        return
    good = {key: _is_list(own) and _all_texts([own], empty) for key, own in distinct.items()}
    kind = "a list of texts" if empty else "a list with at least one text"
    bad = [not good[id(value)] for value in values]
    remedy = "split texts (`Sentences()`), and drop what is blank"
    refuse(frame, column, by, bad, f"{kind}, none of them empty", remedy)


def labels_only(frame, column, of, by="qid"):
    """Check that `column` holds lists of texts: a label per sentence of column `of`, if present.

    Raises:
        ValueError: a value is no list, an item no text, or a list of another length; names the
            rows' `by`.
    """
    labels = frame[column].tolist()
    sentences = frame[of].tolist() if of in frame.columns else labels
    distinct = {(id(one), id(two)): (one, two) for one, two in zip(sentences, labels)}
    if _all_labelled(*zip(*distinct.values())):
        return
    good = {key: _labelled(*pair) for key, pair in distinct.items()}
    bad = [not good[id(one), id(two)] for one, two in zip(sentences, labels)]
    expected = f'one label per sentence of {of!r} (a list of texts, "" for none)'
    refuse(frame, column, by, bad, expected, "fill it, or drop the column")


def positions_only(frame, column, by="qid", missing=True):
    """Check that `column` holds lists of whole numbers; None or NaN too, if they may be `missing`.

    Raises:
        ValueError: another value; names the rows' `by`.
    """
    values = frame[column].tolist()
    distinct = {id(value): value for value in values}
    good = {key: _positions(value, missing) for key, value in distinct.items()}
    bad = [not good[id(value)] for value in values]
    expected = f"lists of positions (whole numbers from 0){', or None' if missing else ''}"
    refuse(frame, column, by, bad, expected, "fill it, or drop the column")


def _all_texts(lists, empty) -> bool:
    """Whether lists, taken together because that is faster, hold texts; no error for others."""
    try:
        some_in_each = empty or all(map(len, lists))
        known = all(issubclass(kind, LISTS) for kind in set(map(type, lists)))
        return known and some_in_each and all(map(str.strip, chain.from_iterable(lists)))
    except TypeError:  # of an item that is no string, of an array without dimension
        return False


def _all_labelled(sentences=(), labels=()) -> bool:
    """Whether lists, taken together because that is faster, hold a text for each sentence."""
    if not all(issubclass(kind, LISTS) for kind in {*map(type, sentences), *map(type, labels)}):
        return False
    try:
        fitting = list(map(len, sentences)) == list(map(len, labels))
    except TypeError:  # of an array without dimension
        return False
    return fitting and all(issubclass(one, str) for one in set(map(type, chain(*labels))))


def _labelled(sentences, labels) -> bool:
    lists = _is_list(labels) and _is_list(sentences)
    return lists and len(sentences) == len(labels) and all(isinstance(own, str) for own in labels)


def _positions(value, missing) -> bool:
    if value is None or isinstance(value, float):
        return missing and (value is None or value != value)
    whole = (int, np.integer)
    return _is_list(value) and all(isinstance(one, whole) for one in value)


def _is_list(value) -> bool:
    return isinstance(value, LISTS) and getattr(value, "ndim", 1) > 0
