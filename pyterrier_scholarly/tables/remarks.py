"""The sentences below a table: what its figures are over, and what its signs mean.

They are written from what a table holds, so a table that is cut has those that it needs.
"""

from collections.abc import Iterator

from ..frames import some
from ..stats.paired_tests import explain_missing_tests
from .layout import (
    FIGURE,
    OWN,
    PUBLISHED,
    SIGNIFICANT,
    UNANSWERED,
    TableData,
    sign_baselines,
)

#: what a printed figure was verified by -> column of `published` that says so
VERIFIED_COLUMNS = {
    "our measure on the authors' ranking": "measure_verified",
    "our system": "system_verified",
}


def write_remarks(table: TableData, with_signs: bool = True) -> Iterator[str]:
    """Yield the sentences below a table, the most important first.

    with_signs: whether to explain ± and the signs of tests.
    """
    yield from _remark_coverage(table)
    yield from _remark_other_pools(table)
    yield from _remark_tuned_systems(table)
    yield from table.notes

    if with_signs:
        yield (
            "± is the standard deviation, and intervals the middle 95 %, of the means of "
            f"{table.resamples:,} bootstrap samples of the queries; percent."
        )
        yield from remark_tests(table)
    for _, tests in table.comparisons.groupby("baseline", sort=False):
        explanation = explain_missing_tests(tests, FIGURE)
        if explanation:
            yield explanation

    yield from _remark_printed_rows(table)


def _remark_coverage(table: TableData) -> Iterator[str]:
    """Say which queries and documents the figures of this run do not cover."""
    own_figures = table.figures[table.figures["source"] == OWN]
    if (own_figures["queries"] < own_figures["of"]).any():
        yield (
            "These rows cover fewer queries than the paper (counts above), so compare them with "
            "each other only."
        )

    # runs with the same remark share a sentence
    names_by_sentence: dict[str, list[str]] = {}
    for name, check in table.checks.items():
        for sentence in check.remarks:
            names_by_sentence.setdefault(sentence, []).append(name)
    for sentence, names in names_by_sentence.items():
        yield f"{some(names)}: {sentence}"

    if (own_figures["answered"] < own_figures["queries"]).any():
        yield f"{UNANSWERED} Some of the column's queries have no results; these count as 0."

    figure_counts = own_figures.groupby("name", sort=False).size()
    names_with_empty_cells = figure_counts.index[figure_counts < len(table.columns)]
    if len(names_with_empty_cells):
        yield (
            "A cell is empty where results answer none of its queries: "
            f"{some(names_with_empty_cells)}."
        )


def _remark_other_pools(table: TableData) -> Iterator[str]:
    """Say which printed figures are over other candidates: the table has two protocols."""
    for subset in table.protocol.subsets:
        if not subset.pools:  # the candidates of all rows
            continue
        is_over_these = table.figures["other_pools"] == subset.pools
        names = table.figures[is_over_these]["name"].unique()
        if len(names):
            yield (
                f"Two protocols: the printed figures of {some(names)} are {subset.pools_remark}. "
                f"To rank so, pass {table.protocol.collection}/{subset.pools} as the dataset."
            )


def _remark_tuned_systems(table: TableData) -> Iterator[str]:
    """Say which systems were tuned on the queries of this table."""
    remark_of_key = table.protocol.in_sample
    tuned_keys = [key for key in remark_of_key if key in set(table.systems["key"])]
    if tuned_keys:  # a collection has one remark for all its tuned systems
        yield f"{' and '.join(tuned_keys)}: {remark_of_key[tuned_keys[0]]}"


def remark_tests(table: TableData) -> Iterator[str]:
    """Say what was tested, and what a sign means."""
    if table.comparisons["p"].notna().any():
        signs = sign_baselines(table.baselines)
        meanings = [f"{sign} differs from {name}" for name, sign in signs.items()]
        yield (
            f"{'; '.join(meanings)}: two-sided paired t-test over the queries of both, "
            f"p < {SIGNIFICANT}, {table.corrected}."
        )


def _remark_printed_rows(table: TableData) -> Iterator[str]:
    """Say which papers print the printed rows, and which of these rows were verified, and how."""
    printed = table.figures[table.figures["source"] == PUBLISHED]
    if printed.empty:
        return
    yield f"Printed rows: {'; '.join(printed['paper'].unique())}."

    verified = []
    for verified_by, column in VERIFIED_COLUMNS.items():
        names = printed[printed[column] != ""]["name"].unique()
        verified.append(f"by {verified_by}: {some(names) or 'none'}")
    yield f"Printed rows that were verified, {'; '.join(verified)} (see the page Fidelity)."
