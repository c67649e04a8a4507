"""Write a table as HTML: a page of one file, or a part of a notebook.

Arguments `columns`, `figures` and `comparisons` are those of a `PaperTable`, `cells` is the frame
of `lay_out`.
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from ..pages import MINUS, render_page
from .layout import FIGURE, OWN, format_number, format_percent, title_columns

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
LINE_BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")
SMALLEST_WRITTEN_P = 0.001


def render_table(template: str, cells: pd.DataFrame, **values: object) -> str:
    """Return a table as HTML that fetches nothing.

    Args:
        template: "page.html" for a file, "table.html" for a notebook, which has its styles, too.
        cells: of the table.
        values: for the other names in the template.
    """
    # the name of a subset stands once, above a span of neighbouring columns
    headings = cells.drop_duplicates("column")
    starts_span = headings["subset"] != headings["subset"].shift()
    span_numbers = starts_span.cumsum()
    spans = headings.groupby(span_numbers)["subset"].agg(["first", "size"])
    return render_page(
        TEMPLATES,
        template,
        heading="h1" if template == "page.html" else "h2",
        cells=cells,
        labels=list(headings["label"]),
        spans=list(spans.itertuples(index=False)),
        starts=set(headings["column"][starts_span]),
        breakable=LINE_BREAKS.split,
        **values,
    )


def describe_tests(
    columns: pd.DataFrame,
    figures: pd.DataFrame,
    comparisons: pd.DataFrame,
    baseline: str,
    decimals: int,
) -> pd.DataFrame:
    """Return intervals and tests of this run as texts, by column.

    Args:
        columns, figures, comparisons: see above.
        baseline: name of the first baseline, the tests against which are part of `figures`.
        decimals: of percentages.

    Returns:
        Frame with `title` of the column, `name`, `value`, `interval`, `queries`, `difference`, `p`,
        `counts` (of queries better, equal and worse), `detectable`, `judged_share` and `condensed`
        (of figures with unjudged results); "" for what is missing. Each figure has a row, and below
        it one for each test against another baseline.
    """
    figures_by_column = columns[["subset", "measure"]].merge(figures, on=["subset", "measure"])
    own_figures = figures_by_column[figures_by_column["source"] == OWN]
    own_figures = own_figures.assign(row=own_figures["name"])

    # the tests against the first baseline are part of the figures
    further_tests = comparisons[comparisons["baseline"] != baseline].drop(columns="queries")
    further_tests = further_tests.assign(row="– against " + further_tests["baseline"])

    tests = pd.concat([own_figures, further_tests], ignore_index=True)
    tests["title"] = title_columns(tests)
    figure_numbers = tests.groupby(FIGURE, sort=False).ngroup()
    tests_behind_figures = tests.iloc[figure_numbers.argsort(kind="stable")]
    texts = [_describe_test(test, baseline, decimals) for test in tests_behind_figures.itertuples()]
    return pd.DataFrame(texts)


def _describe_test(test: Any, baseline: str, decimals: int) -> dict[str, str]:
    """Return the texts of a figure of this run, or of a test, see `describe_tests`.

    baseline, decimals: as for `describe_tests`.
    """
    interval = ""
    if pd.notna(test.low):
        lowest = format_percent(test.low, decimals)
        highest = format_percent(test.high, decimals)
        interval = f"{lowest}–{highest}"

    queries = format_number(test.queries, ".0f")
    if test.answered < test.queries:
        queries = f"{test.answered:.0f} of {queries}"

    difference = p = counts = detectable = ""
    if pd.notna(test.p):
        difference = format_percent(test.difference, decimals, sign="+").replace("-", MINUS)
        p = "< 0.001" if test.p < SMALLEST_WRITTEN_P else f"{test.p:.3f}"
        counts = f"{test.better:.0f} / {test.equal:.0f} / {test.worse:.0f}"
        detectable = format_percent(test.detectable, decimals)
    if test.row == baseline:
        difference = "baseline"

    is_partly_judged = test.judged_share < 1  # not if it is NaN
    return {
        "title": test.title,
        "name": test.row,
        "value": format_percent(test.value, decimals),
        "interval": interval,
        "queries": queries,
        "difference": difference,
        "p": p,
        "counts": counts,
        "detectable": detectable,
        "judged_share": format_percent(test.judged_share, 1) if is_partly_judged else "",
        "condensed": format_percent(test.condensed, decimals),
    }
