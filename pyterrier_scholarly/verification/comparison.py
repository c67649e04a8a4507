"""Put our figures of a table beside the printed ones, cell by cell."""

import pandas as pd

from ..protocols import PROTOCOLS
from ..tables.layout import OWN
from .outcomes import Cell, margin_of_resampling
from .rows import PrintedRow, read_figures


def own_figures_of(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `PaperTable.figures` that are of this run, where it has a figure."""
    own = figures[figures["source"] == OWN]
    return own.dropna(subset=["value"])


def compare_with_print(row: PrintedRow, figures: pd.DataFrame) -> tuple[Cell, ...]:
    """Return a cell for each printed figure of a row for which there is one of ours.

    Args:
        row: as printed.
        figures: `subset`, `measure`, `value`, `std` (NaN if unknown), `queries`, `of`, `part`.
    """
    protocol = PROTOCOLS[row.collection]
    printed_figures = read_figures(row)[["subset", "label", "measure", "value"]]
    # figures over other pools stand in the column of their queries, see `PrintedSubset`
    subsets = [protocol.find_subset(name) for name in printed_figures["subset"]]
    columns = [subset.queries if subset.pools else subset.name for subset in subsets]
    own_figures = figures.rename(columns={"subset": "column"})
    both = printed_figures.assign(column=columns).merge(
        own_figures, on=["column", "measure"], suffixes=("", "_own")
    )

    cells = []
    for figure in both.itertuples(index=False):
        # a file may lack queries, too: then fewer are present than the whole release has
        query_count = int(figure.of)
        if query_count:
            query_count = max(query_count, protocol.count_queries(figure.subset))
        std = 0.0 if pd.isna(figure.std) else float(figure.std)
        cells.append(
            Cell(
                subset=figure.subset,
                label=figure.label,
                expected=protocol.unit * float(figure.value),
                found=protocol.unit * float(figure.value_own),
                decimals=protocol.decimals,
                margin=protocol.unit * margin_of_resampling(std, protocol.resamples),
                queries=int(figure.queries),
                of=query_count,
                part=str(figure.part),
            )
        )
    return tuple(cells)
