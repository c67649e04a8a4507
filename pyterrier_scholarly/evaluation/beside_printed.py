"""Put the papers' figures beside an experiment's own, joined by measure.

::

    averages = pt.Experiment([bm25], topics, qrels, ["R@5"], names=["my BM25"])
    beside(averages, published("litsearch/inline/broad"))
"""

from collections.abc import Mapping

import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from .measure_names import measures_of


@check_arguments
def beside(own: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Put published figures beside an experiment's own, joined by measure.

    A published figure goes to the column of the same measure, however the experiment writes it
    (``R@5`` or ``recall_5``). Other published measures are left out.

    Args:
        own: averages of `pt.Experiment` (`name` and a column per measure), or means with a row per
            measure (`name`, `measure`, `value`), as from `fold_mean`, `by_subset`, `bootstrap`.
        published: rows of `pyterrier_scholarly.published`, only for the evaluated subset: another
            subset is another task (``published("litsearch/inline/broad")``).

    Returns:
        Frame `name`, `source` ("published" or "this run"), `table` and `subset` of the published
        figures (both "" for your own, except the subsets of `by_subset`), the published measures in
        the papers' order, and the other columns of `own`. Published rows come first; NaN if a
        system has no figure.

    Raises:
        ValueError: no measure in common (names both sides), or two figures of a system for one
            measure.
    """
    pt.validate.columns(published, includes=["system", "table", "subset", "measure", "value"])

    own_wide = _widen_own(own)
    column_by_label: dict[str, str] = {}
    for measure, column in measures_of(own_wide.columns).items():
        column_by_label[str(measure)] = column
    common_figures = published[published["measure"].isin(column_by_label)]
    if common_figures.empty:
        raise ValueError(
            "no figure in common: the experiment has "
            f"{', '.join(column_by_label.values()) or 'none'}, published are "
            f"{', '.join(published['measure'].unique()) or 'none'}"
        )

    published_wide = _widen_published(common_figures, column_by_label)
    joined = pd.concat(
        [published_wide.assign(source="published"), own_wide.assign(source="this run")],
        ignore_index=True,
    )

    text_columns = ["name", "source", "table", "subset"]
    if "split" in own_wide:
        text_columns.append("split")
    # texts, the common measures, then what only the experiment has; each once
    columns = dict.fromkeys([*text_columns, *published_wide.columns, *own_wide.columns])
    return joined[list(columns)].fillna(dict.fromkeys(text_columns, ""))


def _widen_published(figures: pd.DataFrame, column_by_label: Mapping[str, str]) -> pd.DataFrame:
    """Return published figures with a row per system, and a column per measure.

    Measures have the names of the experiment's columns, so that both frames can be joined.

    Args:
        figures: rows of `published`, whose measures the experiment has.
        column_by_label: dict from a published measure to the experiment's column of it.
    """
    own_columns = figures["measure"].map(column_by_label)
    renamed_figures = figures.assign(measure=own_columns).rename(columns={"system": "name"})
    return _widen(renamed_figures, ["name", "table", "subset"])


def _widen_own(own: pd.DataFrame) -> pd.DataFrame:
    """Return an experiment's averages with a row per system and a column per measure.

    own: wide already, as of `pt.Experiment`; or long, with columns `measure` and `value`.
    """
    if "measure" not in own:  # wide
        pt.validate.columns(own, includes=["name"])
        return own

    pt.validate.columns(own, includes=["name", "measure", "value"])
    row_keys = [column for column in ("name", "subset", "split") if column in own]
    return _widen(own, row_keys)


def _widen(figures: pd.DataFrame, row_keys: list[str]) -> pd.DataFrame:
    """Return a row for each value of `row_keys`, a column per measure."""
    wide = figures.set_index([*row_keys, "measure"])["value"].unstack(sort=False)
    return wide.reset_index().rename_axis(columns=None)
