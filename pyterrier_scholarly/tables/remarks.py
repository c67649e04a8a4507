"""The sentences below a table: what its figures are over, and what its signs mean."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from ..evaluation.run_check_report import RunCheck
from ..frames import some
from ..stats.paired_tests import explain_missing_tests
from .baseline_tests import TestedFigures
from .layout import sign_baselines
from .table_content import OWN, PUBLISHED, UNANSWERED, Condition, Remark
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
TESTED = "{}: two-sided paired t-test over the queries of both, p < 0.05, {}."
#: argument `correction` of `reproduce` -> how the remark says it
CORRECTIONS = {
    None: "not corrected for the number of comparisons",
    "holm": "corrected for {:,} comparisons (Holm)",
    "benjamini-hochberg": "corrected for {:,} comparisons (Benjamini-Hochberg)",
}
#: what a printed figure was verified by -> column of `published` that says so
VERIFIED_COLUMNS = {
    "our measure on the authors' ranking": "measure_verified",
    "our system": "system_verified",
}


def write_remarks(
    shape: Shape,
    tested: TestedFigures,
    values: pd.DataFrame,
    *,
    checks: Sequence[RunCheck],
    keys: Mapping[str, str],
    baselines: Sequence[str],
    resamples: int,
    correction: str | None,
) -> tuple[Remark, ...]:
    """Return the sentences for below a table, the most important first.

    Args:
        shape: of the table.
        tested, values: what `compute_tested_figures` returns and takes.
        checks: of all rows' runs.
        keys: dict from a row's name to its key, for named systems.
        baselines: names of the systems that the others are tested against.
        resamples: of the bootstrap.
        correction: of p-values, or None.
    """
    return (
        *_remark_coverage(shape, tested.figures, values, checks),
        *_remark_pools(shape),
        *_remark_protocol(shape, keys),
        *_remark_statistics(shape, resamples),
        *_remark_tests(tested, baselines, correction),
        *_remark_printed_rows(shape.printed),
    )


def select_remarks(remarks: Iterable[Remark], figures: pd.DataFrame) -> tuple[Remark, ...]:
    """Return the remarks that a table with these figures needs, in their order."""
    own_figures = figures[figures["source"] == OWN]
    conditions = {
        Condition.ALWAYS: True,
        Condition.FEWER_QUERIES: (own_figures["queries"] < own_figures["of"]).any(),
        Condition.UNANSWERED: (own_figures["answered"] < own_figures["queries"]).any(),
        Condition.PRINTED_ROWS: (figures["source"] == PUBLISHED).any(),
        Condition.TESTS: own_figures["p"].notna().any(),
    }

    needed_remarks = []
    for remark in remarks:
        is_about_rows = not remark.systems or own_figures["name"].isin(remark.systems).any()
        if is_about_rows and conditions[remark.condition]:
            needed_remarks.append(remark)
    return tuple(needed_remarks)


def _remark_coverage(
    shape: Shape, figures: pd.DataFrame, values: pd.DataFrame, checks: Iterable[RunCheck]
) -> list[Remark]:
    """Return remarks on queries and documents that the figures do not cover.

    Args:
        shape: of the table.
        figures: a row per figure; `queries` are its queries, `of` those of the papers' figure, and
            `answered` those with results.
        values: a row per system and query.
        checks: of all rows' runs.
    """
    remarks = []
    has_fewer_queries = (figures["queries"] < figures["of"]).any()
    if has_fewer_queries:
        remarks.append(Remark(FEWER_QUERIES, condition=Condition.FEWER_QUERIES))

    remarks += _remark_runs(checks)

    has_unanswered_queries = (figures["answered"] < figures["queries"]).any()
    if has_unanswered_queries:
        remarks.append(Remark(WITH_UNANSWERED, condition=Condition.UNANSWERED))

    names = _find_names_with_empty_cells(shape, values)
    if names:
        text = EMPTY_CELLS.format(some(names))
        remarks.append(Remark(text, systems=tuple(names)))
    return remarks


def _remark_runs(checks: Iterable[RunCheck]) -> list[Remark]:
    """Say what does not fit of each run; runs with the same remark share a sentence."""
    names_by_sentence: dict[str, list[str]] = {}
    for check in checks:
        for sentence in check.remarks:
            names_by_sentence.setdefault(sentence, []).append(check.name)
    return [
        Remark(f"{some(names)}: {sentence}", systems=tuple(names))
        for sentence, names in names_by_sentence.items()
    ]


def _find_names_with_empty_cells(shape: Shape, values: pd.DataFrame) -> list[str]:
    """Return the names of results, passed by the user, with an empty cell in the table.

    A cell is empty if the results answer none of its column's queries.
    """
    values_of_results = values[~values["was_run"]]
    distinct_query_sets = {column.queries for column in shape.columns}

    names_with_empty_cells: set[str] = set()
    for queries in distinct_query_sets:
        values_of_column = values_of_results[values_of_results["qid"].isin(queries)]
        answers_some = values_of_column.groupby("name")["answered"].any()
        names_with_empty_cells.update(answers_some.index[~answers_some])

    names = values["name"].unique()  # in the table's order
    return [name for name in names if name in names_with_empty_cells]


def _remark_pools(shape: Shape) -> list[Remark]:
    """Say which printed rows are over other candidates than this run's, and how to rank these.

    Such figures do not compare with the others.
    """
    protocol = shape.protocol
    printed = shape.printed
    remarks = []
    for subset in protocol.subsets:
        is_of_other_pools = printed["pools"].eq(subset.pools) & printed["pools"].ne(shape.pools)
        names = printed[is_of_other_pools]["system"].unique()
        if len(names):
            text = (
                f"Two protocols: the printed figures of {some(names)} are {subset.pools_remark}. "
                f"To rank so, pass {protocol.collection}/{subset.pools} as the dataset."
            )
            remarks.append(Remark(text, condition=Condition.PRINTED_ROWS))
    return remarks


def _remark_protocol(shape: Shape, keys: Mapping[str, str]) -> list[Remark]:
    """Return remarks on systems that were tuned on the collection, and on its table.

    keys: dict from a row's name to the key of its system.
    """
    protocol = shape.protocol
    remarks = []

    keys_of_rows = set(keys.values())
    tuned_keys = [key for key in protocol.in_sample if key in keys_of_rows]
    if tuned_keys:
        # a collection has one text for all its tuned systems, so the first one's serves
        tuning = protocol.in_sample[tuned_keys[0]]
        names_of_rows = tuple(name for name, key in keys.items() if key in tuned_keys)
        tuning_remark = Remark(f"{' and '.join(tuned_keys)}: {tuning}", systems=names_of_rows)
        remarks.append(tuning_remark)

    if shape.number in protocol.remarks:
        remarks.append(Remark(protocol.remarks[shape.number]))
    return remarks


def _remark_statistics(shape: Shape, resamples: int) -> list[Remark]:
    """Say how means and intervals were computed."""
    remarks = []
    if any(len(column.parts) > 1 for column in shape.columns):
        remarks.append(Remark(MEANS_OF_FOLDS))
    remarks.append(Remark(RESAMPLED.format(resamples), explains_signs=True))
    return remarks


def _remark_tests(
    tested: TestedFigures, baselines: Sequence[str], correction: str | None
) -> list[Remark]:
    """Say what was tested, and what a sign means."""
    has_comparisons = tested.figures["name"].nunique() > 1
    if not has_comparisons:
        return []

    signs = sign_baselines(baselines)
    differs = "; ".join(f"{sign} differs from {baseline}" for baseline, sign in signs.items())
    comparison_count = tested.figures["p"].notna().sum() + tested.further["p"].notna().sum()
    corrected = CORRECTIONS[correction].format(comparison_count)
    text = TESTED.format(differs, corrected)
    remarks = [Remark(text, condition=Condition.TESTS, explains_signs=True)]

    for tests in (tested.figures, tested.further):
        missing_tests = explain_missing_tests(tests, ["name", "subset", "measure"])
        if missing_tests:
            remarks.append(Remark(missing_tests))
    return remarks


def _remark_printed_rows(printed: pd.DataFrame) -> list[Remark]:
    """Say which papers print the printed rows, and which of these rows were verified, and how."""
    sources = printed["source"].unique()
    if len(sources) == 0:  # no rows are printed
        return []

    verified_systems = []
    for verified_by, column in VERIFIED_COLUMNS.items():
        is_verified = printed[column].ne("")
        names = printed[is_verified]["system"].unique()
        listed_names = some(names) if len(names) else "none"
        verified_systems.append(f"by {verified_by}: {listed_names}")

    source_text = f"Printed rows: {'; '.join(sources)}."
    verified_text = (
        f"Printed rows that were verified, {'; '.join(verified_systems)} (see the page Fidelity)."
    )
    return [
        Remark(source_text, condition=Condition.PRINTED_ROWS),
        Remark(verified_text, condition=Condition.PRINTED_ROWS),
    ]
