"""Relevant papers that one system alone, or all systems, leave below a cut-off."""

from collections.abc import Sequence

import pandas as pd

from ..evaluation.checks import PAIR
from ..tables.saved_runs import Ranked
from .joined_rankings import is_ranked_within

ERROR = "error"  #: the column of a reader's tags, as `collect.read_errors` returns it


def find_missed(
    systems: Sequence[Ranked],
    judgements: pd.DataFrame,
    k: int,
    tags: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """List the relevant papers that a system does not rank among the first `k` of a query.

    Args:
        systems: with rankings.
        judgements: frame `qid`, `docno`, `label`, `is_relevant`.
        k: the cut-off, from 1.
        tags: frame `name`, `qid`, `docno`, `error`: types of errors that a reader named.

    Returns:
        Frame `qid`, `docno`, `label`, a column for each system with the paper's rank (from 1, NA if
        it is not ranked), `missed_by` (their names, joined by " and "; "all" for all systems) and,
        with tags, `error`; the highest grades first.
    """
    relevant = judgements.loc[judgements["is_relevant"], [*PAIR, "label"]]
    table = relevant.reset_index(drop=True)
    for system in systems:
        ranks = system.run[PAIR].assign(**{system.name: system.run["rank"] + 1})
        table = table.merge(ranks, on=PAIR, how="left")
        table[system.name] = table[system.name].astype("Int64")

    names = [system.name for system in systems]
    is_missed = ~table[names].apply(is_ranked_within, k=k)
    table["missed_by"] = [_join_names(row, names) for row in is_missed.to_numpy()]
    table = table[is_missed.any(axis=1)]

    if tags is not None:
        tags_of_systems = tags[tags["name"].isin(names)]
        table = table.merge(_join_errors(tags_of_systems), on=PAIR, how="left")
        table[ERROR] = table[ERROR].fillna("")
    return table.sort_values("label", ascending=False, kind="stable", ignore_index=True)


def _join_names(is_missed: Sequence[bool], names: Sequence[str]) -> str:
    """Return the names of the systems that miss a paper; "all" for all of them."""
    if all(is_missed):
        return "all"
    return " and ".join(name for name, missed in zip(names, is_missed) if missed)


def _join_errors(tags: pd.DataFrame) -> pd.DataFrame:
    """Return `qid`, `docno` and all different errors of a paper, joined by commas."""
    tagged = tags[tags[ERROR] != ""]
    errors = tagged.groupby(PAIR)[ERROR].agg(lambda errors: ", ".join(errors.unique()))
    return errors.reset_index()
