"""What `reproduce` returns: a paper's table with rows of your own, and remarks on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..arguments import FilePath, check_arguments
from ..explanation.page import written
from ..protocols import protocol_of
from .shapes import Shape
from .writing import latex, page

FEWER = (
    "These rows cover fewer queries than the paper (counts above), so compare them with each other "
    "only."
)
MISSING = (
    "{:,} of the release's {:,} documents are present. So this run's systems rank fewer candidates "
    "than the paper's, for the queries that these can answer."
)
UNANSWERED = "No figure where results do not answer all of a column's queries: {}."
FOLDS = "Figures are the mean of the two test folds' means."
RESAMPLED = (
    "± is the standard deviation, and intervals the middle 95 %, of the means of {:,} bootstrap "
    "samples of the queries; percent."
)
TESTED = "† differs from {}: two-sided paired t-test over the queries of both, p < 0.05, {}."
CORRECTIONS = {
    None: "not corrected for the number of comparisons",
    "holm": "corrected for the number of comparisons in the table (Holm)",
}
NOT_AS_TEXT = ("±", "†")  # what begins so explains signs that plain text leaves out


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable:
    """A table of a paper: printed rows, rows of this run, and remarks.

    A notebook shows it as the page does.

    Attributes:
        dataset: id of the dataset whose queries were run.
        table: number in the paper; "" if it has none.
        columns: frame `subset`, `measure`, `label`, `of` (see `figures`), in the paper's order.
        figures: frame, a row for each system and column: `name`, `source` ("published" or "this
            run"), `subset` (id below the collection), `measure` (our repr), `label` (as printed),
            `value` (percentages as fractions of 1), `std` (±), `low` and `high` (95 % bootstrap
            interval), `queries` (their number, with those that a collection omits from some means),
            `of` (number of queries behind the papers' figures), `difference` (to the baseline, mean
            over queries), `p` (two-sided paired t-test), `better` and `worse` (numbers of queries),
            `paper` (source of a printed figure). NaN for unknown values.
        systems: frame, a row for each system passed as a key: `key`, `name` (as printed), `named`
            (in the paper), `run` (the encoder in this run), `source`, `note`, `system` (its name in
            the table).
        remarks: sentences for below the table.
        baseline: name of the system that the others are tested against.
        decimals: of percentages, as printed.
    """

    dataset: str
    table: str
    columns: pd.DataFrame
    figures: pd.DataFrame
    systems: pd.DataFrame
    remarks: tuple[str, ...]
    baseline: str
    decimals: int = 2

    @property
    def title(self) -> str:
        """The collection's name and the table's number."""
        protocol = protocol_of(self.dataset)
        number = f", table {self.table}" if self.table else ""
        return f"{protocol.title if protocol else self.dataset}{number}"

    @property
    def frame(self) -> pd.DataFrame:
        """The table: `name`, `source` and a column for each subset and label ("broad R@20").

        Values are fractions of 1, NaN where a system has no figure.
        """
        names, order = (
            (one["subset"] + " " + one["label"]).str.strip() for one in (self.figures, self.columns)
        )
        wide = self.figures.assign(column=names).set_index(["name", "source", "column"])
        wide = wide["value"].unstack(sort=False).reindex(columns=order)
        return wide.reset_index().rename_axis(columns=None)

    @check_arguments
    def to_html(self, path: FilePath) -> Path:
        """Write one HTML file that needs no other file, and return its path."""
        return written(path, page(self))

    @check_arguments
    def to_latex(
        self,
        path: FilePath | None = None,
        *,
        rows: Sequence[str] | None = None,
        std: bool = True,
        best: str | None = "group",
    ) -> str | Path:
        r"""Write a ``tabular`` for the package booktabs and return its path; default: its text.

        Remarks stand above it as comments.

        Args:
            path: file; None to return the text.
            rows: names of the systems to write, in this order; None for all.
            std: whether to write ±.
            best: where a column's highest value is bold: in each "group" of rows, "overall", or
                None for nowhere.

        Raises:
            ValueError: an unknown row or value of `best`; names it.
        """
        text = latex(self, rows, std, best)
        return text if path is None else written(path, text)

    def _repr_html_(self) -> str:
        return page(self, whole=False)

    def __repr__(self) -> str:
        shown = (100 * self.frame.set_index(["source", "name"])).to_string(
            float_format=f"{{:.{self.decimals}f}}".format, na_rep=""
        )
        remarks = [remark for remark in self.remarks if not remark.startswith(NOT_AS_TEXT)]
        return "\n".join([f"{self.title} ({self.dataset}), percent", shown, *remarks])


def remarks(
    shape: Shape,
    documents: tuple[int, int] | None,
    own: pd.DataFrame,
    unanswered: Sequence[str],
    baseline: str,
    keys: pd.Series,
    resamples: int,
    correction: str | None,
) -> tuple[str, ...]:
    """Return the sentences for below a table, the most important first.

    documents: how many are present, and how many the release has; None if nothing was ranked.
    unanswered: systems whose results do not answer all queries, and these queries.
    correction: of p-values, or None.
    """
    protocol, sources = shape.protocol, "; ".join(shape.printed["source"].unique())
    in_sample = [key for key in protocol.in_sample if key in set(keys)]
    present, released = documents or (0, 0)
    sentences = (
        (own["queries"] < own["of"]).any() and FEWER,
        present < released and MISSING.format(present, released),
        bool(unanswered) and UNANSWERED.format("; ".join(unanswered)),
        in_sample and f"{' and '.join(in_sample)}: {protocol.in_sample[in_sample[0]]}",
        protocol.remarks.get(shape.number),
        any(len(column.parts) > 1 for column in shape.columns) and FOLDS,
        RESAMPLED.format(resamples),
        own["name"].nunique() > 1 and TESTED.format(baseline, CORRECTIONS[correction]),
        sources and f"Printed rows: {sources}.",
    )
    return tuple(sentence for sentence in sentences if sentence)
