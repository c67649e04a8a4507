"""What each part of a sum contributes: to scores, and to a measure.

    scored = split_scores(pipeline, topics)
    measure_parts(scored, measure, judgements, baseline_values)

The measure is that of rankings by some of the parts, all candidates remaining. Two questions are
tested: does a part alone differ from the baseline, and does the sum need the part?
"""

import warnings

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..evaluation.checks import PAIR
from ..evaluation.measure_names import measure_queries
from ..stats import correct_pvalues, paired_t
from ..stats.paired_tests import explain_missing_tests
from .paired_differences import EQUAL_WITHIN
from .score_addends import ScoredParts

WHOLE = "all"  #: the part of the row that has the whole sum
COLUMNS = [
    *("part", "relevant", "other", "gap"),
    *("alone", "alone_difference", "alone_p", "alone_p_holm"),
    *("so_far", "without", "without_p", "without_p_holm"),
]


def measure_parts(
    scored: ScoredParts, measure: Measure, judgements: pd.DataFrame, baseline_values: pd.Series
) -> pd.DataFrame:
    """Describe what each part of a sum contributes.

    Args:
        scored: see `split_scores`.
        measure: of rankings by parts of the sum.
        judgements: frame `qid`, `docno`, `label`, `is_relevant`, of the queries to look at.
        baseline_values: of the measure for each query (index `qid`), by another system.

    Returns:
        Frame with a row for each part, and last for the sum of all, "all": `relevant` and `other`
        (mean contribution to the scores of relevant and of other judged papers), `gap` (their
        difference), and means of the measure over queries: `alone` (the part), `so_far` (the parts
        from the first to this one) and `without` (all other parts). `alone_difference` is `alone`
        minus the baseline's mean. Both p-values are of two-sided paired t-tests: `alone_p` of
        `alone` against the baseline, `without_p` of `without` against the whole sum. In
        `alone_p_holm` and `without_p_holm` they are corrected for the number of tests in the
        column. A p-value is missing where all differences are one number: a warning names these.
    """
    is_of_queries = scored.parts.index.get_level_values("qid").isin(judgements["qid"])
    parts = scored.parts[is_of_queries]
    relevance = _read_relevance(judgements, parts.index)
    whole = parts.sum(axis=1)
    whole_values = _measure_scores(measure, judgements, whole)
    baseline = baseline_values.reindex(whole_values.index)

    rows = []
    tests = []
    sum_so_far = pd.Series(0.0, parts.index)
    for name in parts.columns:
        part = parts[name]
        sum_so_far = sum_so_far + part
        values_alone = _measure_scores(measure, judgements, part)
        values_so_far = _measure_scores(measure, judgements, sum_so_far)
        values_without = _measure_scores(measure, judgements, whole - part)
        part_row = {
            "part": name,
            **_average_contributions(part, relevance),
            **_compare_with_baseline(values_alone, baseline),
            "so_far": values_so_far.mean(),
            "without": values_without.mean(),
            "without_p": paired_t(values_without, whole_values).pvalue,
        }
        rows.append(part_row)
        tests.append(_describe_test(f"{name} alone", part_row["alone_p"], values_alone - baseline))
        test_name = f"without {name}"
        tests.append(
            _describe_test(test_name, part_row["without_p"], values_without - whole_values)
        )

    whole_row = {
        "part": WHOLE,
        **_average_contributions(whole, relevance),
        **_compare_with_baseline(whole_values, baseline),
        "so_far": whole_values.mean(),
        "without": float("nan"),
        "without_p": float("nan"),
    }
    rows.append(whole_row)
    tests.append(_describe_test(WHOLE, whole_row["alone_p"], whole_values - baseline))
    missing_tests = explain_missing_tests(pd.DataFrame(tests), ["test"])
    if missing_tests:
        warnings.warn(missing_tests, stacklevel=3)

    table = pd.DataFrame(rows)
    table["alone_p_holm"] = correct_pvalues(table["alone_p"])
    table["without_p_holm"] = correct_pvalues(table["without_p"])
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


def _compare_with_baseline(values_alone: pd.Series, baseline_values: pd.Series) -> dict[str, float]:
    """Compare a measure of rankings by one part alone with the baseline's; both are by query.

    Returns:
        Dict with `alone` (mean of the part), `alone_difference` (mean difference to the baseline)
        and `alone_p` (of a paired t-test; NaN if all values equal the baseline's).
    """
    pvalue = float("nan")
    # the baseline may itself be a part, or the sum: no test compares a system with itself
    is_baseline_itself = np.allclose(
        values_alone, baseline_values, rtol=0, atol=EQUAL_WITHIN, equal_nan=True
    )
    if not is_baseline_itself:
        pvalue = paired_t(values_alone, baseline_values).pvalue

    return {
        "alone": values_alone.mean(),
        "alone_difference": (values_alone - baseline_values).mean(),
        "alone_p": pvalue,
    }


def _describe_test(name: str, pvalue: float, differences: pd.Series) -> dict[str, object]:
    """Describe a test as `explain_missing_tests` takes it."""
    return {
        "test": name,
        "p": pvalue,
        "difference": differences.mean(),
        "better": (differences > EQUAL_WITHIN).sum(),
        "equal": (abs(differences) <= EQUAL_WITHIN).sum(),
        "worse": (differences < -EQUAL_WITHIN).sum(),
    }


def _measure_scores(measure: Measure, judgements: pd.DataFrame, scores: pd.Series) -> pd.Series:
    """Return the measure of the ranking by these scores (by `qid` and `docno`), by query."""
    run = scores.to_frame("score").reset_index()
    return measure_queries(measure, judgements, run)
