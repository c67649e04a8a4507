"""A table as people read it: groups of rows, cells as text, the best of each column."""

from typing import NamedTuple

from .values import OWN, PUBLISHED

SIGNIFICANT = 0.05


class Cell(NamedTuple):
    """What stands in a cell; empty texts where there is no figure."""

    value: str = ""
    std: str = ""
    interval: str = ""
    best: bool = False
    differs: bool = False  # from the baseline, significantly


class Row(NamedTuple):
    """A system: its name, what the papers call it (where that is another), its cells."""

    name: str
    printed: str
    cells: list


class Group(NamedTuple):
    """Rows that compare with one another: over the same queries.

    counts: the number of queries of each column; None where the group has no figure.
    """

    source: str
    fewer: bool  # than the papers' figures are over
    counts: list
    rows: list

    @property
    def title(self) -> str:
        """What the rows are."""
        if self.source == PUBLISHED:
            return "As printed"
        return "This run, over fewer queries" if self.fewer else "This run"


def layout(table) -> list[Group]:
    """The groups of a `PaperTable`: printed rows, then one's own."""
    columns = table.columns
    places = [*zip(columns["subset"], columns["measure"])]
    found = {PUBLISHED: [], OWN: []}
    for (source, name), rows in table.figures.groupby(["source", "name"], sort=False):
        figures = {(row.subset, row.measure): row for row in rows.itertuples()}
        found[source].append((name, [figures.get(place) for place in places]))
    grouped = [(PUBLISHED, rows) for rows in [found[PUBLISHED]] if rows]
    grouped += [(OWN, rows) for rows in _alike(found[OWN])]
    return [_group(table, *pair) for pair in grouped]


def percent(value, decimals) -> str:
    """A fraction as percent; empty for NaN."""
    return "" if value != value else f"{100 * value:.{decimals}f}"


def _alike(rows):
    """Rows by whether they are over the same numbers of queries, as far as both have figures."""
    groups = []
    for row in rows:
        for group in groups:
            if all(_agree(_counts(group), _counts([row]))):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _agree(some, others):
    return (None in pair or pair[0] == pair[1] for pair in zip(some, others))


def _counts(rows):
    """For each column, over how many queries its figures are."""
    columns = zip(*(figures for _, figures in rows))
    return [next((int(f.queries) for f in column if f is not None), None) for column in columns]


def _group(table, source, rows):
    called = dict(zip(table.systems["system"], table.systems["name"])) if source == OWN else {}
    shown = [[_cell(figure, table.decimals) for figure in figures] for _, figures in rows]
    best = [_best(column) for column in zip(*shown)]
    marked = [
        [cell._replace(best=cell.value == top) for cell, top in zip(cells, best)] for cells in shown
    ]
    names = [(name, called.get(name, "")) for name, _ in rows]
    made = [Row(n, "" if p == n else p, cells) for (n, p), cells in zip(names, marked)]
    counts = _counts(rows)
    fewer = any(c is not None and c < of for c, of in zip(counts, table.columns["of"]))
    return Group(source, fewer, counts, made)


def _best(cells):
    """The highest value as text; None where there is nothing to compare."""
    values = [cell.value for cell in cells if cell.value]
    return max(values, key=float) if len(values) > 1 else None


def _cell(figure, decimals):
    if figure is None:
        return Cell()
    low, high = percent(figure.low, decimals), percent(figure.high, decimals)
    return Cell(
        percent(figure.value, decimals),
        percent(figure.std, decimals),
        f"{low}–{high}" if low else "",
        differs=figure.p < SIGNIFICANT,
    )
