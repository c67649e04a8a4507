"""What `reproduce` returns: a table that writes itself as HTML, LaTeX and text.

table = reproduce("csfcube", ["fabs_tfidf"])
table.to_html("table.html")
table.to_latex("table.tex", std=False)
table[["NDCG%20"]].to_latex("short.tex", std=False, counts=False)
table.frame.to_csv("table.csv")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

from ..arguments import FilePath, check_arguments
from ..evaluation.measure_names import Named
from ..pages import write_page
from .html import render_notebook_html, render_table_page
from .latex import Best, LatexChoices, write_latex
from .latex_wins import write_wins
from .table_content import TableContent
from .table_selection import select_columns, select_rows, select_titles, title_columns
from .terminal import fill_for_terminal, write_for_terminal


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable(TableContent):
    """A table of a paper, or of your own collection: printed rows, rows of this run, and remarks.

    A notebook shows it as the page does.

    Attributes:
        dataset: id of the dataset whose queries were run.
        table: number in the paper; "" if it has none.
        columns: frame `subset`, `measure`, `label`, `of` (see `figures`), `aggregate` (whether the
            subset contains another one: all facets, both sources), in the table's order.
        figures: frame, a row for each system and column; NaN for unknown values:

            - `name` of the row; `source`, "published" or "this run"; `paper`, source of a printed
              figure
            - `subset` (id below the collection), `measure` (our repr), `label` (as printed): the
              column
            - `value`: percentages as fractions of 1; `std`: ±; `low` and `high`: 95 % bootstrap
              interval
            - `queries`: their number, with those that a collection omits from some means;
              `answered`: how many of them have results, the others count as 0; `of`: number of
              queries behind the papers' figures
            - `part`: what part of the documents was ranked, "459 of 64,183 documents"; "" for all
            - `difference` to the baseline, mean over queries; `p` of the two-sided paired t-test;
              `better`, `equal` and `worse`: numbers of queries; `detectable`: the smallest
              difference that so many queries can show, see `smallest_difference`
            - `judged_share`, `condensed`, `lowest` and `highest`: what unjudged documents may hide,
              see `unjudged_effects`; NaN if every result is judged
            - `measure_verified` and `system_verified` of a printed figure, see `published`

        systems: frame, a row for each system passed as a key: `key`, `name` (as printed), `named`
            (in the paper), `run` (the encoder in this run), `source`, `note`, `system` (its name in
            the table).
        notes: sentences for below the table, each with what it is about; `remarks` has the texts.
        baseline: name of the system that the others are tested against, the first of several.
        further: frame with COMPARISON_COLUMNS, the tests against further baselines; may be empty.
        decimals: of percentages, as printed.
        runs: dict from the name of a row of this run to its ranking (`qid`, `docno`, `score`), for
            `compare`.
    """

    @property
    def frame(self) -> pd.DataFrame:
        """The table: `name`, `source` and a column for each subset and label ("broad R@20").

        Values are fractions of 1, NaN where a system has no figure.
        """
        column_names = title_columns(self.columns)
        long = self.figures.assign(column=title_columns(self.figures))
        wide = long.set_index(["name", "source", "column"])["value"].unstack(sort=False)
        return wide.reindex(columns=column_names).reset_index().rename_axis(columns=None)

    @property
    def wins(self) -> pd.DataFrame:
        """How many queries each system has better, equal and worse than a baseline.

        Frame `name`, `baseline`, `subset`, `measure`, `label`, `queries` (compared ones), `better`,
        `equal`, `worse`, `difference`, `p`, `detectable`; a row for each test.
        """
        counts = ["better", "equal", "worse"]
        wins = self.comparisons.astype(dict.fromkeys(counts, int))
        return wins.assign(queries=wins[counts].sum(axis=1))

    @check_arguments
    def select(
        self,
        *,
        subsets: str | Sequence[str] | None = None,
        measures: Named | Sequence[Named] | None = None,
        systems: str | Sequence[str] | None = None,
        printed: bool = True,
    ) -> "PaperTable":
        """Return the table cut to some columns and rows, in the order in which they are named.

        Figures, ±, intervals and daggers stay as they are, even if the baseline's row is cut; so do
        p-values that were corrected for the whole table. Bold marks the highest figure among the
        rows that are left. Remarks on rows that are cut are left out. ::

            table.select(subsets=["method", "all"], measures=["NDCG%20", "MAP"])
            table.select(systems=["bm25", "ours"], printed=False)

        Args:
            subsets: facets or other groups of queries, as columns name them; None for all.
            measures: by their labels ("MAP"), objects or strings; None for all.
            systems: names of rows, printed rows among them; None for all.
            printed: whether to keep printed rows.

        Raises:
            ValueError: an unknown subset, measure or row; nothing is left.
        """
        table = select_columns(self, _as_list(subsets), _as_list(measures))
        return select_rows(table, _as_list(systems), printed)

    def __getitem__(self, columns: Named | Sequence[Named]) -> "PaperTable":
        """Return the table cut to some columns.

        Args:
            columns: measures, as for `select`; or titles of single columns, as `frame` has them
                ("method NDCG%20").

        Raises:
            ValueError: an unknown measure or title.
        """
        titles_or_measures = _as_list(columns) or []
        all_titles = set(title_columns(self.columns))
        texts = [str(item) for item in titles_or_measures]
        if texts and all_titles.issuperset(texts):
            return select_titles(self, texts)
        return self.select(measures=titles_or_measures)

    @check_arguments
    def to_html(self, path: FilePath, *, counts: bool = True) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        It begins with the columns over the queries of all subsets.

        Args:
            path: of the file.
            counts: whether to write the numbers of queries.
        """
        return write_page(path, render_table_page(self, counts))

    @check_arguments
    def to_latex(
        self,
        path: FilePath | None = None,
        *,
        rows: Sequence[str] | None = None,
        std: bool = True,
        best: Best = "group",
        counts: bool = True,
        blocks: bool = False,
        compact: bool = False,
    ) -> str | Path:
        r"""Write a ``tabular`` for the package booktabs and return its path; default: its text.

        Remarks stand above it as comments. What fits a column or a page of a conference's template
        is on the page *A paper's table, with your own model*.

        Args:
            path: file; None to return the text.
            rows: names of the systems to write, in this order; None for all.
            std: whether to write ±.
            best: where a column's highest value is bold: in each "group" of rows, "overall", or
                None for nowhere.
            counts: whether to write the numbers of queries; without them, the heading of a single
                group of rows is left out, too.
            blocks: whether each subset (facet) is a block of rows, below a heading with its number
                of queries, and not a group of columns.
            compact: whether to write in small type, with narrow gaps between columns.

        Raises:
            ValueError: an unknown row or value of `best`; names it.
        """
        choices = LatexChoices(std, best, counts, blocks, compact)
        text = write_latex(self, rows, choices)
        return text if path is None else write_page(path, text)

    @check_arguments
    def wins_to_latex(
        self, path: FilePath | None = None, *, counts: bool = True, compact: bool = False
    ) -> str | Path:
        r"""Write a ``tabular`` of the queries better, equal and worse than the baseline.

        A row for each system, a column for each subset (facet), lines for each measure: cut the
        table to one measure for a short one. A dagger marks a significant difference. ::

            table[["NDCG%20"]].wins_to_latex("wins.tex")

        Args:
            path: file; None to return the text.
            counts, compact: as for `to_latex`.

        Raises:
            ValueError: the table has no system beside its baseline.
        """
        wins = self.wins
        if wins.empty:
            raise ValueError(
                f"No system is compared with {self.baseline}. Make a table of two systems or more."
            )
        choices = LatexChoices(counts=counts, compact=compact)
        text = write_wins(self, wins, choices)
        return text if path is None else write_page(path, text)

    def _repr_html_(self) -> str:
        """Return HTML for a notebook, which calls this to show the table."""
        return render_notebook_html(self)

    def __repr__(self) -> str:
        # the text has no ± and no †, so it needs no sentences that explain them
        remarks = [remark.text for remark in self.notes if not remark.explains_signs]
        lines = [fill_for_terminal(f"{self.full_title}, percent"), write_for_terminal(self)]
        if remarks:
            lines.append("")
        lines += [fill_for_terminal(remark) for remark in remarks]
        return "\n".join(lines)


def _as_list(names: Any) -> list | None:
    """Return one name, or several, as a list; None stays."""
    if names is None:
        return None
    if isinstance(names, (str, ir_measures.Measure)):
        return [names]
    return list(names)
