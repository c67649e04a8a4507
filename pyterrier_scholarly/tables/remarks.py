"""The sentences below a table: what its figures are over, and what its signs mean.

They are written from what a table holds, so a table that is cut has those that it needs.
Arguments `columns`, `figures`, `comparisons`, `systems` and `checks` are those of a `PaperTable`.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from ..evaluation.checks import RunCheck
from ..frames import some
from ..protocols import Protocol
from ..stats.paired_tests import explain_missing_tests
from .layout import FIGURE, OWN, PUBLISHED, SIGNIFICANT, UNANSWERED, sign_baselines

#: what a printed figure was verified by -> column of `published` that says so
VERIFIED_COLUMNS = {
    "our measure on the authors' ranking": "measure_verified",
    "our system": "system_verified",
}


def remark_coverage(
    columns: pd.DataFrame, figures: pd.DataFrame, checks: Mapping[str, RunCheck]
) -> list[str]:
    """Say which queries and documents the figures of this run do not cover."""
    own_figures = figures[figures["source"] == OWN]
    remarks = []
    if (own_figures["queries"] < own_figures["of"]).any():
        remarks.append(
            "These rows cover fewer queries than the paper (counts above), so compare them with "
            "each other only."
        )

    remarks += _join_checks(checks)
    if (own_figures["answered"] < own_figures["queries"]).any():
        remarks.append(
            f"{UNANSWERED} Some of the column's queries have no results; these count as 0."
        )

    figure_counts = own_figures.groupby("name", sort=False).size()
    names_with_empty_cells = figure_counts.index[figure_counts < len(columns)]
    if len(names_with_empty_cells):
        remarks.append(
            "A cell is empty where results answer none of its queries: "
            f"{some(names_with_empty_cells)}."
        )
    return remarks


def _join_checks(checks: Mapping[str, RunCheck]) -> list[str]:
    """Return the remarks of all checks; runs with the same remark share a sentence."""
    names_by_sentence: dict[str, list[str]] = {}
    for name, check in checks.items():
        for sentence in check.remarks:
            names_by_sentence.setdefault(sentence, []).append(name)
    return [f"{some(names)}: {sentence}" for sentence, names in names_by_sentence.items()]


def remark_pools(figures: pd.DataFrame, protocol: Protocol) -> list[str]:
    """Say which printed figures are over other candidates, and how to rank these.

    Such figures do not compare with the others: the table has two protocols.
    """
    remarks = []
    for subset in protocol.subsets:
        names = figures[figures["other_pools"] == subset.pools]["name"].unique()
        if subset.pools and len(names):
            remarks.append(
                f"Two protocols: the printed figures of {some(names)} are {subset.pools_remark}. "
                f"To rank so, pass {protocol.collection}/{subset.pools} as the dataset."
            )
    return remarks


def remark_tuning(systems: pd.DataFrame, protocol: Protocol) -> list[str]:
    """Say which systems were tuned on the collection."""
    tuned_keys = [key for key in protocol.in_sample if key in set(systems["key"])]
    if not tuned_keys:
        return []
    # a collection has one text for all its tuned systems
    return [f"{' and '.join(tuned_keys)}: {protocol.in_sample[tuned_keys[0]]}"]


def remark_spread(resamples: int) -> str:
    """Say what ± and intervals are."""
    return (
        "± is the standard deviation, and intervals the middle 95 %, of the means of "
        f"{resamples:,} bootstrap samples of the queries; percent."
    )


def remark_tests(comparisons: pd.DataFrame, baselines: Sequence[str], corrected: str) -> list[str]:
    """Say what was tested, and what a sign means.

    corrected: how p-values were corrected for their number.
    """
    if comparisons["p"].isna().all():
        return []
    meanings = [f"{sign} differs from {name}" for name, sign in sign_baselines(baselines).items()]
    return [
        f"{'; '.join(meanings)}: two-sided paired t-test over the queries of both, "
        f"p < {SIGNIFICANT}, {corrected}."
    ]


def remark_missing_tests(comparisons: pd.DataFrame) -> list[str]:
    """Say which differences have no p-value, and why."""
    explanations = []
    for _, tests in comparisons.groupby("baseline", sort=False):
        explanations.append(explain_missing_tests(tests, FIGURE))
    return [explanation for explanation in explanations if explanation]


def remark_printed_rows(figures: pd.DataFrame) -> list[str]:
    """Say which papers print the printed rows, and which of these rows were verified, and how."""
    printed = figures[figures["source"] == PUBLISHED]
    if printed.empty:
        return []

    verified = []
    for verified_by, column in VERIFIED_COLUMNS.items():
        names = printed[printed[column] != ""]["name"].unique()
        verified.append(f"by {verified_by}: {some(names) if len(names) else 'none'}")
    return [
        f"Printed rows: {'; '.join(printed['paper'].unique())}.",
        f"Printed rows that were verified, {'; '.join(verified)} (see the page Fidelity).",
    ]
