"""The papers' tables as data frames.

    published("litsearch/inline/broad")   # a row for each printed figure of a system
    printed_tables("doris-mae")["9"]      # a table without systems, as printed
    beside(averages, published("litsearch/inline/broad"))  # an experiment's own below them

Conventions: `figures.csv` in a protocol's folder has figures as printed, under the papers' labels
and beside our measures. In a frame percentages are fractions of 1, so printed figures can be joined
with an experiment's. A table without figures of systems (a rubric, statistics, a list) is a CSV
file, ``tables/<number>.csv``, with headings and cells as printed. A heading over several columns is
repeated in each ("Broad #Q"). Figures that a paper prints in its text are such a file, too, named
by a section or a word; each row says where it was read.
"""

from typing import Literal

import pandas as pd
import pyterrier as pt

from ..choices import suggest_choice
from ..datasets import DatasetLike
from ..protocols import PROTOCOLS, Protocol, protocol_of
from ..settings import dataset_id
from .measure_names import measures_of

COLUMNS = ["name", "subset", "measure", "label", "value", "std", "table", "paper"]
DECIMALS = 8  #: of a figure; papers print fewer
#: columns that say what was compared with a printed figure, and found equal; "" for nothing
VERIFIED = ["measure_verified", "system_verified"]


def published(dataset: DatasetLike) -> pd.DataFrame:
    """Return the figures that papers print for a collection, or for a part of it.

    CSFCube's are on test, the mean of the two folds' means (see `fold_mean`). "rhsa" has the tables
    of the paper that introduced `rHSA`, a row per system in each of its unpublished sets of pairs,
    "100q" and "1M". ``.pivot(index="name", columns="label", values="value")`` gives the printed
    layout, for `correlate`.

    Args:
        dataset: an id (``"litsearch"``, ``"litsearch/inline/broad"``; with or without ``irds:``) or
            a dataset object. A subset includes the subsets below it.

    Returns:
        Frame, a row for each figure, in the tables' order:
        `name` (of the system, as printed); `subset` (id of the dataset below the collection,
        "inline/broad"; "" for the collection itself); `measure` (our repr, as in an experiment's
        columns); `label` (as printed); `value` (percentages as fractions of 1); `std` (the same;
        NaN if none is printed); `table` (its number, or ""); `paper` (where it is printed);
        `measure_verified` and `system_verified`.

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
    protocol = find_protocol("published figures", dataset, "printed")
    figures = _read_figures(protocol)

    wanted_id = dataset_id(dataset) or protocol.collection
    wanted_part = wanted_id.removeprefix(protocol.collection).removeprefix("/")
    if not wanted_part:  # the whole collection
        return figures

    chosen_subsets = []
    ids_with_figures = []
    for subset in figures["subset"].unique():
        # for queries with other texts, the dataset with these texts: "full-text" for the subset
        # "full-text (inline/broad)"; None if the queries were not published
        dataset_of_subset = protocol.find_subset(subset).dataset
        is_inside = False
        if dataset_of_subset is not None:
            is_inside = _is_same_or_below(dataset_of_subset, wanted_part)
            ids_with_figures.append(protocol.name_dataset(dataset_of_subset))

        # a subset can be asked for by its name, too, which need not be a dataset's
        if is_inside or subset == wanted_part:
            chosen_subsets.append(subset)

    if not chosen_subsets:
        suggestion = suggest_choice(wanted_id, list(dict.fromkeys(ids_with_figures)))
        raise ValueError(f"{wanted_id} has no published figures. {suggestion}")
    is_chosen = figures["subset"].isin(chosen_subsets)
    return figures[is_chosen].reset_index(drop=True)


def _is_same_or_below(part: str, other: str) -> bool:
    """Return whether a dataset is another one, or below it: "inline/broad" is below "inline"."""
    return part == other or part.startswith(f"{other}/")


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
    protocol = find_protocol("printed tables", dataset, "printed_tables")
    return {
        path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""])
        for path in protocol.printed_tables
    }


def find_protocol(
    what: str,
    dataset: DatasetLike,
    fact: Literal["printed", "printed_tables", "statistics"],
) -> Protocol:
    """Return a dataset's protocol, which must have what the caller needs.

    Args:
        what: the need, in words for the error ("printed tables").
        fact: the protocol's attribute that must not be empty.

    Raises:
        ValueError: there is no such protocol; names the collections that have one.
    """
    name = dataset_id(dataset) or repr(dataset)
    protocol = protocol_of(name)
    if protocol is not None and getattr(protocol, fact):
        return protocol

    known_collections = [
        collection for collection, other in PROTOCOLS.items() if getattr(other, fact)
    ]
    raise ValueError(f"{name} has no {what}. {suggest_choice(name, known_collections)}")


def _read_figures(protocol: Protocol) -> pd.DataFrame:
    """Return all rows of a protocol's `figures.csv`, as fractions of 1."""
    figures = pd.read_csv(protocol.folder / "figures.csv", dtype=str, keep_default_na=False)
    if protocol.source:
        figures["paper"] = protocol.source
    figures = figures.reindex(columns=COLUMNS, fill_value="")
    printed_numbers = figures[["value", "std"]].apply(pd.to_numeric)
    # rounded, as 49.06 / 100 is .49060000000000004
    figures[["value", "std"]] = (printed_numbers / protocol.unit).round(DECIMALS)

    # what was compared with each figure, from the file that the checks write
    path = protocol.folder / "verified.csv"
    if not path.is_file():
        return figures.assign(**dict.fromkeys(VERIFIED, ""))
    verified = pd.read_csv(path, dtype=str, keep_default_na=False)
    joined = figures.merge(verified, on=["table", "name", "subset", "label"], how="left")
    return joined.fillna(dict.fromkeys(VERIFIED, ""))


# --- beside an experiment's own -----------------------------------------------------------------


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
    pt.validate.columns(published, includes=["name", "table", "subset", "measure", "value"])
    pt.validate.columns(own, includes=["name"])
    own_wide = own
    if "measure" in own:  # a row per measure
        row_keys = [column for column in ("name", "subset", "split") if column in own]
        own_wide = _widen(own, row_keys)

    # the published figures whose measure is a column of the experiment, under its name
    column_by_measure = {
        str(measure): column for measure, column in measures_of(own_wide.columns).items()
    }
    own_columns = published["measure"].map(column_by_measure)
    common_figures = published.assign(measure=own_columns).dropna(subset="measure")
    if common_figures.empty:
        raise ValueError(
            "no figure in common: the experiment has "
            f"{', '.join(column_by_measure.values()) or 'none'}, published are "
            f"{', '.join(published['measure'].unique()) or 'none'}"
        )

    published_wide = _widen(common_figures, ["name", "table", "subset"])
    published_rows = published_wide.assign(source="published")
    own_rows = own_wide.assign(source="this run")
    joined = pd.concat([published_rows, own_rows], ignore_index=True)

    text_columns = ["name", "source", "table", "subset"]
    if "split" in own_wide:
        text_columns.append("split")
    # texts, the common measures, then what only the experiment has; each once
    columns = dict.fromkeys([*text_columns, *published_wide.columns, *own_wide.columns])

    # a text that one side lacks is "", and a figure that a system lacks stays NaN
    empty_texts = dict.fromkeys(text_columns, "")
    return joined[list(columns)].fillna(empty_texts)


def _widen(figures: pd.DataFrame, row_keys: list[str]) -> pd.DataFrame:
    """Return a row for each value of `row_keys`, a column per measure."""
    wide = figures.set_index([*row_keys, "measure"])["value"].unstack(sort=False)
    return wide.reset_index().rename_axis(columns=None)
