"""The papers' tables as data frames.

Conventions: a CSV per collection, named after it, with the labels and figures as printed. In a
frame percentages are fractions of 1 and measures ours, so that printed figures join an
experiment's.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..settings import dataset_id

COLUMNS = ["system", "subset", "measure", "label", "value", "std", "table", "source"]


class Printed(NamedTuple):
    """How a collection's CSV is to be read."""

    source: str  #: the paper; a CSV with a column `source` has its own
    subset: Callable[[dict], str]  #: from a row to the id of its dataset below the collection
    measures: dict[str, str]  #: label -> our measure, in the order of the tables' columns
    unit: int = 100  #: what a value of 1 is printed as: 100 for percentages
    elsewhere: dict[str, str] = {}  #: label -> measure, where it differs over no dataset of ours


def _litsearch_subset(row):
    """``inline``, ``specific`` -> ``inline/specific``; `all` has no name.

    Table 4's figures are over both specificities, though its heading says specific.
    """
    if not row["specificity"]:
        return f"({row['source']})"  # another benchmark
    specificity = "" if row["table"] == "4" else row["specificity"]
    name = "/".join(part for part in (row["source"].removeprefix("all"), specificity) if part)
    if row["text"] == "full_paper":
        return f"full-text ({name})"
    return name if row["text"] else f"(search engines) {name}"


def _doris_mae_subset(row):
    names = {"query": "", "aspects": "aspect-queries", "extended-pool": "(extended pools)"}
    return names.get(row["queries"], row["queries"])


#: collection -> how its tables are read
COLLECTIONS = {
    "csfcube": Printed(
        source="",
        subset=lambda row: row["facet"],
        measures={
            "R-Precision": "PLastRel(rel=2)",
            "P@20": "P(rel=2)@20",
            "R@20": "R(rel=2)@20",
            "NDCG%20": "NDCG%20",
            "NDCG%100": "NDCG%100",
            "MAP": "AP(rel=2)",
        },
    ),
    "litsearch": Printed(
        source="Ajith et al. 2024, LitSearch",
        subset=_litsearch_subset,
        measures={"R@5": "R@5", "R@20": "R@20", "nDCG@10": "NDCG(discount='reciprocal')@10"},
        elsewhere={"nDCG@10": "nDCG@10"},  # MTEB's leaderboard
    ),
    "doris-mae": Printed(
        source="Wang et al. 2023, DORIS-MAE, appendix C",
        subset=_doris_mae_subset,
        measures={
            "R@5": "DorisR@5",
            "R@20": "DorisR@20",
            "RP": "DorisRprec",
            "NDCG%10": "NDCG(discount='log2',pool='ranked')%10",
            "NDCGexp%10": "NDCG(discount='log2',gain='exp2',pool='ranked')%10",
            "MRR@10": "DorisRR@10",
            "MAP": "DorisAP",
        },
    ),
    "rhsa": Printed(
        source="Krstovski et al. 2016",
        subset=lambda row: row["measure"].partition("(")[2].rstrip(")"),
        measures={"MAP(100q)": "AP", "rHSA(100q)": "rHSA", "rHSA(1M)": "rHSA"},
        unit=1,
    ),
}


def labels(collection):
    """Return the labels of the collection's columns, in order, with our measures: a dict."""
    return dict(COLLECTIONS[collection].measures)


def published(dataset):
    """Return the figures that papers print for a collection, or for a part of it.

    CSFCube's are on test, the mean of the two folds' means (see `fold_mean`). "rhsa" has the tables
    of the paper that brought `rHSA`, whose sets of pairs, "100q" and "1M", were not published: a
    row per system in each (``.pivot(index="system", columns="label", values="value")`` puts them as
    printed, for `correlate`).

    Args:
        dataset: an id (``"litsearch"``, ``"litsearch/inline/broad"``; with or without ``irds:``) or
            a dataset object. With a subset come the subsets below it.

    Returns:
        Frame, a row for each figure, in the tables' order:
        `system` (as printed); `subset` (id of the dataset below the collection, "inline/broad"; ""
        for the collection itself); `measure` (our repr, as an experiment's columns are called);
        `label` (as printed); `value` (percentages as fractions of 1); `std` (the same; NaN where
        none is printed); `table` (its number, or ""); `source`.

        Parentheses say what is no dataset: after an id, which of its queries ("full-text
        (inline/broad)"); before, another setting altogether (LitSearch's "(search engines) …" of 80
        questions over larger corpora, and "(MSMARCO)" and other benchmarks; DORIS-MAE's "(extended
        pools)").

    Raises:
        ValueError: no figures are printed for it; names those that have some.
    """
    name = dataset_id(dataset) or repr(dataset)
    collection, _, below = name.partition("/")
    if collection not in COLLECTIONS:
        raise ValueError(f"no published figures of {name}: there are of {', '.join(COLLECTIONS)}")
    figures = _read(collection)
    inside = figures["subset"].str.match(rf"{re.escape(below)}(/| \(|$)")
    if below and not inside.any():
        subsets = figures["subset"].str.partition(" (")[0].unique()
        ids = [f"{collection}/{subset}".rstrip("/") for subset in subsets if subset[:1] != "("]
        raise ValueError(f"no published figures of {name}: there are of {', '.join(ids)}")
    return figures[inside].reset_index(drop=True) if below else figures


def _read(collection):
    path = Path(__file__).with_name(f"{collection}.csv")
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    printed = COLLECTIONS[collection]
    return pd.DataFrame(
        [
            (
                row["system"],
                subset := printed.subset(row),
                _measures(printed, subset)[row["measure"]],
                row["measure"],
                _fraction(row["value"], printed.unit),
                _fraction(row.get("std") or "nan", printed.unit),
                row.get("table", ""),
                printed.source or row["source"],
            )
            for row in rows
        ],
        columns=COLUMNS,
    )


def _measures(printed, subset):
    return printed.measures | (printed.elsewhere if subset.startswith("(") else {})


def _fraction(figure, unit):
    return float(Decimal(figure) / unit)  # 49.06 is .4906; as floats it would be .49060000000000004
