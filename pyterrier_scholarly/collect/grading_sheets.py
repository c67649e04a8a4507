"""Tables for grading candidates: one for each person, and one for the adjudicator."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from .. import frames, protocols
from ..arguments import FilePath, check_arguments
from .ratings import PAIR, Ratings, join_ratings
from .sheets import Sheet

FACET = "facet"
VERDICT = "verdict"
Named = str | protocols.Guidelines


@check_arguments
def write_grading(
    pairs: pd.DataFrame,
    path: FilePath,
    guidelines: Named = "csfcube",
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
            DORIS-MAE.
        overwrite: whether to replace an existing file, with all that people filled in.

    Raises:
        pt.validate.InputValidationError: a missing column.
        FileExistsError, ValueError: see `Sheet.write`; a facet without guidelines.
    """
    chosen = _guidelines_for(guidelines, pairs)
    sheet = grading_sheet(chosen, chosen.shown if shown is None else shown)
    return sheet.write(pairs, path, overwrite)


@check_arguments
def read_grading(
    path: FilePath, pairs: pd.DataFrame, guidelines: Named = "csfcube", partial: bool = False
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
    rows = grading_sheet(guidelines).read(path, pairs, lambda row: (VERDICT,) if partial else ())
    rows = rows[rows[VERDICT] != ""].reset_index(drop=True)
    grades = protocols.preset("guidelines", guidelines, protocols.GUIDELINES).grades
    labels = rows[VERDICT].map(grades).astype(int)
    return rows.assign(label=labels)[[*PAIR, "label", VERDICT, "note"]]


@check_arguments
def grading_sheet(guidelines: Named, shown: tuple[str, ...] = ()) -> Sheet:
    """Return the `Sheet` of guidelines (a name or `Guidelines`), with the columns `shown`."""
    known = protocols.preset("guidelines", guidelines, protocols.GUIDELINES)
    return Sheet(
        keys=tuple(PAIR),
        shown=tuple(shown),
        filled={VERDICT: known.meanings, "note": None},
        instructions=(f"From {known.source}.", *known.words),
    )


def _guidelines_for(guidelines: Named, pairs: pd.DataFrame) -> protocols.Guidelines:
    """Return the guidelines of the pairs' facet, if they are all of one; else those of all facets.

    Raises:
        ValueError: unknown guidelines, pairs without the column `facet`, or an unknown facet.
    """
    known = protocols.preset("guidelines", guidelines, protocols.GUIDELINES)
    if not known.facets:
        return known

    if FACET not in pairs:
        name = guidelines if isinstance(guidelines, str) else "these guidelines"
        of_one_facet = [f"{name}/{facet}" for facet in known.facets]
        raise ValueError(
            f"What a grade of {name} means depends on the facet, and pairs has no "
            f"column {FACET}. Add it, or pass the guidelines of one facet: "
            f"{', '.join(of_one_facet)}."
        )
    facets = pairs[FACET].unique()
    unknown = [facet for facet in facets if facet not in known.facets]
    if unknown:
        raise ValueError(
            f"pairs, column {FACET}: {frames.some(unknown)} has no guidelines; expected one of "
            f"{', '.join(known.facets)}."
        )
    return known.facets[facets[0]] if len(facets) == 1 else known


class Adjudicated(NamedTuple):
    """Hold the result of several sheets and the adjudicator's, in the columns of CSFCube's release.

    qrels: `qid`, `docno`, `label`, for `write_collection`.
    annotators: `qid`, `docno`, `annotator`, `rating`, for `write_collection` and `agreement`.
    table: `qid`, `docno`, `relevance` (the final grade), `relevance_max`, `relevance_min` (of the
        annotators' grades), and a column for each annotator; NaN for a missing rating.
    """

    qrels: pd.DataFrame
    annotators: pd.DataFrame
    table: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def write_adjudication(
    ratings: Ratings,
    pairs: pd.DataFrame,
    path: FilePath,
    guidelines: Named = "csfcube",
    shown: tuple[str, ...] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the pairs on which annotators disagree, with their grades, for an adjudicator.

    A pair that one of the query's annotators did not rate is listed, too. The file has no rows if
    annotators agree on all pairs.

    Args:
        ratings: dict from an annotator to a frame of `qid`, `docno`, `label` (see `read_grading`
            and `judge`); or a frame of `qid`, `docno`, `annotator`, `rating`.
        pairs: frame of `qid`, `docno` and the columns of `shown`.
        path, guidelines, shown, overwrite: as for `write_grading`.

    Raises:
        ValueError: a query with a single annotator, or a disputed pair missing from `pairs`.
    """
    chosen = _guidelines_for(guidelines, pairs)
    if shown is None:
        shown = chosen.shown
    grades, disputed = _by_annotator(ratings)
    pairs = frames.check(pairs, "write_adjudication", [*PAIR, *shown])
    cells = grades[disputed].map(lambda grade: "" if pd.isna(grade) else f"{grade:g}")
    texts = pairs.set_index(PAIR)[list(shown)]
    missing = [" ".join(pair) for pair in cells.index.difference(texts.index)]
    if missing:
        raise ValueError(f"pairs has no {frames.some(missing)}, which are in dispute: add them.")
    sheet = grading_sheet(chosen, (*shown, *grades.columns))
    return sheet.write(cells.join(texts).reset_index(), path, overwrite)


@check_arguments
def read_adjudication(
    path: FilePath, ratings: Ratings, guidelines: Named = "csfcube"
) -> Adjudicated:
    """Read the adjudicator's grades, and keep the annotators' grade where they agree.

    Args:
        path: a file of `write_adjudication`.
        ratings, guidelines: the arguments that it was written with.

    Returns:
        `Adjudicated`, for ``write_collection(…, qrels=final.qrels, annotators=final.annotators)``.
        `single_ratings` and `agreement` then count what the adjudicator kept and over-ruled.

    Raises:
        ValueError: see `Sheet.read`; a missing grade.
    """
    grades, disputed = _by_annotator(ratings)
    settled = read_grading(path, grades[disputed].reset_index(), guidelines)["label"]
    highest, lowest = grades.max(axis=1), grades.min(axis=1)
    final = highest.mask(disputed, settled.set_axis(grades.index[disputed]))
    table = pd.DataFrame(
        {"relevance": final, "relevance_max": highest, "relevance_min": lowest}, dtype=int
    )
    qrels = table["relevance"].reset_index(name="label")
    return Adjudicated(qrels, join_ratings(ratings), table.join(grades).reset_index())


def _by_annotator(ratings: Ratings) -> tuple[pd.DataFrame, pd.Series]:
    """Return the grades (pairs × annotators), and for each pair whether it is in dispute."""
    rated = join_ratings(ratings).dropna(subset="rating")
    annotators = rated.groupby("qid")["annotator"].nunique()
    single = annotators.index[annotators < 2]
    if len(single):
        raise ValueError(f"Query {frames.some(single)} has a single annotator: expected two.")
    order = pd.MultiIndex.from_frame(rated[PAIR].drop_duplicates())
    grades = rated.pivot(index=PAIR, columns="annotator", values="rating").reindex(order)
    grades.columns.name = None
    needed = grades.index.get_level_values("qid").map(annotators).to_numpy()
    return grades, (grades.nunique(axis=1) != 1) | (grades.count(axis=1) != needed)
