"""The papers' tables as data frames.

    published("litsearch/inline/broad")   # a row for each printed figure of a system
    printed_tables("doris-mae")["9"]      # a table without systems, as printed

Conventions: `figures.csv` in a protocol's folder has labels and figures as printed. In a frame
percentages are fractions of 1 and measures are ours, so printed figures can be joined with an
experiment's. A table without figures of systems (a rubric, statistics, a list) is a CSV file,
``tables/<number>.csv``, with headings and cells as printed. A heading over several columns is
repeated in each ("Broad #Q"). Figures that a paper prints in its text are such a file, too, named
by a section or a word; each row says where it was read.
"""

from collections.abc import Callable
from decimal import Decimal

import pandas as pd

from ir_datasets_ext.choices import suggest_choice

from ..datasets import DatasetLike
from ..protocols import PROTOCOLS, Protocol, protocol_of
from ..settings import dataset_id

COLUMNS = ["system", "subset", "measure", "label", "value", "std", "table", "source"]
#: columns that say what was compared with a printed figure, and found equal; "" for nothing
VERIFIED = ["measure_verified", "system_verified"]


def published(dataset: DatasetLike) -> pd.DataFrame:
    """Return the figures that papers print for a collection, or for a part of it.

    CSFCube's are on test, the mean of the two folds' means (see `fold_mean`). "rhsa" has the tables
    of the paper that introduced `rHSA`, a row per system in each of its unpublished sets of pairs,
    "100q" and "1M". ``.pivot(index="system", columns="label", values="value")`` gives the printed
    layout, for `correlate`.

    Args:
        dataset: an id (``"litsearch"``, ``"litsearch/inline/broad"``; with or without ``irds:``) or
            a dataset object. A subset includes the subsets below it.

    Returns:
        Frame, a row for each figure, in the tables' order:
        `system` (as printed); `subset` (id of the dataset below the collection, "inline/broad"; ""
        for the collection itself); `measure` (our repr, as in an experiment's columns);
        `label` (as printed); `value` (percentages as fractions of 1); `std` (the same; NaN if none
        is printed); `table` (its number, or ""); `source`; `measure_verified` and
        `system_verified`.

        The last two keep two promises apart: that our measure gives the authors' figure on the
        authors' ranking, and that our system gives their figure. Each says what ours was compared
        with and equal to: "printed", this figure; "authors' code", what their code computes for
        the part of the queries that is present; "" for nothing yet. The page "Fidelity" says how.

        CSFCube's subset "with-query-paper" has the figures of ASPIRE, whose code ranks the pools
        as they are released, with a query paper in two of them: these figures compare with each
        other alone, and ours over `csfcube/with-query-paper` with them.

        Parentheses mark what is no dataset. After an id, they name a part of its queries
        ("full-text (inline/broad)"). At the start, they name another setting: LitSearch's "(search
        engines) …" of 80 questions over larger corpora, its "(MSMARCO)" and other benchmarks,
        DORIS-MAE's "(extended pools)".

    Raises:
        ValueError: a dataset without printed figures; names those with figures.
    """
    protocol = find_protocol("published figures", dataset, has_printed_figures)
    figures = _read_figures(protocol)

    name = dataset_id(dataset) or protocol.collection
    subset = name.removeprefix(protocol.collection).removeprefix("/")
    if not subset:
        return figures

    # the subset of this name, which need not be a dataset
    has_name = figures["subset"].eq(subset)

    # figures over the dataset of this name, or over one below it
    dataset_of_row = figures["subset"].map(_find_datasets_of_subsets(figures, protocol))
    is_inside = dataset_of_row.eq(subset) | dataset_of_row.str.startswith(f"{subset}/")

    is_returned = has_name | is_inside
    if not is_returned.any():
        known_ids = _list_printed_ids(figures, protocol)
        raise ValueError(f"{name} has no published figures. {suggest_choice(name, known_ids)}")
    return figures[is_returned].reset_index(drop=True)


def printed_tables(dataset: DatasetLike) -> dict[str, pd.DataFrame]:
    """Return a paper's tables that describe its collection, and its text's figures, as printed.

    `statistics` computes such tables. `published` has the tables with figures of systems.

    - CSFCube [Mysore et al. 2021]: "pilot" (how grades by abstracts agree with grades by full
      texts), "comparisons" (with two collections of others), "selection" (how papers were chosen),
      "annotation" (by whom and how they were graded), "training-data" (what appendix H names).
      "script" has all that the authors' script computes of its SPECTER rankings, in percent, on
      dev and test. Tables 1, 2, 3 and F are not in our copy of the paper.
    - LitSearch [Ajith et al. 2024]: "1" (rubric of the annotation), "2" and "14" (the questions),
      "9" (checkpoints of the retrievers), "2.5" (that section's figures of the papers; the release
      does not say which papers are ACL's and ICLR's, so these counts cannot be computed), "3.2"
      (how much GPT-4o reads), "figure-3" (recall by k: its points at 5 and 20 are those of table
      3; the others were not read off the curves), "selection" (sections 2.1 to 2.3: how questions
      came in, and which were kept).
    - DORIS-MAE [Wang et al. 2023]: "9" (relevant abstracts per query) and "10" (normalised
      scores), of queries and of sub-queries with two aspects, by type; "A.3" (what is in the
      release, and that the 90 development pairs are in the authors' codebase), "C.6" (the second
      pools beside the first ones), "text" (figures of other sections). Our copy of the paper
      prints table 10's mean of CV's sub-queries twice: .642, which stands here, and .633.
    - rHSA [Krstovski et al. 2016]: "3" (correlations of rHSA with MAP; `correlate` computes them
      from `published("rhsa")`), "log" (counts of the download log and of its documents).

    Args:
        dataset: id of a collection (``"litsearch"``, with or without ``irds:``) or of a part of
            it, or a dataset object. A part has the tables of its collection.

    Returns:
        Dict from the number of a table or section to a frame, in the order of the numbers, then
        those named by words. Figures are numbers in the printed unit; an empty cell is NaN.

    Raises:
        ValueError: a collection without such tables; names those with tables.
    """
    protocol = find_protocol("printed tables", dataset, has_printed_tables)
    return {
        path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""])
        for path in protocol.printed_tables
    }


