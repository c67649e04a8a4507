"""Measures: however they are written, those that a collection's paper reports, and their values.

measure_of("recall_5") == measure_of("R@5")
column_of(R @ 5, ["name", "recall_5"])   # "recall_5": the column of an experiment
official_measures("csfcube/method")      # [PLastRel(rel=2), …]
measure_runs({"bm25": run}, qrels, [R @ 5])   # a frame name, qid, measure, value
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import ir_datasets
import ir_measures
import pandas as pd
import pyterrier as pt

from ..choices import describe_unknown
from ..datasets import DatasetLike, irds
from ..measures import MEASURES  # noqa: F401 (registers ours, also where discovery is off)

#: for datasets without official measures
GENERAL_MEASURES = ("nDCG@10", "AP", "R@100")

Named: TypeAlias = str | ir_measures.Measure
Measures: TypeAlias = Sequence[Named]


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


def list_measures(measures: Named | Iterable[Named]) -> list[Named]:
    """Return one measure, or several, as a list; ValueError for none.

    A single text would else be read letter by letter.
    """
    if isinstance(measures, Named):
        return [measures]
    listed = list(measures)
    if not listed:
        raise ValueError("measures=[]: expected one measure or more, such as ['nDCG@10'].")
    return listed


def parse_measures(measures: Named | Iterable[Named]) -> dict[str, ir_measures.Measure]:
    """Return one measure, or several, by the names that they have in frames."""
    return {str(measure): measure_of(measure) for measure in list_measures(measures)}


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
    # rHSA: the slope of a line through all pairs of a query's documents
    slope_columns = [
        column for measure, column in measures_of(measures).items() if measure.NAME == "rHSA"
    ]
    if slope_columns:
        warnings.warn(
            f"{', '.join(slope_columns)}: the mean of queries' slopes is not the slope of all "
            "their pairs. For that slope, evaluate these queries in a pt.Experiment of their own.",
            stacklevel=stacklevel,
        )


def official_measures(dataset: DatasetLike) -> list[ir_measures.Measure]:
    """List the measures that a dataset's paper reports, in the order of its tables.

    They are part of the dataset's documentation, so ``ir_datasets``' pages have them, too:
    R-precision (`PLastRel`) to NDCG%20 for CSFCube, recall for LitSearch, the seven columns of
    DORIS-MAE's tables for `doris-mae`.

    Args:
        dataset: an id (``"csfcube/method"``, with or without ``irds:``) or a dataset object. A
            collection without own queries (`csfcube`) has the measures of its subsets.

    Raises:
        ValueError: an unknown dataset, or one without measures in its documentation, such as a
            collection of your own; names the measures that `reproduce` takes then.
    """
    name = irds(dataset).dataset_id()
    ids_below = [other for other in ir_datasets.registry if other.startswith(f"{name}/")]
    for dataset_id in [name, *ids_below]:
        # some datasets of other packages have no documentation
        texts: dict = getattr(irds(dataset_id), "documentation", dict)() or {}
        if "official_measures" in texts:
            return [measure_of(measure_name) for measure_name in texts["official_measures"]]
    raise ValueError(
        f"{name} has no official measures in its documentation: pass your own. Without any, "
        f"`reproduce` takes {', '.join(GENERAL_MEASURES)}, or those of a protocol of yours: "
        f"protocols.register(Protocol({name!r}, …, measures=…))."
    )


def default_measures(dataset: DatasetLike) -> list[ir_measures.Measure]:
    """List a dataset's `official_measures`; nDCG@10, AP and R@100 if it has none."""
    try:
        return official_measures(dataset)
    except ValueError:
        return [measure_of(text) for text in GENERAL_MEASURES]


def measure_runs(
    runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, measures: Sequence[ir_measures.Measure]
) -> pd.DataFrame:
    """Compute measures of runs for each query with judgements; 0 for one without results.

    Args:
        runs: from a system's name to a frame of `qid`, `docno`, `score`.
        qrels: frame of `qid`, `docno`, `label`, and what else the measures read.
        measures: see `measure_of`.

    Returns:
        Frame `name`, `qid`, `measure`, `value`, as of ``pt.Experiment(…, perquery=True)``, ordered
        by `qid`; NaN for a query that a measure leaves out.
    """
    evaluator = ir_measures.evaluator(measures, pt.model.to_ir_measures(qrels))
    values = [
        (name, metric.query_id, str(metric.measure), metric.value)
        for name, run in runs.items()
        for metric in evaluator.iter_calc(pt.model.to_ir_measures(run))
    ]
    frame = pd.DataFrame(values, columns=["name", "qid", "measure", "value"])
    # sums of floats depend on their order, and that of a measure's values on the rows of the run
    return frame.astype({"value": float}).sort_values("qid", kind="stable", ignore_index=True)


def measure_queries(
    measure: ir_measures.Measure, qrels: pd.DataFrame, run: pd.DataFrame
) -> pd.Series:
    """Compute one measure of one run as `measure_runs` does: a series by `qid`."""
    values = measure_runs({"": run}, qrels, [measure])
    return values.set_index("qid")["value"].reindex(qrels["qid"].unique())
