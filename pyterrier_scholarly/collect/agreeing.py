"""Agreement of annotators with one another, and with a reference."""

from dataclasses import dataclass

import pandas as pd

from .. import frames
from ._comparing import COEFFICIENTS, MACRO, WITH, comparisons, pooled
from .ratings import checked

RULINGS = ("rated", "agreed", "one_kept", "overruled", "changed")


@dataclass(eq=False)
class Agreement:
    """What `agreement` found.

    Args:
        table: rows by `compared` ("annotators" with one another, then each with the "reference")
            and `over` ("median" and "mean" over queries, "pooled" over all ratings), a column per
            coefficient; `queries`, `pairs` (of ratings that were compared), `missing` (ratings),
            and `undefined` (queries for which some coefficient is not defined, and left out of its
            median and mean).
        perquery: the same for each query, `qid` and `compared`.
        confusions: "annotators" and "reference" → frame (grades × grades) of counts, summed over
            pairs of annotators (the first by name, the second), or over annotators (reference,
            annotator).
        rulings: with a reference, per query: `rated` (things that all its annotators rated), of
            these `agreed` (all the same), `one_kept` (the reference is one of them), `overruled`
            (none of them); and `changed`: agreed, and yet the reference differs.
    """

    table: pd.DataFrame
    perquery: pd.DataFrame
    confusions: dict
    rulings: pd.DataFrame

    def __repr__(self):
        return f"{type(self).__name__}:\n{self.table.to_string(float_format='{:.4f}'.format)}"

    def _repr_html_(self):
        return self.table.to_html(float_format="{:.4f}".format)


def agreement(ratings, reference=None, scale=None):
    """Measure how far annotators agree, per query and over all.

    Coefficients: Spearman's ρ; Krippendorff's α (nominal, ordinal, interval); Cohen's κ, unweighted
    and with linear and quadratic weights; `percent` (the share of equal ratings, in 0..1); and
    against the reference macro precision, recall and F1. α among annotators is of all of a query's
    annotators together, everything else the mean over their pairs. CSFCube's table [Mysore2021, 4]
    is the median over queries, *pre* the rows of "annotators", *post* those of "reference".

    A rating that is missing (NaN, or no row where others of the query have one) takes part in no
    comparison, and is counted. Where a coefficient is not defined it is NaN: ρ if one side is
    constant, α and κ if all ratings are one grade.

    Args:
        ratings: frame of `qid`, `docno`, `annotator`, `rating`, as `single_ratings` gives it; or a
            dict from an annotator to a frame of `qid`, `docno`, `label`, as `judge` and
            `read_grading` give it.
        reference: the annotator that the others are compared with, e.g. "reference"; None for none.
        scale: the grades that there may be; None for those that occur.

    Returns:
        `Agreement`.

    Raises:
        ValueError: a rating outside the scale, or none at all; two ratings of one annotator for one
            document; a query with a single annotator, where there is no reference; a reference
            that rated nothing.
    """
    rated, scale = checked(ratings, scale)
    there = sorted(set(rated["annotator"]))
    if reference is not None and reference not in there:
        raise ValueError(
            f"reference={reference!r} rated nothing: the annotators are {frames.some(there)}."
        )
    rows, found, rulings = [], {}, []
    for qid, of_query in rated.groupby("qid", sort=False):
        wide = of_query.pivot(index="docno", columns="annotator", values="rating")
        compared = comparisons(wide, reference, scale)
        if not compared:
            _too_few(qid, wide, reference)
        for name, one in compared.items():
            found.setdefault(name, []).append(one)
            rows.append({"qid": qid, "compared": name, **one.figures(scale)})
        if reference in wide:
            rulings.append({"qid": qid, **_ruled(wide.drop(columns=reference), wide[reference])})
    perquery = pd.DataFrame(rows)
    over_all = {name: pooled(several) for name, several in found.items()}
    grades = pd.Index(scale)
    return Agreement(
        _table(perquery, over_all, scale),
        perquery,
        {name: pd.DataFrame(*one.pairs, grades, grades) for name, one in over_all.items()},
        pd.DataFrame(rulings, columns=["qid", *RULINGS]),
    )


def _too_few(qid, wide, reference):
    named = ", ".join(map(str, wide.columns))
    other = "" if reference is None else f", or one and the reference {reference!r}"
    raise ValueError(
        f"Query {qid} has ratings of {named} alone: agreement needs two annotators{other}. "
        "Leave the query out, or give a reference."
    )


def _ruled(judges, reference):
    """What became of the ratings of the things that all annotators and the reference rated."""
    whole = judges.notna().all(axis=1) & reference.notna()
    judges, reference = judges[whole], reference[whole]
    agreed = judges.nunique(axis=1) == 1
    kept = judges.eq(reference, axis=0).any(axis=1)
    counts = (whole, agreed, ~agreed & kept, ~agreed & ~kept, agreed & ~kept)
    return dict(zip(RULINGS, (int(which.sum()) for which in counts)))


def _table(perquery, over_all, scale):
    rows = []
    for name, of_queries in perquery.groupby("compared", sort=False):
        values = of_queries[COEFFICIENTS]
        told = [column for column in COEFFICIENTS if name == WITH or column not in MACRO]
        counts = {
            "queries": len(of_queries),
            **of_queries[["pairs", "missing"]].sum(),
            "undefined": int(values[told].isna().any(axis=1).sum()),
        }
        figures = over_all[name].figures(scale)
        over = {"median": values.median(), "mean": values.mean(), "pooled": figures}
        rows += [{"compared": name, "over": key, **counts, **found} for key, found in over.items()]
    return pd.DataFrame(rows)
