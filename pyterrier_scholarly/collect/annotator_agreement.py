"""Agreement of annotators with one another, and with a reference."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from .. import frames
from ..arguments import check_arguments
from .coefficients import COEFFICIENTS, MACRO, WITH, Comparison, comparisons, pooled
from .ratings import Ratings, checked

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
    rated, scale = checked(ratings, scale)
    annotators = sorted(set(rated["annotator"]))
    if reference is not None and reference not in annotators:
        raise ValueError(
            f"reference={reference!r} has no ratings: choose one of {frames.some(annotators)}."
        )
    rows, rulings = [], []
    by_side: dict[str, list[Comparison]] = {}
    for qid, of_query in rated.groupby("qid", sort=False):
        grades = of_query.pivot(index="docno", columns="annotator", values="rating")
        compared = comparisons(grades, reference, scale)
        if not compared:
            other = "" if reference is None else f", or one and the reference {reference!r}"
            raise ValueError(
                f"Query {qid} has ratings of {', '.join(map(str, grades.columns))} alone: "
                f"agreement needs two annotators{other}. Leave the query out, or pass a reference."
            )
        for side, comparison in compared.items():
            by_side.setdefault(side, []).append(comparison)
            rows.append({"qid": qid, "compared": side, **comparison.figures(scale)})
        if reference in grades:
            rulings.append({"qid": qid, **_ruled(grades, reference)})
    perquery = pd.DataFrame(rows)
    over_all = {side: pooled(queries) for side, queries in by_side.items()}
    return Agreement(
        _table(perquery, over_all, scale),
        perquery,
        {side: pd.DataFrame(*one.pairs, scale, scale) for side, one in over_all.items()},
        pd.DataFrame(rulings, columns=["qid", *RULINGS]),
    )


def _ruled(grades: pd.DataFrame, reference: str | None) -> dict[str, int]:
    """Count RULINGS over the documents that all annotators and the reference rated."""
    rated = grades.dropna()
    judges, final = rated.drop(columns=reference), rated[reference]
    agreed = judges.nunique(axis=1) == 1
    kept = judges.eq(final, axis=0).any(axis=1)
    counts = map(sum, (agreed, ~agreed & kept, ~agreed & ~kept, agreed & ~kept))
    return dict(zip(RULINGS, map(int, (len(rated), *counts))))


def _table(perquery: pd.DataFrame, over_all: dict[str, Comparison], scale: tuple) -> pd.DataFrame:
    rows = []
    for side, of_queries in perquery.groupby("compared", sort=False):
        values = of_queries[COEFFICIENTS]
        defined = [name for name in COEFFICIENTS if side == WITH or name not in MACRO]
        counts = {
            "queries": len(of_queries),
            **of_queries[["pairs", "missing"]].sum(),
            "undefined": int(values[defined].isna().any(axis=1).sum()),
        }
        over = {
            "median": values.median(),
            "mean": values.mean(),
            "pooled": over_all[side].figures(scale),
        }
        rows += [{"compared": side, "over": key, **counts, **found} for key, found in over.items()]
    return pd.DataFrame(rows)
