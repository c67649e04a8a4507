"""Write a table as HTML: a page of one file, or a part of a notebook.

page = render_table_page(table)      # for a file; needs no other file
part = render_notebook_html(table)   # with its styles, for a notebook's cell
"""

import re
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..pages import format_signed, render_page
from .layout import find_spans, format_percent, lay_out
from .table_content import OWN, TableContent
from .table_selection import put_aggregates_first

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
LINE_BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")
SMALLEST_WRITTEN_P = 0.001


class TestTexts(NamedTuple):
    """A test against a baseline.

    counts: of queries better, equal and worse than the baseline.
    detectable: the smallest difference that so many queries can show.
    """

    difference: str = ""
    p: str = ""
    counts: str = ""
    detectable: str = ""


class SystemDetails(NamedTuple):
    """A system's interval and test in one column, as texts; "" where there is none."""

    name: str
    value: str
    interval: str
    queries: str
    test: TestTexts


class UnjudgedDetails(NamedTuple):
    """What unjudged documents may hide of a system's figure in one column, as texts."""

    name: str
    value: str
    judged_share: str
    condensed: str
    bounds: str


class ColumnDetails(NamedTuple):
    """The intervals and tests of this run's systems in one column.

    unjudged: of the systems with unjudged results.
    """

    title: str
    systems: list[SystemDetails]
    unjudged: list[UnjudgedDetails]


def render_table_page(table: TableContent, counts: bool = True) -> str:
    """Return the table as a page that fetches nothing; `counts`: with numbers of queries."""
    return _render("page.html", table, heading="h1", counts=counts)


def render_notebook_html(table: TableContent) -> str:
    """Return the table as a part of a page, with its styles."""
    return _render("table.html", table, heading="h2", counts=True)


def _render(template_name: str, table: TableContent, heading: str, counts: bool) -> str:
    """Fill a template; `heading` is the HTML tag of the table's title."""
    table = put_aggregates_first(table)
    spans = find_spans(table)
    return render_page(
        TEMPLATES,
        template_name,
        table=table,
        columns=list(table.columns.itertuples()),
        breakable=LINE_BREAKS.split,
        spans=spans,
        starts={span.first for span in spans},
        groups=lay_out(table),
        details=_collect_details(table),
        systems=table.systems.to_dict("records"),
        heading=heading,
        has_counts=counts,
    )


def _collect_details(table: TableContent) -> list[ColumnDetails]:
    """Return the intervals and tests of this run's systems, for each column that has some."""
    own_figures = table.figures[table.figures["source"] == OWN]

    details = []
    for subset, label in zip(table.columns["subset"], table.columns["label"]):
        is_in_column = (own_figures["subset"] == subset) & (own_figures["label"] == label)
        if is_in_column.any():
            title = f"{subset} {label}".strip()
            details.append(_describe_column(title, own_figures[is_in_column], table))
    return details


def _describe_column(title: str, figures: pd.DataFrame, table: TableContent) -> ColumnDetails:
    """Return the details of one column's figures as texts.

    Each system has a row, and below it one for each test against another than the first baseline.
    """
    system_rows = []
    unjudged_rows = []
    for _, figure in figures.iterrows():
        system_rows.append(_describe_system(figure, table))
        system_rows += _describe_further_tests(figure, table)

        has_unjudged_results = figure["judged_share"] < 1
        if has_unjudged_results:
            unjudged_rows.append(_describe_unjudged(figure, table.decimals))
    return ColumnDetails(title, system_rows, unjudged_rows)


def _describe_system(figure: pd.Series, table: TableContent) -> SystemDetails:
    """Return a system's figure in one column as texts."""
    low = format_percent(figure["low"], table.decimals)
    high = format_percent(figure["high"], table.decimals)

    queries = int(figure["queries"])
    answered = int(figure["answered"])
    query_count = str(queries) if answered == queries else f"{answered} of {queries}"

    if not pd.isna(figure["p"]):
        test = _describe_test(figure, table.decimals)
    elif figure["name"] == table.baseline:
        test = TestTexts(difference="baseline")
    else:
        test = TestTexts()

    return SystemDetails(
        name=figure["name"],
        value=format_percent(figure["value"], table.decimals),
        interval=f"{low}–{high}",
        queries=query_count,
        test=test,
    )


def _describe_further_tests(figure: pd.Series, table: TableContent) -> list[SystemDetails]:
    """Return a figure's tests against further baselines, each in a row of its own."""
    key = ["name", "subset", "measure"]
    details = []
    for _, comparison in table.further.iterrows():
        if list(comparison[key]) == list(figure[key]):
            name = f"– against {comparison['baseline']}"
            test = _describe_test(comparison, table.decimals)
            details.append(SystemDetails(name, value="", interval="", queries="", test=test))
    return details


def _describe_test(comparison: pd.Series, decimals: int) -> TestTexts:
    """Return a test against a baseline as texts."""
    counts = [comparison["better"], comparison["equal"], comparison["worse"]]
    return TestTexts(
        difference=format_signed(100 * comparison["difference"], decimals),
        p=_format_p(comparison["p"]),
        counts=" / ".join(str(int(count)) for count in counts),
        detectable=format_percent(comparison["detectable"], decimals),
    )


def _describe_unjudged(figure: pd.Series, decimals: int) -> UnjudgedDetails:
    """Return what unjudged documents may hide of a figure, as texts."""
    low = format_percent(figure["lowest"], decimals)
    high = format_percent(figure["highest"], decimals)
    return UnjudgedDetails(
        name=figure["name"],
        value=format_percent(figure["value"], decimals),
        judged_share=format_percent(figure["judged_share"], 1),
        condensed=format_percent(figure["condensed"], decimals),
        bounds=f"{low}–{high}" if low else "",
    )


def _format_p(p: float) -> str:
    """Format a p-value with three decimals."""
    if p < SMALLEST_WRITTEN_P:
        return "< 0.001"
    return f"{p:.3f}"
