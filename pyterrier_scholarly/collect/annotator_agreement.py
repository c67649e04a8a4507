"""Agreement of annotators with one another, and with a reference.

agreed = agreement(single_ratings("csfcube/all"), reference="reference")
agreed.table, agreed.perquery, agreed.confusions, agreed.rulings
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from .. import frames
from ..arguments import check_arguments
from .coefficients import (
    COEFFICIENTS,
    MACRO_AVERAGES,
    WITH_REFERENCE,
    Comparison,
    compare_ratings,
    pool_comparisons,
)
from .ratings import Ratings, check_ratings, check_scale

#: columns of `Agreement.rulings`, besides `qid`
RULINGS = ("rated", "agreed", "one_kept", "overruled", "changed")


@dataclass(eq=False)
class Agreement:
    """Hold the results of `agreement`.

    Args:
        table: a row for each `compared` ("annotators": with one another, "reference": each with the
            reference) and `over` ("median" and "mean" over queries, "pooled" over all ratings). A
            column for each coefficient; `queries`, `pairs` (of compared ratings), `missing`
            (ratings), and `undefined` (queries without some coefficient, which its median and mean
            leave out).
        perquery: the same for each query, `qid` and `compared`.
        confusions: dict from "annotators" and "reference" to a frame (grades × grades) of counts:
            summed over pairs of annotators (in order of their names), or over annotators (rows: the
            reference).
        rulings: with a reference, per query: `rated` (documents that all its annotators rated),
            and of these `agreed` (all annotators gave one grade), `one_kept` (the reference is one
            of several grades), `overruled` (the reference is none of them) and `changed` (agreed,
            but the reference differs).
    """

    table: pd.DataFrame
    perquery: pd.DataFrame
    confusions: dict[str, pd.DataFrame]
    rulings: pd.DataFrame

    def __repr__(self) -> str:
        return f"{type(self).__name__}:\n{self.table.to_string(float_format='{:.4f}'.format)}"

    def _repr_html_(self) -> str:
        return self.table.to_html(float_format="{:.4f}".format)


@check_arguments
def agreement(
    ratings: Ratings, reference: str | None = None, scale: Sequence[float] | None = None
) -> Agreement:
    """Measure how far annotators agree, per query and over all.

    Coefficients: Spearman's ρ; Krippendorff's α (nominal, ordinal, interval); Cohen's κ (without
    weights, with linear and quadratic ones); `percent` (share of equal ratings, in 0..1); against
    the reference also macro precision, recall and F1. α among annotators is over all annotators of
    a query; the others are means over their pairs. CSFCube's table [Mysore2021, 4] is the median
    over queries: its *pre* is "annotators", its *post* "reference".

    A missing rating (NaN, or no row for a document that others rated) is counted and not compared.
    An undefined coefficient is NaN: ρ if one side is constant, α and κ if all ratings are equal.

    Args:
        ratings: frame of `qid`, `docno`, `annotator`, `rating` or `label` (see `single_ratings`);
            or a dict from an annotator to a frame of the others (see `judge`, `read_grading`).
        reference: the annotator that the others are compared with, e.g. "reference"; None for none.
        scale: the possible grades; None for those that occur.

    Raises:
        ValueError: a rating outside the scale, or no rating; a duplicate rating; a query with a
            single annotator and no reference; a reference without ratings.
    """
    rated = check_ratings(ratings)
    grade_scale = check_scale(rated, scale)
    annotators = sorted(set(rated["annotator"]))
    if reference is not None and reference not in annotators:
        raise ValueError(
            f"reference={reference!r} has no ratings: choose one of {frames.some(annotators)}."
        )

    # per query
    figures_per_query = []
    rulings = []
    # by what is compared: annotators with one another, or each with the reference
    comparisons: dict[str, list[Comparison]] = {}
    for qid, ratings_of_query in rated.groupby("qid", sort=False):
        # a row for each document, a column for each annotator
        grades = ratings_of_query.pivot(index="docno", columns="annotator", values="rating")
        comparisons_of_query = compare_ratings(grades, reference, grade_scale)
        if not comparisons_of_query:
            raise ValueError(_describe_single(qid, grades, reference))

        for compared, comparison in comparisons_of_query.items():
            comparisons.setdefault(compared, []).append(comparison)
            figures = comparison.compute_figures(grade_scale)
            figures_per_query.append({"qid": qid, "compared": compared, **figures})
        if reference in grades:
            rulings.append({"qid": qid, **_count_rulings(grades, reference)})
    perquery = pd.DataFrame(figures_per_query)

    # over all queries together
    pooled_comparisons = {}
    confusions = {}
    for compared, comparisons_of_queries in comparisons.items():
        pooled = pool_comparisons(comparisons_of_queries)
        pooled_comparisons[compared] = pooled
        (confusion,) = pooled.confusions  # pooling adds up those of all queries and annotators
        confusions[compared] = pd.DataFrame(confusion, index=grade_scale, columns=grade_scale)

    return Agreement(
        table=_summarise(perquery, pooled_comparisons, grade_scale),
        perquery=perquery,
        confusions=confusions,
        rulings=pd.DataFrame(rulings, columns=["qid", *RULINGS]),
    )


def _describe_single(qid: str, grades: pd.DataFrame, reference: str | None) -> str:
    """Return the error's message for a query with too few annotators."""
    annotators = ", ".join(map(str, grades.columns))
    other = "" if reference is None else f", or one and the reference {reference!r}"
    return (
        f"Query {qid} has ratings of {annotators} alone: "
        f"agreement needs two annotators{other}. Leave the query out, or pass a reference."
    )


