"""Put two rankings side by side: each paper's grade, ranks and share, for all queries at once."""

import pandas as pd

from .ranked_system import PAIR

PAPER_COLUMNS = ["docno", "label", "is_relevant", "rank", "baseline_rank"]
SHARE_COLUMNS = ["contribution", "baseline_contribution", "share"]


def join_rankings(
    run: pd.DataFrame,
    baseline_run: pd.DataFrame,
    judgements: pd.DataFrame,
    shares: pd.DataFrame | None,
) -> dict[str, pd.DataFrame]:
    """Join two rankings by paper.

    Args:
        run, baseline_run: frames `qid`, `docno`, `rank` (from 0).
        judgements: frame `qid`, `docno`, `label`, `is_relevant`.
        shares: see `split_difference`; None for a measure without shares.

    Returns:
        Dict from a query's id to a frame `docno`, `label` (NA if not judged), `is_relevant`, `rank`
        and `baseline_rank` (from 1, NA if not ranked) and, with shares, SHARE_COLUMNS. It has the
        papers that a system ranks, and the relevant ones; the largest shares, or the first, first.
    """
    ranks = run[PAIR].assign(rank=run["rank"] + 1)
    baseline_ranks = baseline_run[PAIR].assign(baseline_rank=baseline_run["rank"] + 1)
    judged = judgements.drop_duplicates(PAIR, keep="last")[[*PAIR, "label", "is_relevant"]]

    table = ranks.merge(baseline_ranks, on=PAIR, how="outer")
    table = table.merge(judged, on=PAIR, how="outer")
    for column in ("label", "rank", "baseline_rank"):
        table[column] = table[column].astype("Int64")
    table["is_relevant"] = table["is_relevant"].eq(True)  # an unjudged paper has NaN
    is_ranked = table["rank"].notna() | table["baseline_rank"].notna()
    table = table.loc[is_ranked | table["is_relevant"], ["qid", *PAPER_COLUMNS]]

    table = table.sort_values(["rank", "baseline_rank"], kind="stable")
    if shares is not None:
        table = table.merge(shares[[*PAIR, *SHARE_COLUMNS]], on=PAIR, how="left")
        table[SHARE_COLUMNS] = table[SHARE_COLUMNS].fillna(0.0)
        largest_first = table["share"].abs().sort_values(ascending=False, kind="stable").index
        table = table.loc[largest_first]

    return {
        str(qid): rows.drop(columns="qid").reset_index(drop=True)
        for qid, rows in table.groupby("qid", sort=False)
    }


def compare_orders(joined: pd.DataFrame, k: int = 20) -> dict[str, float]:
    """Measure how alike two rankings of a query are, whatever is relevant.

    Args:
        joined: a frame of `join_rankings`.
        k: how many first papers `overlap` looks at.

    Returns:
        `overlap`: the share of the first k papers that both have (of the papers that either has
        there); `correlation`: Spearman's, of the ranks of papers that both rank. NaN where
        undefined.
    """
    is_first = is_ranked_within(joined["rank"], k)
    is_first_of_baseline = is_ranked_within(joined["baseline_rank"], k)
    either_count = (is_first | is_first_of_baseline).sum()
    both_count = (is_first & is_first_of_baseline).sum()
    overlap = float(both_count / either_count) if either_count else float("nan")

    # Spearman's correlation is Pearson's of the ranks among the papers that both rank
    ranked_by_both = joined[["rank", "baseline_rank"]].dropna().astype(float).rank()
    correlation = ranked_by_both["rank"].corr(ranked_by_both["baseline_rank"])
    return {"overlap": overlap, "correlation": float(correlation)}


def is_ranked_within(ranks: pd.Series, k: int) -> pd.Series:
    """Return whether each rank, from 1, is at most k; a missing rank is not."""
    return ranks.le(k).fillna(False).astype(bool)
