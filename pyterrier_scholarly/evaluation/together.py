"""An experiment's figures and the papers', in one table."""

import pandas as pd
import pyterrier as pt

from .measures import measures_of

PUBLISHED, OWN = "published", "this run"


def beside(own, published):
    """Put published figures beside an experiment's own, joined by measure.

    A published figure stands in the column of the same measure, however the experiment writes it
    (``R@5`` or ``recall_5``). What else is published is left out.

    Args:
        own: averages of `pt.Experiment` (`name` and a column per measure), or means with a row per
            measure (`name`, `measure`, `value`), as `fold_mean`, `by_subset` and `bootstrap` give.
        published: rows of `pyterrier_scholarly.published`; those of the subset that was run, for
            the figures of another are another task's (``published("litsearch/inline/broad")``).

    Returns:
        Frame `name`, `source` ("published" or "this run"), `table` and `subset` of the published
        figures (both "" for one's own, but for the subsets of `by_subset`), the measures that are
        published, in the papers' order, and the other columns of `own`. Published rows come first;
        NaN where a system has no figure.

    Raises:
        ValueError: no measure of the experiment is published (names both sides), or a system has
            two figures for one measure.
    """
    wide = _wide(own) if "measure" in own else own
    pt.validate.columns(wide, includes=["name"])
    columns = measures_of(wide.columns)
    label = {str(measure): column for measure, column in columns.items()}
    joined = published[published["measure"].isin(label)]
    if joined.empty:
        raise ValueError(
            f"no figure in common: the experiment has {', '.join(map(str, columns)) or 'none'}, "
            f"published are {', '.join(published['measure'].unique()) or 'none'}"
        )
    rows = joined.assign(measure=joined["measure"].map(label)).rename(columns={"system": "name"})
    printed = _pivot(rows, ["name", "table", "subset"])
    frames = [printed.assign(source=PUBLISHED), wide.assign(source=OWN)]
    both = pd.concat(frames, ignore_index=True)
    texts = ["name", "source", "table", "subset", *(["split"] if "split" in wide else [])]
    both = both[[*dict.fromkeys([*texts, *rows["measure"], *wide.columns])]]
    return both.fillna(dict.fromkeys(texts, ""))


def _wide(means):
    """A row per system (and subset, and split), a column per measure."""
    return _pivot(means, [c for c in ("name", "subset", "split") if c in means])


def _pivot(rows, index):
    wide = rows.set_index([*index, "measure"])["value"].unstack(sort=False)
    return wide.reset_index().rename_axis(columns=None)
