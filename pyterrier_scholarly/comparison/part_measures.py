"""What each part of a sum contributes: to scores, and to a measure.

    scored = split_scores(pipeline, topics)
    measure_parts(scored, measure, judgements)

The measure is that of rankings by some of the parts, all candidates remaining.
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
    relevance = _read_relevance(judgements, parts.index)
    whole = parts.sum(axis=1)
    whole_values = _measure_scores(measure, judgements, whole)

    rows = []
    so_far = pd.Series(0.0, parts.index)
    for name in parts.columns:
        part = parts[name]
        so_far = so_far + part
        values_without = _measure_scores(measure, judgements, whole - part)
        rows.append(
            {
                "part": name,
                **_average_contributions(part, relevance),
                "alone": _measure_scores(measure, judgements, part).mean(),
                "so_far": _measure_scores(measure, judgements, so_far).mean(),
                "without": values_without.mean(),
                "p": paired_t(values_without, whole_values).pvalue,
            }
        )
    rows.append(
        {
            "part": "all",
            **_average_contributions(whole, relevance),
            "alone": whole_values.mean(),
            "so_far": whole_values.mean(),
            "without": float("nan"),
            "p": float("nan"),
        }
    )
    table = pd.DataFrame(rows)
    table["p_holm"] = correct_pvalues(table["p"])
    return table[COLUMNS]


def _read_relevance(judgements: pd.DataFrame, pairs: pd.MultiIndex) -> pd.Series:
    """Return whether each candidate is relevant; NA for an unjudged one."""
    judged = judgements.drop_duplicates(PAIR, keep="last")
    return judged.set_index(PAIR)["is_relevant"].reindex(pairs)


def _average_contributions(scores: pd.Series, relevance: pd.Series) -> dict[str, float]:
    """Return mean scores of relevant and of other judged candidates, and their gap."""
    mean_of_relevant = float(scores[relevance.eq(True)].mean())
    mean_of_others = float(scores[relevance.eq(False)].mean())
    return {
        "relevant": mean_of_relevant,
        "other": mean_of_others,
        "gap": mean_of_relevant - mean_of_others,
    }


def _measure_scores(measure: Measure, judgements: pd.DataFrame, scores: pd.Series) -> pd.Series:
    """Return the measure of the ranking by these scores (by `qid` and `docno`), by query."""
    run = scores.to_frame("score").reset_index()
    return measure_queries(measure, judgements, run)
