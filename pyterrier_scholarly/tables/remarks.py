"""The sentences below a table: what its figures are over, and what its signs mean."""

from collections.abc import Container, Iterable, Sequence

import pandas as pd

from ..evaluation.run_checks import RunCheck
from ..frames import some
from .table_shapes import Shape

FEWER = (
    "These rows cover fewer queries than the paper (counts above), so compare them with each other "
    "only."
)
#: sign of a figure with queries that have no results
UNANSWERED = "‡"
WITH_UNANSWERED = "{} Some of the column's queries have no results; these count as 0."
EMPTY = "A cell is empty where results answer none of its queries: {}."
FOLDS = "Figures are the mean of the two test folds' means."
RESAMPLED = (
    "± is the standard deviation, and intervals the middle 95 %, of the means of {:,} bootstrap "
    "samples of the queries; percent."
)
TESTED = "† differs from {}: two-sided paired t-test over the queries of both, p < 0.05, {}."
CORRECTIONS = {
    None: "not corrected for the number of comparisons",
    "holm": "corrected for the number of comparisons in the table (Holm)",
}
#: promise -> column of `published`; what the remark calls it
PROMISES = {
    "our measure on the authors' ranking": "measure_verified",
    "our system": "system_verified",
}
NOT_AS_TEXT = ("±", "†")  # what begins so explains signs that plain text leaves out


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
        figures, values: what `own_figures` returns and takes.
        checks: of all rows' runs.
        keys: of the named systems among the rows.
        baseline: name of the system that the others are tested against.
        resamples: of the bootstrap.
        correction: of p-values, or None.
    """
    protocol = shape.protocol
    sentences: list[str] = []

    if (figures["queries"] < figures["of"]).any():
        sentences.append(FEWER)
    sentences += _remarks_on_runs(checks)
    if (figures["answered"] < figures["queries"]).any():
        sentences.append(WITH_UNANSWERED.format(UNANSWERED))
    incomplete = _names_with_empty_cells(values, shape)
    if incomplete:
        sentences.append(EMPTY.format(some(incomplete)))

    in_sample = [key for key in protocol.in_sample if key in keys]
    if in_sample:
        sentences.append(f"{' and '.join(in_sample)}: {protocol.in_sample[in_sample[0]]}")
    if shape.number in protocol.remarks:
        sentences.append(protocol.remarks[shape.number])

    if any(len(column.parts) > 1 for column in shape.columns):
        sentences.append(FOLDS)
    sentences.append(RESAMPLED.format(resamples))
    if figures["name"].nunique() > 1:
        sentences.append(TESTED.format(baseline, CORRECTIONS[correction]))
    sources = shape.printed["source"].unique()
    if len(sources):
        sentences.append(f"Printed rows: {'; '.join(sources)}.")
        sentences.append(_remark_verified_rows(shape.printed))
    return tuple(sentences)


def _remark_verified_rows(printed: pd.DataFrame) -> str:
    """Say which printed rows were reached, and by what: a measure, or a whole system."""
    parts = []
    for promise, column in PROMISES.items():
        names = printed[printed[column].ne("")]["system"].unique()
        parts.append(f"by {promise}: {some(names) if len(names) else 'none'}")
    return f"Printed rows that were verified, {'; '.join(parts)} (see the page Fidelity)."


def _remarks_on_runs(checks: Iterable[RunCheck]) -> list[str]:
    """Return what does not fit of each run; runs with the same remark share a sentence."""
    names_by_remark: dict[str, list[str]] = {}
    for check in checks:
        for remark in check.remarks:
            names_by_remark.setdefault(remark, []).append(check.name)
    return [f"{some(names)}: {remark}" for remark, names in names_by_remark.items()]


def _names_with_empty_cells(values: pd.DataFrame, shape: Shape) -> list[str]:
    """Return the names of passed results that answer no query of some column."""
    of_passed_results = values[~values["asked"]]
    names: dict[str, None] = {}
    for queries in {column.queries for column in shape.columns}:
        in_column = of_passed_results[of_passed_results["qid"].isin(queries)]
        answers_some = in_column.groupby("name", sort=False)["answered"].any()
        names |= dict.fromkeys(answers_some.index[~answers_some])
    return [name for name in values["name"].unique() if name in names]
