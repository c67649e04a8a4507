"""Sheets in which one person grades candidates by the guidelines of a paper.

write_grading(pairs, "ann1.csv", "csfcube/method")
# a person fills in the column `verdict`
grades = read_grading("ann1.csv", pairs, "csfcube/method")
"""

from pathlib import Path

import pandas as pd

from .. import frames, protocols
from ..arguments import FilePath, check_arguments
from ..choices import choose_preset
from .ratings import PAIR
from .sheets import Row, Sheet

FACET = "facet"
VERDICT = "verdict"
QUERY, QUERY_TEXT = "query", "query_text"  # the asking paper's title and abstract
NamedGuidelines = str | protocols.Guidelines


@check_arguments
def write_grading(
    pairs: pd.DataFrame,
    path: FilePath,
    guidelines: NamedGuidelines = "csfcube",
    shown: tuple[str, ...] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write pairs of a query and a document to a CSV file; one person fills in `verdict`.

    The guidelines are at the top of the file (see `Sheet`). What CSFCube's grades mean depends on
    the facet: a sheet of one facet has this facet's grades, a sheet of several has those of all.
    People should see only titles and abstracts: no authors, no years, no sheets of others
    [Mysore2021, 4].

    Args:
        pairs: frame of `qid`, `docno` and the columns of `shown`. The `unclear` pairs of `judge`
            are such a frame.
        path: of the new file, one for each person.
        guidelines: ``"csfcube/background"``, ``"csfcube/method"``, ``"csfcube/result"``;
            ``"csfcube"``, which chooses by the pairs' column `facet`; ``"doris-mae"``; or your own
            `Guidelines`.
        shown: columns for people to read. None for those of the guidelines: `query`, `title` and
            `text` for a facet of CSFCube, with `facet` for several; `query` and `text` for
            DORIS-MAE. Where pairs have `query_text` (the asking paper's abstract, which
            `Papers.pool` adds), it stands behind `query`.
        overwrite: whether to replace an existing file, with all that people filled in.

    Raises:
        pt.validate.InputValidationError: a missing column.
        FileExistsError, ValueError: see `Sheet.write`; a facet without guidelines.
    """
    chosen = choose_guidelines(guidelines, pairs)
    shown_columns = choose_shown(chosen, pairs) if shown is None else shown
    sheet = grading_sheet(chosen, shown_columns)
    return sheet.write(pairs, path, overwrite)


@check_arguments
def read_grading(
    path: FilePath,
    pairs: pd.DataFrame,
    guidelines: NamedGuidelines = "csfcube",
    partial: bool = False,
) -> pd.DataFrame:
    """Read the grades that a person filled in.

    Args:
        path: a file of `write_grading`.
        pairs, guidelines: the arguments that it was written with.
        partial: whether pairs may have no grade. Such pairs get no row.

    Returns:
        Frame `qid`, `docno`, `label` (int, the grade), `verdict` (as filled in) and `note`, in the
        order of `pairs`. `agreement` and `write_adjudication` take frames of several people, or of
        `judge`, as ``{"ann1": …, "ann2": …}``.

    Raises:
        ValueError: see `Sheet.read`; a missing grade, or one that the guidelines do not have.
    """

    def find_optional(row: Row) -> tuple[str, ...]:
        return (VERDICT,) if partial else ()

    rows = grading_sheet(guidelines).read(path, pairs, find_optional)
    graded = rows[rows[VERDICT] != ""].reset_index(drop=True)

    grades = choose_preset("guidelines", guidelines, protocols.GUIDELINES).grades
    labels = graded[VERDICT].map(grades).astype(int)
    return graded.assign(label=labels)[[*PAIR, "label", VERDICT, "note"]]


@check_arguments
def grading_sheet(guidelines: NamedGuidelines, shown: tuple[str, ...] = ()) -> Sheet:
    """Return the `Sheet` of guidelines (a name or `Guidelines`), with the columns `shown`."""
    chosen = choose_preset("guidelines", guidelines, protocols.GUIDELINES)
    return Sheet(
        keys=tuple(PAIR),
        shown=tuple(shown),
        filled={VERDICT: chosen.meanings, "note": None},
        instructions=(f"From {chosen.source}.", *chosen.words),
    )


def choose_shown(guidelines: protocols.Guidelines, pairs: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that people read: the guidelines', and the query's text if pairs have it.

    Nobody can grade a facet by the title of the asking paper alone.
    """
    columns = list(guidelines.shown)
    if QUERY_TEXT in pairs and QUERY in columns and QUERY_TEXT not in columns:
        columns.insert(columns.index(QUERY) + 1, QUERY_TEXT)
    return tuple(columns)


def choose_guidelines(guidelines: NamedGuidelines, pairs: pd.DataFrame) -> protocols.Guidelines:
    """Return the guidelines of the pairs' facet, if they are all of one; else those of all facets.

    Raises:
        ValueError: unknown guidelines, pairs without the column `facet`, or an unknown facet.
    """
    general = choose_preset("guidelines", guidelines, protocols.GUIDELINES)
    if not general.facets:
        return general

    if FACET not in pairs:
        name = guidelines if isinstance(guidelines, str) else "these guidelines"
        names_of_facets = ", ".join(f"{name}/{facet}" for facet in general.facets)
        raise ValueError(
            f"What a grade of {name} means depends on the facet, and pairs has no "
            f"column {FACET}. Add it, or pass the guidelines of one facet: {names_of_facets}."
        )
    facets = list(pairs[FACET].unique())
    unknown_facets = [facet for facet in facets if facet not in general.facets]
    if unknown_facets:
        raise ValueError(
            f"pairs, column {FACET}: {frames.some(unknown_facets)} has no guidelines; expected "
            f"one of {', '.join(general.facets)}."
        )

    if len(facets) == 1:
        return general.facets[facets[0]]
    return general
