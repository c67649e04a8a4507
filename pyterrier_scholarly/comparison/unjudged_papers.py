"""What unjudged papers may hide: a measure without them, with none relevant, with all relevant.

A first-stage system that finds papers which no pool had is measured too low if they are relevant.
"""

import pandas as pd
from ir_measures import Measure

from .shares import values_by_query
from .system_rankings import PAIR, RankedSystem

COLUMNS = [
    *("name", "results", "judged_share", "value", "condensed", "none_relevant", "all_relevant"),
]


def bound_measure(
    measure: Measure, systems: list[RankedSystem], judgements: pd.DataFrame
) -> pd.DataFrame:
    """Compute how far unjudged papers may move each system's mean.

    Args:
        measure: of the comparison.
        systems: with rankings of the compared queries.
        judgements: frame `qid`, `docno`, `label`, of these queries.

    Returns:
        Frame `name`, `results`, `judged_share` (of the results), and means over queries: `value`
        (the measure), `condensed` (unjudged papers taken out of the ranking), `none_relevant` (each
        unjudged paper of the ranking judged with grade 0) and `all_relevant` (each judged with the
        best grade of its query; the ideal ranking then has them, too).
    """
    best_grades = judgements.groupby("qid")["label"].max()
    rows = []
    for system in systems:
        run = system.run
        judged_pairs = pd.MultiIndex.from_frame(judgements[PAIR])
        is_judged = pd.MultiIndex.from_frame(run[PAIR]).isin(judged_pairs)
        unjudged = run.loc[~is_judged, PAIR]

        as_zero = _judge(judgements, unjudged.assign(label=0))
        as_best = _judge(judgements, unjudged.assign(label=unjudged["qid"].map(best_grades)))
        rows.append(
            {
                "name": system.name,
                "results": len(run),
                "judged_share": float(is_judged.mean()),
                "value": values_by_query(measure, judgements, run).mean(),
                "condensed": values_by_query(measure, judgements, run[is_judged]).mean(),
                "none_relevant": values_by_query(measure, as_zero, run).mean(),
                "all_relevant": values_by_query(measure, as_best, run).mean(),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _judge(judgements: pd.DataFrame, added: pd.DataFrame) -> pd.DataFrame:
    """Return judgements with those of further papers; other columns as their query has them."""
    if "iteration" in judgements:
        iterations = judgements.drop_duplicates("qid").set_index("qid")["iteration"]
        added = added.assign(iteration=added["qid"].map(iterations))
    columns = [column for column in judgements.columns if column in added.columns]
    return pd.concat([judgements[columns], added[columns]], ignore_index=True)
