"""Figures of a table: printed ones, and means with ± and tests of one's own."""

import numpy as np
import pandas as pd

from ..evaluation.against import compared
from ..evaluation.measures import measure_of

PUBLISHED, OWN = "published", "this run"
COLUMNS = [
    *("name", "source", "subset", "measure", "label", "value", "std", "low", "high"),
    *("queries", "of", "difference", "p", "better", "worse"),
]


def printed_figures(shape):
    """The printed rows, with COLUMNS; what the papers do not say is NaN."""
    sizes = {(column.subset, column.measure): column.of for column in shape.columns}
    found = shape.printed.rename(columns={"system": "name", "source": "paper"})
    of = [sizes[pair] for pair in zip(found["subset"], found["measure"])]
    found = found.assign(source=PUBLISHED, queries=of, of=of)
    return found.reindex(columns=[*COLUMNS, "paper"])


def own_figures(columns, perquery, baseline, resamples, seed):
    """A row for each column and system that has a figure there, with COLUMNS.

    Args:
        columns: of `columns.Column`.
        perquery: frame `name`, `qid`, `measure`, `value`; `answered`, whether results that were
            given have a document for the query (a system that finds none has the value 0);
            `judgements`, their number: only systems under the same ones are compared.
        baseline: name of the system to compare with.
        resamples, seed: of `bootstrap`.
    """
    order = {name: place for place, name in enumerate(perquery["name"].unique())}
    found = [_of_column(column, perquery, baseline, resamples, seed) for column in columns]
    found = pd.concat(found, ignore_index=True).reindex(columns=COLUMNS)
    return found.sort_values("name", key=lambda names: names.map(order), kind="stable")


def _of_column(column, perquery, baseline, resamples, seed):
    measure = str(measure_of(column.measure))
    rows = perquery[perquery["measure"].eq(measure) & perquery["qid"].isin(column.queries)]
    whole = rows.groupby("name")["answered"].all()
    rows = rows[rows["name"].map(whole)]
    if rows.empty:
        return pd.DataFrame(columns=COLUMNS)
    alike = [part for _, part in rows.groupby("judgements", sort=False)]
    found = pd.concat([compared(part, baseline, resamples, seed) for part in alike])
    values = {name: _mean(column, part) for name, part in rows.groupby("name")}
    about = {"source": OWN, "subset": column.subset, "label": column.label, "of": column.of}
    return found.assign(
        value=found["name"].map(values),
        queries=found["name"].map(rows.groupby("name")["qid"].nunique()),
        measure=column.measure,
        **about,
    )


def _mean(column, rows):
    """The mean over the column's parts of the means over their queries that count."""
    values = rows.set_index("qid")["value"]
    return np.mean([values[values.index.isin(part)].mean() for part in column.parts])
