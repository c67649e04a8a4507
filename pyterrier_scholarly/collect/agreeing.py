"""Agreement of annotators with one another, and with a reference."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from .. import frames
from ..stats import agreeing
from .single import COLUMNS

AMONG, WITH = "annotators", "reference"
MACRO = ("precision", "recall", "f1")
RULINGS = ("rated", "agreed", "one_kept", "overruled", "changed")
#: the coefficients, by column
COEFFICIENTS = [
    "spearman",
    *(f"alpha_{level}" for level in agreeing.LEVELS),
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "percent",
    *MACRO,
]


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
        ratings: frame of `qid`, `docno`, `annotator`, `rating`, as `single_ratings` gives it.
        reference: the annotator that the others are compared with, e.g. "reference"; None for none.
        scale: the grades that there may be; None for those that occur.

    Returns:
        `Agreement`.

    Raises:
        ValueError: a rating outside the scale, or none at all; two ratings of one annotator for one
            document; a query with a single annotator, where there is no reference.
    """
    rated, scale = _checked(ratings, scale)
    rows, matrices, rulings = [], {}, []
    for qid, of_query in rated.groupby("qid", sort=False):
        wide = of_query.pivot(index="docno", columns="annotator", values="rating")
        judges = wide.drop(columns=[reference], errors="ignore")
        _enough(qid, judges, wide, reference)
        compared = {}
        if len(judges.columns) > 1:
            compared[AMONG] = list(combinations(judges, 2))
        if reference in wide:
            compared[WITH] = [(reference, annotator) for annotator in judges]
            rulings.append({"qid": qid, **_ruled(judges, wide[reference])})
        for name, pairs in compared.items():
            among = judges.to_numpy() if name == AMONG else None
            found = [agreeing.confusion(*wide[list(pair)].to_numpy().T, scale) for pair in pairs]
            matrices.setdefault(name, []).extend(found)
            counts = {"pairs": sum(matrix.sum() for matrix in found)}
            counts["missing"] = int((judges if name == AMONG else wide).isna().to_numpy().sum())
            rows.append({"qid": qid, "compared": name, **counts, **_measured(found, scale, among)})
    perquery = pd.DataFrame(rows)
    whole = {name: sum(found) for name, found in matrices.items()}
    grades = pd.Index(scale)
    return Agreement(
        _table(perquery, whole, scale),
        perquery,
        {name: pd.DataFrame(matrix, grades, grades) for name, matrix in whole.items()},
        pd.DataFrame(rulings, columns=["qid", *RULINGS]),
    )


def _checked(ratings, scale):
    """The rows that are to be compared, and the scale."""
    missing = [name for name in COLUMNS if name not in ratings]
    if missing:
        raise ValueError(
            f"ratings have no column {', '.join(missing)}: expected {', '.join(COLUMNS)}, as "
            "single_ratings gives them."
        )
    frames.no_duplicates(ratings, ["qid", "docno", "annotator"])
    rated = ratings.assign(rating=pd.to_numeric(ratings["rating"]).astype(float))
    given = rated["rating"].dropna()
    if given.empty:
        raise ValueError("no ratings to compare: expected two or more for some document.")
    scale = tuple(sorted(given.unique())) if scale is None else tuple(scale)
    if list(scale) != sorted(set(scale)):
        raise ValueError(f"scale={scale}: expected grades in ascending order, each once.")
    outside = rated.loc[given.index[~given.isin(scale)]]
    if len(outside):
        named = frames.some(
            f"{row.rating:g} by {row.annotator} for {row.qid} {row.docno}"
            for row in outside.itertuples()
        )
        raise ValueError(
            f"Ratings outside the scale {', '.join(f'{grade:g}' for grade in scale)}: {named}. "
            "Correct them, or make them NaN where they stand for a missing rating."
        )
    return rated, tuple(int(grade) if grade == int(grade) else grade for grade in scale)


def _enough(qid, judges, wide, reference):
    if len(judges.columns) + (reference in wide) < 2:
        named = ", ".join(map(str, wide.columns))
        other = "" if reference is None else f", or one and the reference {reference!r}"
        raise ValueError(
            f"Query {qid} has ratings of {named} alone: agreement needs two annotators{other}. "
            "Leave the query out, or give a reference."
        )


def _measured(matrices, scale, ratings):
    """The mean over pairs of annotators, α of all of them together where `ratings` are given."""
    found = pd.DataFrame([_coefficients(matrix, scale) for matrix in matrices])
    found = found.mean(skipna=False).to_dict()
    if ratings is None:
        return found
    together = agreeing.coincidences(ratings, scale)
    no_reference = dict.fromkeys(MACRO, np.nan)
    return {**found, **_alphas(together, scale), **no_reference}


def _coefficients(matrix, scale):
    precision, recall, f1 = agreeing.macro(matrix)
    return {
        "spearman": agreeing.spearman(matrix),
        **_alphas(matrix + matrix.T, scale),  # of two judges, each thing counts two
        "kappa": agreeing.cohen_kappa(matrix),
        "kappa_linear": agreeing.cohen_kappa(matrix, "linear"),
        "kappa_quadratic": agreeing.cohen_kappa(matrix, "quadratic"),
        "percent": agreeing.percent(matrix),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _alphas(together, scale):
    return {
        f"alpha_{level}": agreeing.krippendorff_alpha(together, scale, level)
        for level in agreeing.LEVELS
    }


def _ruled(judges, reference):
    """What became of the ratings of the things that all annotators and the reference rated."""
    whole = judges.notna().all(axis=1) & reference.notna()
    judges, reference = judges[whole], reference[whole]
    agreed = judges.nunique(axis=1) == 1
    kept = judges.eq(reference, axis=0).any(axis=1)
    counts = (whole, agreed, ~agreed & kept, ~agreed & ~kept, agreed & ~kept)
    return dict(zip(RULINGS, (int(which.sum()) for which in counts)))


def _table(perquery, whole, scale):
    rows = []
    for name, of_queries in perquery.groupby("compared", sort=False):
        values = of_queries[COEFFICIENTS]
        told = [column for column in COEFFICIENTS if name == WITH or column not in MACRO]
        counts = {
            "queries": len(of_queries),
            "pairs": of_queries["pairs"].sum(),
            "missing": of_queries["missing"].sum(),
            "undefined": int(values[told].isna().any(axis=1).sum()),
        }
        pooled = _coefficients(whole[name], scale)
        if name == AMONG:
            pooled |= dict.fromkeys(MACRO, np.nan)
        over = {"median": values.median(), "mean": values.mean(), "pooled": pooled}
        rows += [{"compared": name, "over": key, **counts, **found} for key, found in over.items()]
    return pd.DataFrame(rows)
