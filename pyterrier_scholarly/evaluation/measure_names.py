"""Measures, however they are written: as objects, or in one of several notations.

::

    measure_of("recall_5") == measure_of("R@5")
    column_of(R @ 5, ["name", "recall_5"])  # "recall_5": the column of an experiment
"""

import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated, TypeAlias

import ir_measures
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from ..arguments import Rule
from ..frames import convert_to_objects
from ..measures import MEASURES  # noqa: F401 (registers ours, also where the start-up hook is off)

Named: TypeAlias = str | ir_measures.Measure
Measures: TypeAlias = Annotated[
    Sequence[Named], Rule("a list of one measure or more", lambda measures: len(measures) > 0)
]


def measure_of(measure: Named) -> ir_measures.Measure:
    """Return a measure by its notation (``recall_5``, ``R@5``, ``NDCG%20``), or as it is.

    ValueError for a text that is no measure.
    """
    if isinstance(measure, ir_measures.Measure):
        return measure
    try:
        # ir_measures' function, which our `measures` extends: it reads all these notations
        parsed_measures = ir_measures.parse_trec_measure(measure)
    except (ValueError, NameError, TypeError) as error:
        raise ValueError(f"{measure!r:.100} is no measure: {error}") from error
    return parsed_measures[0]


def measures_of(columns: Iterable[Named]) -> dict[ir_measures.Measure, str]:
    """Return a dict from each measure of an experiment to the name of its column.

    Columns that are no measure are left out; of two columns of one measure, the first counts.
    """
    column_by_measure: dict = {}
    for column in columns:
        with suppress(ValueError):  # another column, such as "name"
            column_by_measure.setdefault(measure_of(column), column)
    return column_by_measure


def column_of(measure: Named, columns: Iterable[str]) -> str:
    """Return the name of a measure's column among an experiment's; ValueError if it has none."""
    column_by_measure = measures_of(columns)
    wanted_measure = measure_of(measure)
    if wanted_measure not in column_by_measure:
        # the columns as they are written, because a measure has several names
        raise ValueError(describe_unknown("measure", str(measure), columns, of="the experiment"))
    return column_by_measure[wanted_measure]


def warn_of_means(measures: Iterable[Named], stacklevel: int = 3) -> None:
    """Warn about measures whose average is no mean of per-query values.

    stacklevel: as of `warnings.warn`, so that the warning names the line of the user.
    """
    slope_columns = []
    for measure, column in measures_of(measures).items():
        if measure.NAME == "rHSA":  # the slope of a line through all pairs of a query's documents
            slope_columns.append(column)

    if slope_columns:
        warnings.warn(
            f"{', '.join(slope_columns)}: the mean of queries' slopes is not the slope of all "
            "their pairs. For that slope, evaluate these queries in a pt.Experiment of their own.",
            stacklevel=stacklevel,
        )


def check_perquery(perquery: pd.DataFrame, warn: bool = False) -> pd.DataFrame:
    """Return a frame that is as `pt.Experiment(..., perquery=True)` returns it, or raise an error.

    Categories become objects, as by `frames.check`.

    warn: whether to warn of measures whose average is no mean of per-query values.

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: two values of a system for one query.
    """
    try:
        pt.validate.columns(perquery, includes=["name", "qid", "measure", "value"])
    except pt.validate.InputValidationError as error:
        error.args = (f"{error.args[0]} Pass what `pt.Experiment(…, perquery=True)` returns.",)
        raise

    has_duplicates = perquery.duplicated(["name", "measure", "qid"]).any()
    if has_duplicates:
        raise ValueError("a system has two values for one query: pass distinct `names`")
    if warn:
        warn_of_means(perquery["measure"].unique(), stacklevel=5)
    return convert_to_objects(perquery)
