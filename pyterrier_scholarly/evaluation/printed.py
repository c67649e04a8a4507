"""The papers' tables as data frames, and beside an experiment's own figures.

Conventions: `figures.csv` in a protocol's folder has labels and figures as printed. In a frame
percentages are fractions of 1 and measures are ours, so printed figures can be joined with an
experiment's. A table without figures of systems (a rubric, statistics, a list) is a CSV file,
``tables/<number>.csv``, with headings and cells as printed. A heading over several columns is
repeated in each ("Broad #Q"). Figures that a paper prints in its text are such a file, too, named
by a section or a word; each row says where it was read.
"""

import re
from collections.abc import Callable
from decimal import Decimal

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import suggest_choice

from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..protocols import PROTOCOLS, Protocol, protocol_of
from ..settings import dataset_id
from .measure_names import measures_of

COLUMNS = ["system", "subset", "measure", "label", "value", "std", "table", "source"]
#: columns that say what was compared with a printed figure, and found equal; "" for nothing
VERIFIED = ["measure_verified", "system_verified"]


def protocol_with(what: str, held: Callable[[Protocol], object], dataset: DatasetLike) -> Protocol:
    """Return a dataset's protocol; ValueError if there is none, or if it holds no `what`."""
    name = dataset_id(dataset) or repr(dataset)
    protocol = protocol_of(name)
    if protocol is None or not held(protocol):
        known = [collection for collection, other in PROTOCOLS.items() if held(other)]
        raise ValueError(f"{name} has no {what}. {suggest_choice(name, known)}")
    return protocol


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

        Parentheses mark what is no dataset. After an id, they name a part of its queries
        ("full-text (inline/broad)"). At the start, they name another setting: LitSearch's "(search
        engines) …" of 80 questions over larger corpora, its "(MSMARCO)" and other benchmarks,
        DORIS-MAE's "(extended pools)".

    Raises:
        ValueError: a dataset without printed figures; names those with figures.
    """
    protocol = protocol_with("published figures", lambda one: one.printed, dataset)
    collection, figures = protocol.collection, _read(protocol)
    name = dataset_id(dataset) or collection
    below = name.removeprefix(collection).removeprefix("/")
    inside = figures["subset"].str.match(rf"{re.escape(below)}(/| \(|$)")
    if below and not inside.any():
        subsets = figures["subset"].str.partition(" (")[0].unique()
        ids = [f"{collection}/{subset}".rstrip("/") for subset in subsets if subset[:1] != "("]
        raise ValueError(f"{name} has no published figures. {suggest_choice(name, ids)}")
    return figures[inside].reset_index(drop=True) if below else figures


def _read(protocol: Protocol) -> pd.DataFrame:
    path = protocol.folder / "figures.csv"
    others = protocol.measures | protocol.elsewhere
    rows = []
    for row in pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records"):
        subset = protocol.subset(row)
        measures = others if subset.startswith("(") else protocol.measures
        # 49.06 is .4906; as floats it would be .49060000000000004
        texts = row["value"], row.get("std") or "nan"
        figures = [float(Decimal(text) / protocol.unit) for text in texts]
        printed = row["system"], subset, measures[row["measure"]], row["measure"], *figures
        rows.append((*printed, row.get("table", ""), protocol.source or row["source"]))
    return _with_verified(pd.DataFrame(rows, columns=COLUMNS), protocol)


def _with_verified(figures: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """Add what was compared with each figure, from the file that the checks write."""
    path = protocol.folder / "verified.csv"
    if not path.is_file():
        return figures.assign(**dict.fromkeys(VERIFIED, ""))
    verified = pd.read_csv(path, dtype=str, keep_default_na=False)
    both = figures.merge(verified, on=["table", "system", "subset", "label"], how="left")
    return both.assign(**{column: both[column].fillna("") for column in VERIFIED})


def printed_tables(dataset: DatasetLike) -> dict[str, pd.DataFrame]:
    """Return a paper's tables that describe its collection, and its text's figures, as printed.

    `statistics` computes such tables. `published` has the tables with figures of systems.

    - CSFCube [Mysore et al. 2021]: "pilot" (how grades by abstracts agree with grades by full
      texts), "comparisons" (with two collections of others), "selection" (how papers were chosen).
      Its tables 1, 2, 3 and F are not in our copy of the paper.
    - LitSearch [Ajith et al. 2024]: "1" (rubric of the annotation), "2" and "14" (the questions),
      "9" (checkpoints of the retrievers), "2.5" (that section's figures of the papers; the release
      does not say which papers are ACL's and ICLR's, so these counts cannot be computed).
      "figure-3" (recall by k: its points at 5 and 20 are those of table 3; the others were not
      read off the curves).
    - DORIS-MAE [Wang et al. 2023]: "9" (relevant abstracts per query) and "10" (normalised
      scores), of queries and of sub-queries with two aspects, by type; "A.3" (what is in the
      release, and that the 90 development pairs are in the authors' codebase), "C.6" (the second
      pools beside the first ones).
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
    paths = protocol_with("printed tables", lambda one: one.printed_tables, dataset).printed_tables
    return {path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""]) for path in paths}


@check_arguments
def beside(own: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Put published figures beside an experiment's own, joined by measure.

    A published figure goes to the column of the same measure, however the experiment writes it
    (``R@5`` or ``recall_5``). Other published measures are left out.

    Args:
        own: averages of `pt.Experiment` (`name` and a column per measure), or means with a row per
            measure (`name`, `measure`, `value`), as from `fold_mean`, `by_subset`, `bootstrap`.
        published: rows of `pyterrier_scholarly.published`, only for the evaluated subset: another
            subset is another task (``published("litsearch/inline/broad")``).

    Returns:
        Frame `name`, `source` ("published" or "this run"), `table` and `subset` of the published
        figures (both "" for your own, except the subsets of `by_subset`), the published measures in
        the papers' order, and the other columns of `own`. Published rows come first; NaN if a
        system has no figure.

    Raises:
        ValueError: no measure in common (names both sides), or two figures of a system for one
            measure.
    """
    if "measure" in own:
        pt.validate.columns(own, includes=["name", "measure", "value"])
    pt.validate.columns(published, includes=["system", "table", "subset", "measure", "value"])
    index = [name for name in ("name", "subset", "split") if name in own]
    wide = _pivot(own, index) if "measure" in own else own
    pt.validate.columns(wide, includes=["name"])
    columns = measures_of(wide.columns)
    column_by_label = {str(measure): column for measure, column in columns.items()}
    common = published[published["measure"].isin(column_by_label)]
    if common.empty:
        raise ValueError(
            f"no figure in common: the experiment has {', '.join(columns.values()) or 'none'}, "
            f"published are {', '.join(published['measure'].unique()) or 'none'}"
        )
    rows = common.assign(measure=common["measure"].map(column_by_label))
    printed = _pivot(rows.rename(columns={"system": "name"}), ["name", "table", "subset"])
    both = pd.concat([printed.assign(source="published"), wide.assign(source="this run")])
    texts = ["name", "source", "table", "subset", *(["split"] if "split" in wide else [])]
    both = both[[*dict.fromkeys([*texts, *rows["measure"], *wide.columns])]]
    return both.fillna(dict.fromkeys(texts, "")).reset_index(drop=True)


def _pivot(rows: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    """Return a row for each value of `index`, a column per measure."""
    wide = rows.set_index([*index, "measure"])["value"].unstack(sort=False)
    return wide.reset_index().rename_axis(columns=None)
