"""Write a table as HTML: a page of one file, or a part of a notebook."""

import re
from functools import partial
from pathlib import Path

import pandas as pd

from ..pages import render_page
from .layout import (
    FIGURE,
    OWN,
    TableData,
    format_number,
    format_percent,
    lay_out,
    title_columns,
)
from .remarks import write_remarks
from .shape import COLUMN

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
LINE_BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")


def render_table(table: TableData, template: str, counts: bool) -> str:
    """Return a table as HTML that fetches nothing.

    Args:
        table: with its columns in the page's order.
        template: "page.html" for a file, "table.html" for a notebook, which has its styles, too.
        counts: whether to write the numbers of queries.
    """
    cells = lay_out(table)
    headings = cells.drop_duplicates("column")
    spans = headings.groupby("span")["subset"].agg(["first", "size"])
    tests = _list_tests(table)
    return render_page(
        TEMPLATES,
        template,
        heading="h1" if template == "page.html" else "h2",
        title=table.title,
        dataset=table.dataset,
        remarks=tuple(write_remarks(table)),
        systems=table.systems,
        baseline=table.baseline,
        cells=cells,
        labels=list(headings["label"]),
        spans=list(spans.itertuples(index=False)),
        starts=set(headings.drop_duplicates("span")["column"]),
        counts=counts,
        tests=tests,
        unjudged=tests[tests["judged_share"] < 1],
        breakable=LINE_BREAKS.split,
        percent=partial(format_percent, decimals=table.protocol.decimals),
        whole=partial(format_number, form=".0f"),
    )


def _list_tests(table: TableData) -> pd.DataFrame:
    """Return this run's figures by column, and behind each its tests against other baselines.

    A figure's row has its test against the first baseline, too, which is part of `figures`. Each
    test against another baseline, from `comparisons`, is a row of its own.

    Returns:
        Frame with the columns of `figures` and `comparisons`; `title`, of the figure's column; and
        `row`, what is written at its beginning: the system's name, or "– against …" for a test.
    """
    # an inner join has the order of its left frame, here that of the page's columns
    own_figures = table.figures[table.figures["source"] == OWN]
    figure_rows = table.columns[COLUMN].merge(own_figures, on=COLUMN)
    figure_rows["row"] = figure_rows["name"]

    # a test's row leaves the number of queries blank, because its figure's row has it
    is_further = table.comparisons["baseline"] != table.baseline
    test_rows = table.comparisons[is_further].drop(columns="queries")
    test_rows["row"] = "– against " + test_rows["baseline"]

    all_rows = pd.concat([figure_rows, test_rows], ignore_index=True)
    all_rows["title"] = title_columns(all_rows)

    # a figure and its tests share a number; figures stand first, so a stable sort by this number
    # puts the tests of each figure behind it
    all_rows["number_of_figure"] = all_rows.groupby(FIGURE, sort=False).ngroup()
    return all_rows.sort_values("number_of_figure", kind="stable")
