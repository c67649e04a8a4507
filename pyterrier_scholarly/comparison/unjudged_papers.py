"""What unjudged papers may hide: each system's mean without them, and the bounds of it.

A first-stage system that finds papers which no pool had is measured too low if they are relevant.
"""

from collections.abc import Sequence

import pandas as pd
from ir_measures import Measure

from ..evaluation import unjudged_effects
from ..evaluation.unjudged_documents import bound_ndcg, is_ndcg
from ..tables.saved_runs import Ranked

EFFECTS = ["judged_share", "value", "condensed"]
BOUNDS = ["lowest", "highest"]


def average_unjudged_effects(
    measure: Measure, systems: Sequence[Ranked], judgements: pd.DataFrame
) -> pd.DataFrame:
    """Compute what unjudged papers may hide, as means over queries.

    Args:
        measure: of the comparison.
        systems: with rankings of the compared queries.
        judgements: frame `qid`, `docno`, `label`, of these queries.

    Returns:
        Frame `name`, `results` (their number), and means of the columns of EFFECTS, which
        `unjudged_effects` describes, and BOUNDS, see `bound_ndcg`; NaN where there are none.
    """
    rows = []
    for system in systems:
        effects = unjudged_effects(system.run, judgements, [measure])
        row = {"name": system.name, "results": len(system.run), **effects[EFFECTS].mean()}
        if is_ndcg(measure):
            row |= bound_ndcg(system.run, judgements, measure)[BOUNDS].mean()
        rows.append(row)
    return pd.DataFrame(rows, columns=["name", "results", *EFFECTS, *BOUNDS])
