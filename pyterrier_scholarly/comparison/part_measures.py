"""What each part of a sum contributes: to scores, and to a measure.

measure_parts(split_scores(pipeline, topics), measure, judgements)
"""

import pandas as pd
from ir_measures import Measure

from ..stats import correct_pvalues, paired_t
from .measure_values import measure_queries
from .ranked_system import PAIR
from .score_addends import ScoredParts

COLUMNS = ["part", "relevant", "other", "gap", "alone", "so_far", "without", "p", "p_holm"]


def measure_parts(scored: ScoredParts, measure: Measure, judgements: pd.DataFrame) -> pd.DataFrame:
    """Describe what each part of a sum contributes.

    Args:
        scored: see `split_scores`.
        measure: of rankings by parts of the sum.
        judgements: frame `qid`, `docno`, `label`, `is_relevant`, of the queries to look at.

    Returns:
        Frame with a row for each part, and last the sum of all: `relevant` and `other` (mean
        contribution to the scores of relevant and of other judged papers), `gap` (their
        difference), and means of the measure over queries: `alone` (the part), `so_far` (the parts
        from the first to this one) and `without` (all other parts). `p` is that of a two-sided
        paired t-test of `without` against the sum, `p_holm` corrected for the number of parts.
    """
    is_of_queries = scored.parts.index.get_level_values("qid").isin(judgements["qid"])
    parts = scored.parts[is_of_queries]
    relevance = judgements.drop_duplicates(PAIR, keep="last").set_index(PAIR)["is_relevant"]
    relevance = relevance.reindex(parts.index)  # NA for an unjudged paper, which counts for neither
    is_relevant = relevance.eq(True)
    is_other = relevance.eq(False)

    def measure_scores(scores: pd.Series) -> pd.Series:
        run = scores.to_frame("score").reset_index()
        return measure_queries(measure, judgements, run)

    rows = []
    so_far = pd.Series(0.0, parts.index)
    total = parts.sum(axis=1)
    whole_values = measure_scores(total)
    for name in parts.columns:
        values = parts[name]
        so_far = so_far + values
        values_without = measure_scores(total - values)
        rows.append(
            {
                "part": name,
                "relevant": values[is_relevant].mean(),
                "other": values[is_other].mean(),
                "alone": measure_scores(values).mean(),
                "so_far": measure_scores(so_far).mean(),
                "without": values_without.mean(),
                "p": paired_t(values_without, whole_values).pvalue,
            }
        )
    rows.append(
        {
            "part": "all",
            "relevant": total[is_relevant].mean(),
            "other": total[is_other].mean(),
            "alone": whole_values.mean(),
            "so_far": whole_values.mean(),
            "without": float("nan"),
            "p": float("nan"),
        }
    )
    table = pd.DataFrame(rows)
    table["gap"] = table["relevant"] - table["other"]
    table["p_holm"] = correct_pvalues(table["p"])
    return table[COLUMNS]