def _count_rulings(grades: pd.DataFrame, reference: str | None) -> dict[str, int]:
    """Count RULINGS over the documents that all annotators and the reference rated."""
    rated = grades.dropna()
    final_grades = rated[reference]
    of_annotators = rated.drop(columns=reference)

    has_agreed = of_annotators.nunique(axis=1) == 1
    is_kept = of_annotators.eq(final_grades, axis=0).any(axis=1)
    return {
        "rated": len(rated),
        "agreed": int(has_agreed.sum()),
        "one_kept": int((~has_agreed & is_kept).sum()),
        "overruled": int((~has_agreed & ~is_kept).sum()),
        "changed": int((has_agreed & ~is_kept).sum()),
    }


def _summarise(
    perquery: pd.DataFrame, pooled_comparisons: Mapping[str, Comparison], scale: Sequence[float]
) -> pd.DataFrame:
    """Return `Agreement.table`: three rows for each comparison of annotators.

    They have the median and the mean over queries, and the figures of all queries' ratings pooled.
    """
    rows = []
    for compared, figures in perquery.groupby("compared", sort=False):
        coefficients = figures[COEFFICIENTS]
        # among annotators, precision and the like never have a value: these do not count
        defined_names = [name for name in COEFFICIENTS if _can_be_defined(name, compared)]
        has_undefined = coefficients[defined_names].isna().any(axis=1)
        counts = {
            "queries": len(figures),
            "pairs": figures["pairs"].sum(),
            "missing": figures["missing"].sum(),
            "undefined": int(has_undefined.sum()),
        }

        medians = coefficients.median()
        means = coefficients.mean()
        pooled_figures = pooled_comparisons[compared].compute_figures(scale)
        rows.append({"compared": compared, "over": "median", **counts, **medians})
        rows.append({"compared": compared, "over": "mean", **counts, **means})
        rows.append({"compared": compared, "over": "pooled", **counts, **pooled_figures})
    return pd.DataFrame(rows)


def _can_be_defined(coefficient: str, compared: str) -> bool:
    """Return whether a coefficient has a meaning for what is compared."""
    return compared == WITH_REFERENCE or coefficient not in MACRO_AVERAGES
