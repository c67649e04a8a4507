"""Write a table as HTML: a page of one file, or a part of a notebook.

page = write_page(table)            # for a file; needs no other file
part = write_notebook_html(table)   # with its styles, for a notebook's cell
"""

import re
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..pages import signed, templates
from ..text import writable
from .layout import find_spans, format_percent, lay_out
from .table_content import OWN, TableContent
from .table_selection import put_aggregates_first, title_columns

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
LINE_BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")
SMALLEST_WRITTEN_P = 0.001


class SystemDetails(NamedTuple):
    """A system's interval and test in one column, as texts; "" where there is none."""

    name: str
    value: str
    interval: str
    queries: str
    difference: str
    p: str
    better: str


class ColumnDetails(NamedTuple):
    """The intervals and tests of this run's systems in one column."""

    title: str
    systems: list[SystemDetails]


def write_page(table: TableContent, counts: bool = True) -> str:
    """Return the table as a page that fetches nothing; `counts`: with numbers of queries."""
    return _render("page.html", table, heading="h1", counts=counts)


def write_notebook_html(table: TableContent) -> str:
    """Return the table as a part of a page, with its styles."""
    return _render("table.html", table, heading="h2", counts=True)


def _render(template_name: str, table: TableContent, heading: str, counts: bool) -> str:
    """Fill a template; `heading` is the HTML tag of the table's title."""
    table = put_aggregates_first(table)
    template = templates(TEMPLATES).get_template(template_name)
    spans = find_spans(table)
    html = template.render(
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
    return writable(html)


def _collect_details(table: TableContent) -> list[ColumnDetails]:
    """Return the intervals and tests of this run's systems, by column."""
    own_figures = table.figures[table.figures["source"] == OWN]

    details = []
    for subset, label in zip(table.columns["subset"], table.columns["label"]):
        is_in_column = (own_figures["subset"] == subset) & (own_figures["label"] == label)
        figures_of_column = own_figures[is_in_column]
        if figures_of_column.empty:
            continue

        systems = [_describe_system(figure, table) for _, figure in figures_of_column.iterrows()]
        title = f"{subset} {label}".strip()
        details.append(ColumnDetails(title, systems))
    return details


def _describe_system(figure: pd.Series, table: TableContent) -> SystemDetails:
    """Return a system's figure in one column as texts."""
    low = format_percent(figure["low"], table.decimals)
    high = format_percent(figure["high"], table.decimals)

    queries = int(figure["queries"])
    answered = int(figure["answered"])
    query_count = str(queries) if answered == queries else f"{answered} of {queries}"

    is_baseline = figure["name"] == table.baseline
    was_tested = not pd.isna(figure["p"])
    if was_tested:
        difference = signed(100 * figure["difference"], table.decimals)
        p = _format_p(figure["p"])
        better = f"{int(figure['better'])} / {int(figure['worse'])}"
    else:
        difference = "baseline" if is_baseline else ""
        p = ""
        better = ""

    return SystemDetails(
        name=figure["name"],
        value=format_percent(figure["value"], table.decimals),
        interval=f"{low}–{high}",
        queries=query_count,
        difference=difference,
        p=p,
        better=better,
    )


def _format_p(p: float) -> str:
    """Format a p-value with three decimals."""
    if p < SMALLEST_WRITTEN_P:
        return "< 0.001"
    return f"{p:.3f}"
