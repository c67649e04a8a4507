"""Write a table as HTML: a page of one file, or a part of a notebook.

Arguments `columns`, `figures` and `comparisons` are those of a `PaperTable`, `cells` is the frame
of `lay_out`.
"""

import re
from functools import partial
from pathlib import Path

import pandas as pd

from ..pages import render_page
from .layout import FIGURE, OWN, format_number, format_percent, title_columns

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
LINE_BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")


def render_table(template: str, cells: pd.DataFrame, decimals: int, **values: object) -> str:
    """Return a table as HTML that fetches nothing.

    Args:
        template: "page.html" for a file, "table.html" for a notebook, which has its styles, too.
        cells: of the table.
        decimals: of percentages.
        values: for the other names in the template.
    """
    headings = cells.drop_duplicates("column")
    spans = headings.groupby("span")["subset"].agg(["first", "size"])
    first_columns = headings.drop_duplicates("span")["column"]
    return render_page(
        TEMPLATES,
        template,
        heading="h1" if template == "page.html" else "h2",
        cells=cells,
        labels=list(headings["label"]),
        spans=list(spans.itertuples(index=False)),
        starts=set(first_columns),
        breakable=LINE_BREAKS.split,
        percent=partial(format_percent, decimals=decimals),
        whole=partial(format_number, form=".0f"),
        **values,
    )


def list_tests(
    columns: pd.DataFrame, figures: pd.DataFrame, comparisons: pd.DataFrame, baseline: str
) -> pd.DataFrame:
    """Return this run's figures by column, and behind each its tests against other baselines.

    Args:
        columns, figures, comparisons: see above.
        baseline: name of the first baseline, the tests against which are part of `figures`.

    Returns:
        The columns of both frames, the `title` of a figure's column, and `row`: the figure's name,
        or "– against …" for a test.
    """
    figures_by_column = columns[["subset", "measure"]].merge(figures, on=["subset", "measure"])
    own_figures = figures_by_column[figures_by_column["source"] == OWN]
    own_figures = own_figures.assign(row=own_figures["name"])

    further_tests = comparisons[comparisons["baseline"] != baseline].drop(columns="queries")
    further_tests = further_tests.assign(row="– against " + further_tests["baseline"])

    tests = pd.concat([own_figures, further_tests], ignore_index=True)
    tests["title"] = title_columns(tests)
    figure_of_test = tests.groupby(FIGURE, sort=False).ngroup()
    return tests.iloc[figure_of_test.argsort(kind="stable")]
