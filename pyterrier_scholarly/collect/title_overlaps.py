"""Drop questions that repeat the titles of their papers [Ajith2024, 2.1].

questions = drop_overlapping(asked.frame, papers)
"""

from collections.abc import Mapping

import pandas as pd

from .. import frames, protocols
from ..arguments import check_arguments
from ..text import mean_overlap
from .generated_questions import QUESTION_COLUMNS
from .paper_titles import find_titles, read_titles


@check_arguments
def drop_overlapping(
    questions: pd.DataFrame,
    papers: pd.DataFrame,
    limit: float | Mapping[str, float] = protocols.TITLE_LIMITS,
) -> pd.DataFrame:
    """Drop questions that share too many words with the titles of their papers.

    This is LitSearch's filter. It drops a question if the share of its words that occur in the
    titles is *above* .3 (for papers of the ACL anthology) or .1 (for others).

    Args:
        questions: frame of `query_id`, `query`, `doc_ids` (a list), and of `source` if `limit` is a
            dict.
        papers: frame of `doc_id` and `title`.
        limit: in 0..1, or a dict from the values of `source` to such limits. The default is
            LitSearch's, for the sources ``"inline-acl"`` and ``"inline-nonacl"``.

    Returns:
        A new frame of the remaining questions, with `overlap` (in 0..1).

    Raises:
        ValueError: a source without a limit, a limit out of range, a paper without a title, a
            question without words or papers; names the questions.
    """
    if isinstance(limit, Mapping):
        needed = [*QUESTION_COLUMNS, "source"]
        remedy = "Pass one number as limit, or add a column `source`."
    else:
        needed = QUESTION_COLUMNS
        remedy = ""
    questions = frames.check(
        questions, "drop_overlapping", needed, remedy=remedy, keys=["query_id"]
    )
    limits = _find_limits(questions, limit)

    title_of_paper = read_titles(papers, "drop_overlapping")
    overlaps = []
    for query_id, question, doc_ids in questions[QUESTION_COLUMNS].itertuples(index=False):
        titles = find_titles(doc_ids, title_of_paper, f"Question {query_id!r}")
        overlaps.append(mean_overlap(question, titles))

    with_overlap = questions.assign(overlap=pd.Series(overlaps, questions.index, dtype=float))
    is_kept = with_overlap["overlap"] <= limits
    return with_overlap[is_kept].reset_index(drop=True)


def _find_limits(questions: pd.DataFrame, limit: float | Mapping[str, float]) -> pd.Series:
    """Return the limit of each question; ValueError for a wrong limit or an unknown source."""
    if isinstance(limit, Mapping):
        limit_of_source: Mapping[str, float] = limit
        sources = questions["source"]
    else:
        limit_of_source = {"": limit}  # as if all questions were of one source
        sources = pd.Series("", index=questions.index)

    _check_limits(limit_of_source)
    is_unknown = ~sources.isin(list(limit_of_source))
    if is_unknown.any():
        known_sources = ", ".join(repr(source) for source in limit_of_source)
        raise ValueError(
            f"Questions {frames.some(questions['query_id'][is_unknown])} have a source without a "
            f"limit: there are limits for {known_sources}."
        )
    return sources.map(limit_of_source).astype(float)


def _check_limits(limit_of_source: Mapping[str, float]) -> None:
    """Raise ValueError for a limit out of range."""
    wrong_limits = {
        source: limit for source, limit in limit_of_source.items() if not 0 <= limit <= 1
    }
    if wrong_limits:
        raise ValueError(f"limit={wrong_limits}: expected a share of words in 0..1.")
