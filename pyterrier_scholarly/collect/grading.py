"""Candidates in a table that a person grades."""

from ..protocols import GUIDELINES, preset
from .sheets import Sheet

PAIR = ["qid", "docno"]
SHOWN = ("query", "text")
VERDICT = "verdict"


def write_grading(pairs, path, guidelines="csfcube", shown=SHOWN):
    """Write pairs of a query and a document to a CSV file, for one person to grade in `verdict`.

    The guidelines stand at the top of the file (see `Sheet`). People should see titles and
    abstracts alone, neither authors nor years, nor one another's sheets [Mysore2021, 4].

    Args:
        pairs: frame of `qid`, `docno` and the columns of `shown`, as for `judge`; the `unclear`
            pairs of a `judge` are such a frame.
        path: of the new file; one for each person.
        guidelines: ``"csfcube"``, ``"doris-mae"``, or `Guidelines` of your own.
        shown: columns for people to read.

    Returns:
        Path of the file.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        FileExistsError, ValueError: see `Sheet.write`.
    """
    return grading_sheet(guidelines, shown).write(pairs, path)


def read_grading(path, pairs, guidelines="csfcube", partial=False):
    """Read the grades that a person has filled in.

    Args:
        path: of a file of `write_grading`.
        pairs, guidelines: as they were for writing.
        partial: whether pairs may be left without a grade; they have no row then.

    Returns:
        Frame `qid`, `docno`, `label` (int, the grade), `verdict` (what was filled in) and `note`,
        in the order of `pairs`. With other people's, and with `judge`'s frame, it is what
        `agreement` and `write_adjudication` take: ``{"ann1": …, "ann2": …}``.

    Raises:
        ValueError: see `Sheet.read`; a grade is missing or none of the guidelines'.
    """
    sheet = grading_sheet(guidelines)
    found = sheet.read(path, pairs, lambda row: (VERDICT,) if partial else ())
    found = found[found[VERDICT] != ""].reset_index(drop=True)
    labels = found[VERDICT].map(preset("guidelines", guidelines, GUIDELINES).grades).astype(int)
    return found.assign(label=labels)[[*PAIR, "label", VERDICT, "note"]]


def grading_sheet(guidelines, shown=()):
    """The `Sheet` of guidelines, by name or as they are, with the columns `shown`."""
    known = preset("guidelines", guidelines, GUIDELINES)
    top = (f"From {known.source}.", *known.words)
    return Sheet(tuple(PAIR), tuple(shown), {VERDICT: known.meanings, "note": None}, top)
