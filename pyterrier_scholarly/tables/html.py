"""Write a table as HTML: a page of one file, or a part of a notebook."""

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from ..pages import signed, templates
from ..text import writable
from .layout import layout, percent
from .table_columns import OWN

if TYPE_CHECKING:
    from .paper_table import PaperTable

TEMPLATES = Path(__file__).parent / "_page"
#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")


class Span(NamedTuple):
    """Columns of one subset, side by side.

    first: number of the first column, from 0.
    width: number of the columns.
    """

    subset: str
    first: int
    width: int


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


def write_html(table: "PaperTable", whole: bool = True) -> str:
    """Render the table as a page that fetches nothing, or with its styles for a notebook."""
    spans = spans_of(table)
    template = templates(TEMPLATES).get_template("page.html" if whole else "table.html")
    text = template.render(
        table=table,
        columns=list(table.columns.itertuples()),
        breakable=BREAKS.split,
        spans=spans,
        starts={span.first for span in spans},
        groups=layout(table),
        details=_details_of(table),
        systems=table.systems.to_dict("records"),
        heading="h1" if whole else "h2",
    )
    return writable(text)


def spans_of(table: "PaperTable") -> list[Span]:
    """Return the subsets in the columns' order."""
    spans = []
    first = 0
    for subset, columns in groupby(table.columns["subset"]):
        width = len(list(columns))
        spans.append(Span(subset, first, width))
        first += width
    return spans


def _details_of(table: "PaperTable") -> list[ColumnDetails]:
    """Return the intervals and tests of this run's systems, by column."""
    own_figures = table.figures[table.figures["source"] == OWN]

    details = []
    for subset, label in zip(table.columns["subset"], table.columns["label"]):
        in_column = (own_figures["subset"] == subset) & (own_figures["label"] == label)
        systems = [_details_of_system(row, table) for _, row in own_figures[in_column].iterrows()]
        if systems:
            details.append(ColumnDetails(f"{subset} {label}".strip(), systems))
    return details


def _details_of_system(figure: pd.Series, table: "PaperTable") -> SystemDetails:
    """Return a row of figures as texts."""
    low = percent(figure["low"], table.decimals)
    high = percent(figure["high"], table.decimals)
    queries, answered = int(figure["queries"]), int(figure["answered"])

    difference = "baseline" if figure["name"] == table.baseline else ""
    p = better = ""
    was_tested = not pd.isna(figure["p"])
    if was_tested:
        difference = signed(100 * figure["difference"], table.decimals)
        p = f"{figure['p']:.3f}" if figure["p"] >= 0.001 else "< 0.001"
        better = f"{int(figure['better'])} / {int(figure['worse'])}"

    return SystemDetails(
        name=figure["name"],
        value=percent(figure["value"], table.decimals),
        interval=f"{low}–{high}",
        queries=str(queries) if answered == queries else f"{answered} of {queries}",
        difference=difference,
        p=p,
        better=better,
    )
