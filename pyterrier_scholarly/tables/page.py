"""A table as HTML: for a notebook, and as a page of one file."""

from functools import lru_cache
from itertools import accumulate, groupby
from pathlib import Path

from ..text.plain import writable
from .layout import layout, percent
from .values import OWN

FOLDER = Path(__file__).parent / "_page"


@lru_cache(maxsize=1)
def _templates():
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        autoescape=True,
        loader=FileSystemLoader(FOLDER),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def fragment(table) -> str:
    """The table with its styles, for a notebook."""
    return writable(_templates().get_template("table.html").render(_shown(table), heading="h2"))


def page(table) -> str:
    """The table as a page, without anything to be fetched."""
    return writable(_templates().get_template("page.html").render(_shown(table), heading="h1"))


def _shown(table):
    columns = list(table.columns.itertuples())
    spans = [list(same) for _, same in groupby(columns, key=lambda column: column.subset)]
    starts = accumulate((len(span) for span in spans), initial=0)
    return {
        "table": table,
        "columns": columns,
        "spans": [(span[0].subset, len(span)) for span in spans],
        "starts": set(starts),
        "groups": layout(table),
        "details": list(_details(table)),
        "systems": table.systems.to_dict("records"),
    }


def _details(table):
    """Intervals and tests: each column's name, and a row for each own figure."""
    own = table.figures[table.figures["source"] == OWN]
    for subset, label in zip(table.columns["subset"], table.columns["label"]):
        rows = own[(own["subset"] == subset) & (own["label"] == label)]
        shown = [_detail(row, table) for row in rows.itertuples()]
        yield f"{subset} {label}".strip(), shown


def _detail(row, table):
    tested = row.p == row.p
    difference = f"{100 * row.difference:+.{table.decimals}f}".replace("-", "−")
    ends = (percent(end, table.decimals) for end in (row.low, row.high))
    return {
        "name": row.name,
        "value": percent(row.value, table.decimals),
        "interval": " to ".join(ends),
        "queries": int(row.queries),
        "difference": difference if tested else "baseline" if row.name == table.baseline else "",
        "p": "" if not tested else f"{row.p:.3f}" if row.p >= 0.001 else "< 0.001",
        "better": f"{int(row.better)} / {int(row.worse)}" if tested else "",
    }
