"""Measures by what they mean, however they are written, and those that a collection reports."""

import warnings

import ir_datasets
import ir_measures

from ..datasets import irds
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


def official_measures(dataset):
    """Return the measures that a dataset's paper reports, in the order of its tables.

    They are what the dataset's own documentation names, so they stand in ``ir_datasets``' pages
    too: R-precision (`PLastRel`) to NDCG%20 for CSFCube, recall for LitSearch, the seven columns of
    DORIS-MAE's tables for `doris-mae`.

    Args:
        dataset: an id (``"csfcube/method"``, with or without ``irds:``) or a dataset object. A
            collection whose queries are all in subsets (`csfcube`) has those of its subsets.

    Returns:
        List of measures, as `pt.Experiment` takes it.

    Raises:
        ValueError: the dataset is unknown, or its documentation names no measures.
    """
    name = irds(dataset).dataset_id()
    below = (found for found in ir_datasets.registry if found.startswith(f"{name}/"))
    for dataset_id in (name, *below):
        texts = irds(dataset_id).documentation() or {}
        if "official_measures" in texts:
            return [measure_of(text) for text in texts["official_measures"]]
    raise ValueError(f"{name} has no official measures in its documentation: name your own")
