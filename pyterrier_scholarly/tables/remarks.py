"""The sentences below a table: what its figures are over, and what its signs mean."""

from collections.abc import Container, Iterable, Sequence

import pandas as pd

from ..evaluation.run_check_report import RunCheck
from ..frames import some
from .table_content import UNANSWERED
from .table_shapes import Shape

FEWER_QUERIES = (
    "These rows cover fewer queries than the paper (counts above), so compare them with each other "
    "only."
)
WITH_UNANSWERED = f"{UNANSWERED} Some of the column's queries have no results; these count as 0."
EMPTY_CELLS = "A cell is empty where results answer none of its queries: {}."
MEANS_OF_FOLDS = "Figures are the mean of the two test folds' means."
RESAMPLED = (
    "± is the standard deviation, and intervals the middle 95 %, of the means of {:,} bootstrap "
    "samples of the queries; percent."
)
TESTED = "† differs from {}: two-sided paired t-test over the queries of both, p < 0.05, {}."
#: argument `correction` of `reproduce` -> how the remark says it
CORRECTIONS = {
    None: "not corrected for the number of comparisons",
    "holm": "corrected for the number of comparisons in the table (Holm)",
}
#: what a printed figure was verified by -> column of `published` that says so
VERIFIED_COLUMNS = {
    "our measure on the authors' ranking": "measure_verified",
    "our system": "system_verified",
}
#: begin the sentences that explain signs which plain text leaves out
SIGNS_IN_REMARKS = ("±", "†")


def write_remarks(
    shape: Shape,
    figures: pd.DataFrame,
    values: pd.DataFrame,
    *,
    checks: Sequence[RunCheck],
    keys: Container[str],
    baseline: str,
    resamples: int,
    correction: str | None,
) -> tuple[str, ...]:
    """Return the sentences for below a table, the most important first.

    Args:
        shape: of the table.
        figures, values: what `compute_figures` returns and takes.
        checks: of all rows' runs.
        keys: of the named systems among the rows.
        baseline: name of the system that the others are tested against.
        resamples: of the bootstrap.
        correction: of p-values, or None.
    """
    return (
        *_remark_coverage(shape, figures, values, checks),
        *_remark_protocol(shape, keys),
        *_remark_statistics(shape, figures, baseline, resamples, correction),
        *_remark_printed_rows(shape.printed),
    )


def _remark_coverage(
    shape: Shape, figures: pd.DataFrame, values: pd.DataFrame, checks: Iterable[RunCheck]
) -> list[str]:
    """Say which queries and documents the figures are not over."""
    sentences = []
    if (figures["queries"] < figures["of"]).any():
        sentences.append(FEWER_QUERIES)

    sentences += _remark_runs(checks)

    if (figures["answered"] < figures["queries"]).any():
        sentences.append(WITH_UNANSWERED)

    names = _find_names_with_empty_cells(shape, values)
    if names:
        sentences.append(EMPTY_CELLS.format(some(names)))
    return sentences


def _remark_runs(checks: Iterable[RunCheck]) -> list[str]:
    """Say what does not fit of each run; runs with the same remark share a sentence."""
    names_by_remark: dict[str, list[str]] = {}
    for check in checks:
        for remark in check.remarks:
            names_by_remark.setdefault(remark, []).append(check.name)
    return [f"{some(names)}: {remark}" for remark, names in names_by_remark.items()]


def _find_names_with_empty_cells(shape: Shape, values: pd.DataFrame) -> list[str]:
    """Return the names of passed results that answer no query of some column."""
    values_of_results = values[~values["was_run"]]

    names_with_empty_cells: set[str] = set()
    for queries in {column.queries for column in shape.columns}:
        values_of_column = values_of_results[values_of_results["qid"].isin(queries)]
        answers_some = values_of_column.groupby("name")["answered"].any()
        names_with_empty_cells.update(answers_some.index[~answers_some])

    names = values["name"].unique()  # in the table's order
    return [name for name in names if name in names_with_empty_cells]


def _remark_protocol(shape: Shape, keys: Container[str]) -> list[str]:
    """Say what is known of the collection's table, and of systems that were tuned on it."""
    protocol = shape.protocol
    sentences = []

    tuned_keys = [key for key in protocol.in_sample if key in keys]
    if tuned_keys:
        sentences.append(f"{' and '.join(tuned_keys)}: {protocol.in_sample[tuned_keys[0]]}")
    if shape.number in protocol.remarks:
        sentences.append(protocol.remarks[shape.number])
    return sentences


def _remark_statistics(
    shape: Shape, figures: pd.DataFrame, baseline: str, resamples: int, correction: str | None
) -> list[str]:
    """Say how means, intervals and tests were computed."""
    sentences = []
    if any(len(column.parts) > 1 for column in shape.columns):
        sentences.append(MEANS_OF_FOLDS)
    sentences.append(RESAMPLED.format(resamples))

    has_comparisons = figures["name"].nunique() > 1
    if has_comparisons:
        sentences.append(TESTED.format(baseline, CORRECTIONS[correction]))
    return sentences


def _remark_printed_rows(printed: pd.DataFrame) -> list[str]:
    """Say where printed rows are from, and which were reached by a measure or a whole system."""
    sources = printed["source"].unique()
    if len(sources) == 0:
        return []

    verified = []
    for verified_by, column in VERIFIED_COLUMNS.items():
        names = printed[printed[column].ne("")]["system"].unique()
        named = some(names) if len(names) else "none"
        verified.append(f"by {verified_by}: {named}")
    return [
        f"Printed rows: {'; '.join(sources)}.",
        f"Printed rows that were verified, {'; '.join(verified)} (see the page Fidelity).",
    ]
