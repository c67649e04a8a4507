"""What `reproduce` returns: a table that writes itself as HTML, LaTeX and text.

table = reproduce("csfcube", ["fabs_tfidf"])
table.to_html("table.html")
table.to_latex("table.tex", std=False)
table[["NDCG%20"]].to_latex("short.tex", std=False, counts=False)
table.frame.to_csv("table.csv")
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

from ..arguments import FilePath
from ..choices import check_option, describe_unknown
from ..evaluation.measure_names import Named, measure_of, measures_of
from ..pages import write_page
from .html import render_table
from .latex import write_tabular
from .layout import (
    DIFFERS,
    OWN,
    RIVALS,
    SIGNIFICANT,
    Best,
    TableData,
    lay_out,
    lay_out_wins,
    title_columns,
)
from .remarks import remark_tests, write_remarks
from .shape import COLUMN
from .terminal import write_text


class PaperTable(TableData):
    """A table of a paper, or of your own collection: printed rows, rows of this run, and remarks.

    A notebook shows it as the page does.

    Attributes:
        dataset: id of the dataset whose queries were run.
        table: number in the paper; "" if it has none.
        protocol: of the collection, with its title and the decimals of percentages.
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
            - `judged_share` and `condensed`: what unjudged documents may hide, see
              `unjudged_effects`; NaN if every result is judged
            - `measure_verified` and `system_verified` of a printed figure, see `published`;
              `other_pools`, the dataset whose candidates it is over, if they are not this run's

        comparisons: frame, a row for each test of a figure of this run against a baseline: `name`,
            `baseline`, `subset`, `measure`, `label`, `queries`, `difference`, `p`, `better`,
            `equal`, `worse`, `detectable`; `sign`, behind a figure that differs significantly.
        systems: frame, a row for each system passed as a key: `key`, `name` (as printed), `named`
            (in the paper), `model` (the encoder in this run), `source`, `note`, `system` (its name
            in the table).
        checks: dict from the name of a row of this run to its `RunCheck`.
        runs: dict from the name of a row of this run to its ranking (`qid`, `docno`, `score`), for
            `compare`.
        baselines: names of the systems that the others are tested against.
        corrected: how p-values were corrected for their number, as text.
        resamples: number of samples behind ± and intervals.
        notes: sentences on the whole table.
    """

    @property
    def frame(self) -> pd.DataFrame:
        """The table: `name`, `source` and a column for each subset and label ("broad R@20").

        Values are fractions of 1, NaN where a system has no figure.
        """
        figures = self.figures.assign(title=title_columns(self.figures))
        values = figures.set_index(["name", "source", "title"])["value"].unstack(sort=False)
        wide = values.reindex(columns=title_columns(self.columns))
        return wide.reset_index().rename_axis(columns=None)

    @property
    def wins(self) -> pd.DataFrame:
        """How many queries each system has better, equal and worse than a baseline.

        The frame `comparisons`, whose `queries` are those that were compared.
        """
        counts = ["better", "equal", "worse"]
        wins = self.comparisons.astype(dict.fromkeys(counts, int))
        return wins.assign(queries=wins[counts].sum(axis=1))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences below the table, the most important first."""
        return tuple(write_remarks(self))

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
        if measures is not None:
            measures = [self._find_measure(measure) for measure in _as_list(measures)]
        # by measure, then stably by subset; not every subset has every measure
        columns = _choose(self.columns, "measure", measures, self.columns)
        columns = _choose(columns, "subset", subsets, self.columns)
        return self._cut(columns, systems, printed)

    def __getitem__(self, columns: Named | Sequence[Named]) -> "PaperTable":
        """Return the table cut to some columns.

        Args:
            columns: measures, as for `select`; or titles of single columns, as `frame` has them
                ("method NDCG%20").

        Raises:
            ValueError: an unknown measure or title.
        """
        chosen = _as_list(columns)
        titled_columns = self.columns.assign(title=title_columns(self.columns))
        titles = [str(item) for item in chosen]
        are_titles = len(titles) > 0 and set(titles) <= set(titled_columns["title"])
        if not are_titles:
            return self.select(measures=chosen)
        return self._cut(_choose(titled_columns, "title", titles, titled_columns))

    def lay_out(self, best: Best = "group") -> pd.DataFrame:
        """Return the cells as texts, a row for each row and column of the table; see `layout`.

        best: where a column's highest figure is marked.
        """
        return lay_out(self, best)

    def to_html(self, path: FilePath, *, counts: bool = True) -> Path:
        """Write one HTML file that needs no other file, and return its path.

        It begins with the columns over the queries of all subsets.

        Args:
            path: of the file.
            counts: whether to write the numbers of queries.
        """
        return write_page(path, render_table(self._put_aggregates_first(), "page.html", counts))

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
        if best not in list(RIVALS):  # a list has no hash
            raise ValueError(f"best={best!r}: choose one of group, overall, None.")
        table = self if rows is None else self.select(systems=rows)
        text = write_tabular(
            [rf"{table.full_title}, percent; \usepackage{{booktabs}}", *table.remarks],
            table.lay_out(best),
            std=std,
            counts=counts,
            titles=counts and not blocks,
            blocks=blocks,
            compact=compact,
        )
        return text if path is None else write_page(path, text)

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
            ValueError: the table has no system that is compared with its baseline.
        """
        wins = self.wins
        if wins.empty:
            raise ValueError(
                f"No system is compared with {self.baseline}. Make a table of two systems or more, "
                "which are evaluated with the same judgements: all are run, or all are results."
            )
        # a block has one baseline and one sign, where the table of figures may have letters
        comments = [
            rf"{self.full_title}: queries better/equal/worse; \usepackage{{booktabs}}",
            f"{DIFFERS} p < {SIGNIFICANT}",
            *remark_tests(self),
        ]
        text = write_tabular(comments, lay_out_wins(wins), counts=counts, compact=compact)
        return text if path is None else write_page(path, text)

    def _put_aggregates_first(self) -> "PaperTable":
        """Return the table with the columns over the queries of all subsets as the first ones."""
        columns = self.columns.sort_values(
            "aggregate", ascending=False, kind="stable", ignore_index=True
        )
        return replace(self, columns=columns)

    def _cut(
        self,
        columns: pd.DataFrame,
        systems: str | Sequence[str] | None = None,
        printed: bool = True,
    ) -> "PaperTable":
        """Return the table cut to these columns, and to rows as `select` has them."""
        figures = self.figures if printed else self.figures[self.figures["source"] == OWN]
        rows = _choose(figures, "name", systems, figures, what="row")
        chosen_figures = rows.merge(columns[COLUMN], on=COLUMN)
        if chosen_figures.empty:
            raise ValueError(
                f"Nothing is left of the table. Its rows are: {', '.join(figures['name'].unique())}"
                f"; its columns: {', '.join(title_columns(self.columns))}."
            )

        names = set(rows["name"])
        comparisons = self.comparisons[self.comparisons["name"].isin(names)]
        kept_systems = self.systems[self.systems["system"].isin(names)]
        return replace(
            self,
            columns=columns[list(self.columns.columns)],
            figures=chosen_figures,
            comparisons=comparisons.merge(columns[COLUMN], on=COLUMN),
            systems=kept_systems.reset_index(drop=True),
            checks={name: check for name, check in self.checks.items() if name in names},
            runs={name: run for name, run in self.runs.items() if name in names},
        )

    def _find_measure(self, measure: Named) -> str:
        """Return a column's measure by its label, or by the measure in any spelling."""
        measure_of_label = dict(zip(self.columns["label"], self.columns["measure"]))
        if str(measure) in measure_of_label:
            return measure_of_label[str(measure)]

        # the same measure may be spelled in several ways, so compare them as they are parsed
        column_of_measure = measures_of(self.columns["measure"])
        parsed_measure = measure_of(measure)
        if parsed_measure not in column_of_measure:
            raise ValueError(
                describe_unknown("measure", str(measure), measure_of_label, of="the table")
            )
        return column_of_measure[parsed_measure]

    def _repr_html_(self) -> str:
        """Return HTML for a notebook, which calls this to show the table."""
        return render_table(self._put_aggregates_first(), "table.html", counts=True)

    def __repr__(self) -> str:
        cells = self._put_aggregates_first().lay_out()
        # the text has no ± and no †, so it needs no sentences that explain them
        remarks = write_remarks(self, with_signs=False)
        return write_text(f"{self.full_title}, percent", cells, remarks)


def _choose(
    frame: pd.DataFrame, column: str, chosen: Any, all_rows: pd.DataFrame, what: str = ""
) -> pd.DataFrame:
    """Return the rows with the chosen values of a column, in the order of the choice.

    Args:
        frame: of a table.
        column: whose values are chosen.
        chosen: one value, or several; None for all.
        all_rows: frame with all values of the column, of which `frame` may have some.
        what: the column's name in the error; "" for `column`.

    Raises:
        ValueError: an unknown value.
    """
    known_values = list(all_rows[column].unique())
    values = known_values if chosen is None else _as_list(chosen)
    for value in values:
        check_option(what or column, value, known_values, of="the table")

    # an inner join has the order of its left frame
    chosen_values = pd.DataFrame({column: list(dict.fromkeys(values))})
    return chosen_values.merge(frame, on=column)[list(frame.columns)]


def _as_list(names: Any) -> list[Any]:
    """Return one name, or several, as a list."""
    return [names] if isinstance(names, (str, ir_measures.Measure)) else list(names)
