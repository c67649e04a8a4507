"""What each part of a sum contributes: to scores, and to a measure.

    scored = split_scores(pipeline, topics)
    measure_parts(scored, measure, judgements, baseline_values)

The measure is that of rankings by some of the parts, all candidates remaining. Two questions are
tested: does a part alone differ from the baseline, and does the sum need the part?
"""

import warnings
from typing import Any

import pandas as pd
from ir_measures import Measure

from ..evaluation.checks import PAIR
from ..evaluation.measure_names import measure_queries
from ..stats import correct_pvalues
from ..stats.paired_tests import compare_pairs, explain_missing_tests
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
        test_alone = _compare_with_baseline(values_alone, baseline)
        test_without = compare_pairs(values_without, whole_values)
        part_row = {
            "part": name,
            **_average_contributions(part, relevance),
            "alone": values_alone.mean(),
            "alone_difference": test_alone["difference"],
            "alone_p": test_alone["p"],
            "so_far": values_so_far.mean(),
            "without": values_without.mean(),
            "without_p": test_without["p"],
        }
        rows.append(part_row)
        tests.append({"test": f"{name} alone", **test_alone})
        tests.append({"test": f"without {name}", **test_without})

    test_whole = _compare_with_baseline(whole_values, baseline)
    whole_row = {
        "part": WHOLE,
        **_average_contributions(whole, relevance),
        "alone": whole_values.mean(),
        "alone_difference": test_whole["difference"],
        "alone_p": test_whole["p"],
        "so_far": whole_values.mean(),
    }
    rows.append(whole_row)
    tests.append({"test": WHOLE, **test_whole})
    missing_tests = explain_missing_tests(pd.DataFrame(tests), ["test"])
    if missing_tests:
        warnings.warn(missing_tests, stacklevel=3)

    # the whole sum has no figures without a part
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["alone_p_holm"] = correct_pvalues(table["alone_p"])
    table["without_p_holm"] = correct_pvalues(table["without_p"])
    return table


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


def _compare_with_baseline(values: pd.Series, baseline_values: pd.Series) -> dict[str, Any]:
    """Return `compare_pairs`, without a p-value if all values equal the baseline's.

    The baseline may itself be a part, or the sum: no test compares a system with itself.
    """
    test = compare_pairs(values, baseline_values)
    if test["better"] + test["worse"] == 0:
        test["p"] = float("nan")
    return test


def _measure_scores(measure: Measure, judgements: pd.DataFrame, scores: pd.Series) -> pd.Series:
    """Return the measure of the ranking by these scores (by `qid` and `docno`), by query."""
    run = scores.to_frame("score").reset_index()
    return measure_queries(measure, judgements, run)
