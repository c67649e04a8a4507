"""Say in words what changed between two rankings of a query."""

from collections.abc import Mapping, Sequence
from math import isnan
from textwrap import shorten
from typing import NamedTuple

import pandas as pd

from ..pages import format_signed

MOST_MOVES = 3  # papers that a sentence names
LONGEST_TITLE = 70  # characters of a paper's title in a sentence


class Move(NamedTuple):
    """One paper in two rankings.

    docno: its id.
    grade: None if nobody judged it.
    is_relevant: whether the measure counts it as relevant.
    rank, baseline_rank: from 1; None where it is not ranked.
    share: of the difference of the measure; None for a measure without shares.
    """

    docno: str
    grade: int | None
    is_relevant: bool
    rank: int | None
    baseline_rank: int | None
    share: float | None


def read_moves(table: pd.DataFrame) -> list[Move]:
    """Return the moves of all papers of a query, in the order of their rows.

    Args:
        table: see `papers` of a comparison; a measure without shares has no column `share`.
    """
    has_shares = "share" in table
    moves = []
    for row in table.itertuples():
        move = Move(
            docno=row.docno,
            grade=None if pd.isna(row.label) else int(row.label),
            is_relevant=row.is_relevant,
            rank=None if pd.isna(row.rank) else int(row.rank),
            baseline_rank=None if pd.isna(row.baseline_rank) else int(row.baseline_rank),
            share=float(row.share) if has_shares else None,
        )
        moves.append(move)
    return moves


def describe_change(
    name: str,
    baseline: str,
    difference: float,
    moves: Sequence[Move],
    titles: Mapping[str, str],
) -> str:
    """Describe a query's difference, and the papers that make most of it.

    Args:
        name, baseline: of the two systems.
        difference: of the measure, the system's minus the baseline's; NaN if it leaves the query
            out.
        moves: the papers with the largest shares first; those without a share are not named.
        titles: of papers, by id; a paper without one is named by its id.

    >>> describe_change("a", "b", 0.25, [Move("d1", 2, True, 4, 31, 0.25)], {})
    'a is better than b by 0.2500: relevant paper d1 (grade 2) rose from 31 to 4 (+0.2500).'
    """
    if isnan(difference):
        return "The measure leaves this query out."
    if difference > 0:
        opening = f"{name} is better than {baseline} by {difference:.4f}"
    elif difference < 0:
        opening = f"{name} is worse than {baseline} by {-difference:.4f}"
    else:
        opening = f"{name} and {baseline} are equal"

    moves_with_share = [move for move in moves if move.share]
    if not moves_with_share:
        return f"{opening}."
    clauses = [
        _describe_move(move, titles.get(move.docno, "")) for move in moves_with_share[:MOST_MOVES]
    ]
    return f"{opening}: {'; '.join(clauses)}."


def _describe_move(move: Move, title: str) -> str:
    """Describe what one paper did, and its share."""
    paper = f"paper {move.docno}"
    if title:
        paper += f" “{shorten(title, LONGEST_TITLE, placeholder=' …')}”"
    if move.grade is None:
        paper = f"unjudged {paper}"
    elif move.is_relevant:
        paper = f"relevant {paper} (grade {move.grade})"
    else:
        paper = f"{paper} (grade {move.grade})"

    if move.rank is None:
        change = f"is not ranked, it was at {move.baseline_rank}"
    elif move.baseline_rank is None:
        change = f"is new at {move.rank}"
    elif move.rank < move.baseline_rank:
        change = f"rose from {move.baseline_rank} to {move.rank}"
    elif move.rank > move.baseline_rank:
        change = f"fell from {move.baseline_rank} to {move.rank}"
    else:
        change = f"stayed at {move.rank}"
    assert move.share is not None, "papers without a share are not named"
    return f"{paper} {change} ({format_signed(move.share)})"
