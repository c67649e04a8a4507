"""Put two rankings side by side: each paper's grade, ranks and share, for all queries at once."""

import pandas as pd

from ..evaluation.checks import PAIR

PAPER_COLUMNS = ["docno", "label", "is_relevant", "rank", "baseline_rank"]
SHARE_COLUMNS = ["contribution", "baseline_contribution", "share"]


def join_rankings(
    run: pd.DataFrame,
    baseline_run: pd.DataFrame,
    judgements: pd.DataFrame,
    shares: pd.DataFrame | None,
) -> dict[str, pd.DataFrame]:
    """Return, for each query, a table of its papers with their ranks in two rankings.

    A table has each paper that one of the rankings has, and each relevant paper::

        docno  label  is_relevant  rank  baseline_rank
        p7     2      True         1     14
        p3     <NA>   False        2     <NA>            # not judged; the baseline lacks it
        p5     1      True         <NA>  3               # the first system lacks it

    Papers stand in the order of `rank`; those without one follow, in the order of `baseline_rank`.
    With shares, papers of a larger share (up or down) come first, and this order breaks ties.

    Args:
        run, baseline_run: frames `qid`, `docno`, `rank` (from 0).
        judgements: frame `qid`, `docno`, `label`, `is_relevant`.
        shares: see `split_difference`; None for a measure without shares.

    Returns:
        Dict from a query's id to a frame `docno`, `label` (NA if not judged), `is_relevant`, `rank`
        and `baseline_rank` (from 1, NA if not ranked) and, with shares, SHARE_COLUMNS.
    """
    papers = _join_ranks_and_grades(run, baseline_run, judgements)
    papers = papers.sort_values(["rank", "baseline_rank"], kind="stable")
    if shares is not None:
        papers = _add_shares(papers, shares)
        papers = _sort_by_size_of_share(papers)

    table_by_query = {}
    for qid, papers_of_query in papers.groupby("qid", sort=False):
        table = papers_of_query.drop(columns="qid").reset_index(drop=True)
        table_by_query[str(qid)] = table
    return table_by_query


def _join_ranks_and_grades(
    run: pd.DataFrame, baseline_run: pd.DataFrame, judgements: pd.DataFrame
) -> pd.DataFrame:
    """Return `qid` and PAPER_COLUMNS: a row for each paper that is ranked or relevant."""
    ranks = run[PAIR].copy()
    ranks["rank"] = run["rank"] + 1
    baseline_ranks = baseline_run[PAIR].copy()
    baseline_ranks["baseline_rank"] = baseline_run["rank"] + 1
    grades = judgements.drop_duplicates(PAIR, keep="last")[[*PAIR, "label", "is_relevant"]]

    papers = ranks.merge(baseline_ranks, on=PAIR, how="outer")
    papers = papers.merge(grades, on=PAIR, how="outer")
    for column in ("label", "rank", "baseline_rank"):
        papers[column] = papers[column].astype("Int64")  # integers, of which some may be missing
    papers["is_relevant"] = papers["is_relevant"].eq(True)  # an unjudged paper has NaN

    is_ranked = papers["rank"].notna() | papers["baseline_rank"].notna()
    is_kept = is_ranked | papers["is_relevant"]
    return papers.loc[is_kept, ["qid", *PAPER_COLUMNS]]


def _add_shares(papers: pd.DataFrame, shares: pd.DataFrame) -> pd.DataFrame:
    """Return the papers in the same order, with SHARE_COLUMNS; 0 for a paper without a share."""
    papers = papers.merge(shares[[*PAIR, *SHARE_COLUMNS]], on=PAIR, how="left")
    papers[SHARE_COLUMNS] = papers[SHARE_COLUMNS].fillna(0.0)
    return papers


def _sort_by_size_of_share(papers: pd.DataFrame) -> pd.DataFrame:
    """Return the papers with the largest shares first, whatever their signs."""
    share_sizes = papers["share"].abs()
    sorted_sizes = share_sizes.sort_values(ascending=False, kind="stable")
    return papers.loc[sorted_sizes.index]


def compare_orders(joined: pd.DataFrame, k: int = 20) -> dict[str, float]:
    """Return two figures of how alike two rankings of a query are, whatever is relevant.

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
