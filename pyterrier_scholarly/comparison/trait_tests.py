"""Test which traits of queries go with a difference.

Many traits are looked at, and one may look striking by chance. So the frame says how many were
looked at, and p-values are corrected for that number by Holm's method.
"""

import numpy as np
import pandas as pd

from ..stats import correct_pvalues
from .query_traits import GROUP, TRAITS

LEAST_QUERIES = 4  # for a test of a trait
COLUMNS = ["name", "trait", "meaning", "queries", "statistic", "value", "p", "p_holm", "looked_at"]


def relate_traits(traits: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Test whether a system's difference depends on a trait of the query.

    Args:
        traits: see `describe_queries`.
        differences: frame by `qid`, a column for each system: its value minus the baseline's.

    Returns:
        Frame with COLUMNS: `statistic` names the `value` ("ρ" is Spearman's correlation of the
        trait and the difference, positive if the system gains with more of it; "H" is that of
        Kruskal and Wallis, for groups). `looked_at` is the number of tests. Traits that all queries
        share, or that are unknown, are not tested.
    """
    rows = []
    for name in differences.columns:
        for trait, meaning in TRAITS.items():
            pairs = pd.DataFrame({"trait": traits[trait], "difference": differences[name]}).dropna()
            if not _can_be_tested(pairs):
                continue
            test = _test_groups(pairs) if trait == GROUP else _test_correlation(pairs)
            row = {"name": name, "trait": trait, "meaning": meaning, "queries": len(pairs), **test}
            rows.append(row)

    tested = pd.DataFrame(rows, columns=[column for column in COLUMNS if column != "p_holm"])
    tested["p_holm"] = correct_pvalues(tested["p"])
    tested["looked_at"] = len(tested)
    return tested[COLUMNS].sort_values("p", kind="stable", ignore_index=True)


def _can_be_tested(pairs: pd.DataFrame) -> bool:
    """Return whether there are enough queries, with different traits and different differences."""
    is_varied = pairs["trait"].nunique() > 1 and pairs["difference"].nunique() > 1
    return is_varied and len(pairs) >= LEAST_QUERIES


def _test_groups(pairs: pd.DataFrame) -> dict[str, object]:
    """Test whether the difference has the same distribution in all groups of queries."""
    from scipy.stats import kruskal

    samples = [rows["difference"].to_numpy() for _, rows in pairs.groupby("trait")]
    result = kruskal(*samples)
    return {"statistic": "H", "value": float(result.statistic), "p": float(result.pvalue)}


def _test_correlation(pairs: pd.DataFrame) -> dict[str, object]:
    """Test whether the difference grows or falls with a number that queries have."""
    from scipy.stats import spearmanr

    result = spearmanr(pairs["trait"].astype(float), pairs["difference"])
    return {
        "statistic": "ρ",
        "value": float(np.asarray(result.statistic)),
        "p": float(np.asarray(result.pvalue)),
    }
