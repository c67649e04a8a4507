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

    It has the columns of `figures` and `comparisons`, the `title` of a figure's column, and `row`:
    the figure's name, or "– against …" for a test. Tests against the first baseline are part of
    `figures`.
    """
    own_figures = table.figures[table.figures["source"] == OWN]
    own_figures = table.columns[COLUMN].merge(own_figures, on=COLUMN)
    own_figures["row"] = own_figures["name"]

    # their queries are not written again
    further_tests = table.comparisons.drop(columns="queries")
    further_tests = further_tests[further_tests["baseline"] != table.baseline]
    further_tests["row"] = "– against " + further_tests["baseline"]

    rows = pd.concat([own_figures, further_tests], ignore_index=True)
    rows["title"] = title_columns(rows)

    # a stable sort keeps the tests of a figure behind it
    rows["number_of_figure"] = rows.groupby(FIGURE, sort=False).ngroup()
    return rows.sort_values("number_of_figure", kind="stable")
