"""The papers' tables as data frames.

Conventions: `figures.csv` of a protocol's folder has the labels and figures as printed. In a frame
percentages are fractions of 1 and measures ours, so that printed figures join an experiment's.
Tables that are not figures of systems (rubrics, statistics, lists) are a CSV each,
``tables/<number>.csv``, with headings and cells as printed; a heading over several columns stands
before each ("Broad #Q").
"""

import re
from decimal import Decimal

import pandas as pd

from ..protocols import PROTOCOLS, protocol_of
from ..settings import dataset_id

COLUMNS = ["system", "subset", "measure", "label", "value", "std", "table", "source"]


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
    protocol = protocol_of(name)
    if protocol is None or not protocol.printed:
        known = ", ".join(one for one, protocol in PROTOCOLS.items() if protocol.printed)
        raise ValueError(f"no published figures of {name}: there are of {known}")
    collection, figures = protocol.collection, _read(protocol)
    below = name.removeprefix(collection).removeprefix("/")
    inside = figures["subset"].str.match(rf"{re.escape(below)}(/| \(|$)")
    if below and not inside.any():
        subsets = figures["subset"].str.partition(" (")[0].unique()
        ids = [f"{collection}/{subset}".rstrip("/") for subset in subsets if subset[:1] != "("]
        raise ValueError(f"no published figures of {name}: there are of {', '.join(ids)}")
    return figures[inside].reset_index(drop=True) if below else figures


def _read(protocol):
    path = protocol.folder / "figures.csv"
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    others = protocol.measures | protocol.elsewhere
    return pd.DataFrame(
        [
            (
                row["system"],
                subset := protocol.subset(row),
                (others if subset.startswith("(") else protocol.measures)[row["measure"]],
                row["measure"],
                _fraction(row["value"], protocol.unit),
                _fraction(row.get("std") or "nan", protocol.unit),
                row.get("table", ""),
                protocol.source or row["source"],
            )
            for row in rows
        ],
        columns=COLUMNS,
    )


def _fraction(figure, unit):
    return float(Decimal(figure) / unit)  # 49.06 is .4906; as floats it would be .49060000000000004


def printed_tables(dataset):
    """Return a paper's tables that describe its collection, as printed.

    They stand beside what `statistics` computes. Tables with figures of systems are in `published`.

    - LitSearch [Ajith et al. 2024]: "1" (rubric of the annotation), "2" and "14" (the questions),
      "9" (checkpoints of the retrievers), "2.5" (that section's figures of the papers).
    - DORIS-MAE [Wang et al. 2023]: "9" (relevant abstracts per query) and "10" (normalised
      scores), of queries and of sub-queries with two aspects, by type.
    - rHSA [Krstovski et al. 2016]: "3" (correlations of rHSA with MAP; `correlate` computes them
      from `published("rhsa")`).

    Args:
        dataset: id of a collection (``"litsearch"``, with or without ``irds:``) or of a part of
            it, or a dataset object. A part has the tables of its collection.

    Returns:
        Dict from the number of a table or section to a frame, in the order of the numbers. Figures
        are numbers in the printed unit; an empty cell is NaN.

    Raises:
        ValueError: there are no such tables of the collection; names those that have some.
    """
    name = dataset_id(dataset) or repr(dataset)
    found = {one: [*protocol.folder.glob("tables/*.csv")] for one, protocol in PROTOCOLS.items()}
    paths = found.get(name.partition("/")[0])
    if not paths:
        known = ", ".join(one for one, tables in found.items() if tables)
        raise ValueError(f"no printed tables of {name}: there are of {known}")
    paths.sort(key=lambda path: float(path.stem))
    return {path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""]) for path in paths}
