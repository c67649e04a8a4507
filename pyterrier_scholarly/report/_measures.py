"""Measures by what they mean, however a user or an experiment writes them."""

import warnings

import ir_measures

from ..measures import MEASURES  # noqa: F401 (registers ours, also where the start-up hook is off)


def measure_of(measure):
    """The measure that an object or a string such as ``recall_5``, ``R@5`` or ``NDCG%20`` means.

    Raises:
        ValueError: there is no such measure.
    """
    if isinstance(measure, ir_measures.Measure):
        return measure
    for parse in (ir_measures.parse_trec_measure, ir_measures.parse_measure):
        try:
            found = parse(measure)
            return found[0] if isinstance(found, list) else found
        except (ValueError, NameError, TypeError):
            continue
    raise ValueError(f"{measure!r} is no measure: write it as in R@5, NDCG%20 or ndcg_cut_10")


def measures_of(columns) -> dict:
    """Measure -> column, for those of an experiment's columns that are measures."""
    found = {}
    for column in columns:
        try:
            found.setdefault(measure_of(column), column)
        except ValueError:
            continue
    return found


def warn_of_means(measures):
    """Warn of those of an experiment's `measures` whose average is no mean of per-query values."""
    slopes = [column for m, column in measures_of(measures).items() if m.NAME == "rHSA"]
    if slopes:
        warnings.warn(
            f"{', '.join(slopes)}: the mean of queries' slopes is not the slope of all their "
            "pairs: for that, evaluate the queries that you mean in a pt.Experiment of their own.",
            stacklevel=3,
        )


def column_of(measure, columns):
    """The one of `columns` (an experiment's names of measures) that means `measure`.

    Raises:
        ValueError: none does.
    """
    found = measures_of(columns).get(measure_of(measure))
    if found is None:
        raise ValueError(f"{measure} is not among the measures {', '.join(map(str, columns))}")
    return found