def find_protocol(
    what: str, dataset: DatasetLike, is_sufficient: Callable[[Protocol], bool]
) -> Protocol:
    """Return a dataset's protocol, which must have what the caller needs.

    Args:
        what: the need, in words for the error ("printed tables").
        is_sufficient: function from a protocol to whether it meets the need.

    Raises:
        ValueError: there is no such protocol; names the collections that have one.
    """
    name = dataset_id(dataset) or repr(dataset)
    protocol = protocol_of(name)
    if protocol is not None and is_sufficient(protocol):
        return protocol

    known_collections = [
        collection for collection, other in PROTOCOLS.items() if is_sufficient(other)
    ]
    raise ValueError(f"{name} has no {what}. {suggest_choice(name, known_collections)}")


def has_printed_figures(protocol: Protocol) -> bool:
    """Return whether papers print figures for a protocol's collection."""
    return protocol.printed


def has_printed_tables(protocol: Protocol) -> bool:
    """Return whether a protocol has tables without figures of systems."""
    return bool(protocol.printed_tables)


def _read_figures(protocol: Protocol) -> pd.DataFrame:
    """Return all rows of a protocol's `figures.csv`, with our measures and fractions of 1."""
    printed_rows = pd.read_csv(protocol.folder / "figures.csv", dtype=str, keep_default_na=False)
    rows = [_convert_row(row, protocol) for row in printed_rows.to_dict("records")]
    return _add_verified(pd.DataFrame(rows, columns=COLUMNS), protocol)


def _convert_row(row: dict[str, str], protocol: Protocol) -> dict[str, object]:
    """Convert a row of `figures.csv`, whose texts are as printed."""
    subset_name = protocol.subset(row)
    subset = protocol.find_subset(subset_name)
    label = row["measure"]

    measure_of_label = protocol.measures
    if subset.dataset is None:  # over unpublished queries some labels stand for another measure
        measure_of_label = measure_of_label | protocol.elsewhere

    return {
        "system": row["system"],
        "subset": subset_name,
        "measure": measure_of_label[label],
        "label": label,
        "value": _convert_figure(row["value"], protocol.unit),
        "std": _convert_figure(row.get("std") or "nan", protocol.unit),
        "table": row.get("table", ""),
        "source": protocol.source or row["source"],
    }


def _convert_figure(text: str, unit: int) -> float:
    """Return a printed figure as a fraction of 1; by decimals, as 49.06 / 100 is .4906 then."""
    return float(Decimal(text) / unit)


def _add_verified(figures: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """Add what was compared with each figure, from the file that the checks write."""
    path = protocol.folder / "verified.csv"
    if not path.is_file():
        return figures.assign(**dict.fromkeys(VERIFIED, ""))

    verified = pd.read_csv(path, dtype=str, keep_default_na=False)
    both = figures.merge(verified, on=["table", "system", "subset", "label"], how="left")
    both[VERIFIED] = both[VERIFIED].fillna("")
    return both


def _find_datasets_of_subsets(figures: pd.DataFrame, protocol: Protocol) -> dict[str, str]:
    """Return a dict from each subset with figures to its dataset, an id below the collection.

    For queries with other texts it is the dataset with the texts: "full-text" for "full-text
    (inline/broad)". It is "" for a subset without a dataset, as for the collection itself: neither
    is inside a dataset below the collection.
    """
    dataset_of_subset = {}
    for name in figures["subset"].unique():
        dataset_of_subset[name] = protocol.find_subset(name).dataset or ""
    return dataset_of_subset


def _list_printed_ids(figures: pd.DataFrame, protocol: Protocol) -> list[str]:
    """Return the ids of the datasets with printed figures."""
    ids = []
    for subset in figures["subset"].unique():
        dataset = protocol.find_subset(subset).dataset
        if dataset is None:  # the queries were not published
            continue

        printed_id = protocol.collection
        if dataset:  # "" is the collection itself
            printed_id += f"/{dataset}"
        if printed_id not in ids:
            ids.append(printed_id)
    return ids
