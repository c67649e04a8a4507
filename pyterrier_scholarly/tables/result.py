"""What `reproduce` gives: a paper's table with rows of one's own."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ir_datasets_ext.store import new_file

from ..protocols import PROTOCOLS
from .latex import latex
from .page import fragment, page


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable:
    """A table of a paper: printed rows, rows of this run, and what is to be known of them.

    A notebook shows it as the page does.

    Attributes:
        dataset: id of that whose queries were run.
        table: the paper's number, "" where there is none.
        columns: a frame `subset`, `measure`, `label`, `of` (see `figures`) with a row for each
            column, in the paper's order, also of those without a figure.
        figures: a frame with a row for each system and column: `name`, `source` ("published" or
            "this run"), `subset` (id below the collection), `measure` (our repr), `label` (as
            printed), `value` (percentages as fractions of 1), `std` (±), `low` and `high` (95 %
            bootstrap interval), `queries` (over how many; those that a collection leaves out of
            some means included), `of` (over how many the papers' figures are), `difference` (to the
            baseline, mean over queries), `p` (two-sided paired t-test), `better` and `worse`
            (numbers of queries), `paper` (of a printed figure). NaN for what is not known.
        systems: a frame with a row for each system that was taken by its key: `key`, `name` (as
            printed), `named` (in the paper), `run` (the encoder in this run), `source`, `note`,
            `system` (its name in the table).
        remarks: sentences that belong below the table.
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
        collection = self.dataset.partition("/")[0]
        number = f", table {self.table}" if self.table else ""
        return f"{PROTOCOLS[collection].title}{number}"

    @property
    def frame(self) -> pd.DataFrame:
        """The table: `name`, `source` and a column for each subset and label ("broad R@20").

        Values are fractions of 1, NaN where a system has no figure.
        """
        called = [
            (one["subset"] + " " + one["label"]).str.strip() for one in (self.figures, self.columns)
        ]
        wide = self.figures.assign(column=called[0]).set_index(["name", "source", "column"])
        wide = wide["value"].unstack(sort=False).reindex(columns=called[1])
        return wide.reset_index().rename_axis(columns=None)

    def to_html(self, path):
        """Write one HTML file that needs nothing else, and return its path."""
        return _written(path, page(self))

    def to_latex(self, path=None):
        r"""Write a ``tabular`` for the package booktabs and return its path; the text without one.

        Remarks stand above it as comments.
        """
        return latex(self) if path is None else _written(path, latex(self))

    def _repr_html_(self):
        return fragment(self)

    def __repr__(self):
        shown = (100 * self.frame.set_index(["source", "name"])).to_string(
            float_format=f"{{:.{self.decimals}f}}".format, na_rep=""
        )
        return "\n".join([f"{self.title} ({self.dataset}), percent", shown, *self.remarks])


def _written(path, text):
    with new_file(path) as file:
        file.write(text)
    return Path(path)
