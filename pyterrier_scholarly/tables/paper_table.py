"""What `reproduce` returns: a table that writes itself as HTML, LaTeX and text.

table = reproduce("csfcube", ["fabs_tfidf"])
table.to_html("table.html")
table.to_latex("table.tex", std=False)
table.frame.to_csv("table.csv")
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ..arguments import FilePath, check_arguments
from ..pages import written
from .html import write_notebook_html, write_page
from .latex import Best, write_latex
from .remarks import SIGNS_IN_REMARKS
from .table_content import TableContent
from .terminal import write_for_terminal


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable(TableContent):
    """A table of a paper, or of your own collection: printed rows, rows of this run, and remarks.

    A notebook shows it as the page does.

    Attributes:
        dataset: id of the dataset whose queries were run.
        table: number in the paper; "" if it has none.
        columns: frame `subset`, `measure`, `label`, `of` (see `figures`), in the table's order.
        figures: frame, a row for each system and column: `name`, `source` ("published" or "this
            run"), `subset` (id below the collection), `measure` (our repr), `label` (as printed),
            `value` (percentages as fractions of 1), `std` (±), `low` and `high` (95 % bootstrap
            interval), `queries` (their number, with those that a collection omits from some means),
            `answered` (how many of them have results; the others count as 0), `of` (number of
            queries behind the papers' figures), `part` (what part of the documents was ranked,
            "459 of 64,183 documents"; "" for all), `difference` (to the baseline, mean
            over queries), `p` (two-sided paired t-test), `better` and `worse` (numbers of queries),
            `paper` (source of a printed figure), `measure_verified` and `system_verified` (of a
            printed figure, see `published`). NaN for unknown values.
        systems: frame, a row for each system passed as a key: `key`, `name` (as printed), `named`
            (in the paper), `run` (the encoder in this run), `source`, `note`, `system` (its name in
            the table).
        remarks: sentences for below the table.
        baseline: name of the system that the others are tested against.
        decimals: of percentages, as printed.
        runs: dict from the name of a row of this run to its ranking (`qid`, `docno`, `score`), for
            `compare`.
    """

    runs: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def frame(self) -> pd.DataFrame:
        """The table: `name`, `source` and a column for each subset and label ("broad R@20").

        Values are fractions of 1, NaN where a system has no figure.
        """
        column_names = (self.columns["subset"] + " " + self.columns["label"]).str.strip()
        names_of_figures = (self.figures["subset"] + " " + self.figures["label"]).str.strip()

        long = self.figures.assign(column=names_of_figures)
        wide = long.set_index(["name", "source", "column"])["value"].unstack(sort=False)
        return wide.reindex(columns=column_names).reset_index().rename_axis(columns=None)

    @check_arguments
    def to_html(self, path: FilePath) -> Path:
        """Write one HTML file that needs no other file, and return its path."""
        return written(path, write_page(self))

    @check_arguments
    def to_latex(
        self,
        path: FilePath | None = None,
        *,
        rows: Sequence[str] | None = None,
        std: bool = True,
        best: Best = "group",
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
        text = write_latex(self, rows, std, best)
        return text if path is None else written(path, text)

    def _repr_html_(self) -> str:
        """Return HTML for a notebook, which calls this to show the table."""
        return write_notebook_html(self)

    def __repr__(self) -> str:
        # the text has no ± and no †, so it needs no sentences that explain them
        remarks = [remark for remark in self.remarks if not remark.startswith(SIGNS_IN_REMARKS)]
        return "\n".join([f"{self.full_title}, percent", write_for_terminal(self), *remarks])
