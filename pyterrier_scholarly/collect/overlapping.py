"""Questions that repeat the titles of what they ask for [Ajith2024, 2.1]."""

import numpy as np

from .. import frames
from ..protocols import TITLE_LIMITS
from ..text.words import mean_overlap

NAME = "drop_overlapping"


def drop_overlapping(questions, papers, limit=TITLE_LIMITS):
    """Leave out questions that share too many words with the titles of their papers.

    LitSearch's filter: a question goes if the share of its words that stand in the titles is
    *above* .3 (asked from papers of the ACL anthology) or .1 (from others).

    Args:
        questions: a frame with `query_id`, `query` and `doc_ids` (a list), and with `source` where
            `limit` goes by it.
        papers: a frame with `doc_id` and `title`.
        limit: in 0..1, or a dict from the values of `source` to such limits; the default is
            LitSearch's, for the sources ``"inline-acl"`` and ``"inline-nonacl"``.

    Returns:
        A new frame of the questions that stay, with `overlap` (in 0..1).

    Raises:
        ValueError: a source without a limit, a limit out of range, a paper without a title, a
            question without words or papers; names the questions.
    """
    columns = ["query_id", "query", "doc_ids"]
    by_source = isinstance(limit, dict)
    remedy = "Give one number as limit, or a column of the questions' sources." if by_source else ""
    columns += ["source"] * by_source
    questions = frames.check(questions, NAME, columns, remedy=remedy, keys=["query_id"])
    sources = questions["source"] if by_source else [None] * len(questions)
    known = limit if by_source else {None: limit}
    _check(questions, sources, known)
    titles = titles_of(papers, NAME)
    rows = zip(questions["query_id"], questions["query"], questions["doc_ids"])
    overlaps = [
        mean_overlap(question, titled(ids, titles, f"Question {query_id!r}"))
        for query_id, question, ids in rows
    ]
    overlaps = np.array(overlaps, dtype=float)
    limits = np.array([known[source] for source in sources], dtype=float)
    return questions.assign(overlap=overlaps)[overlaps <= limits].reset_index(drop=True)


def titles_of(papers, name) -> dict:
    """The titles of a frame with `doc_id` and `title`, by id; `name` is of who needs them."""
    papers = frames.check(papers, name, ["doc_id", "title"], keys=["doc_id"])
    return dict(zip(papers["doc_id"], papers["title"]))


def titled(ids, titles, whose) -> list:
    """The titles of papers, in the order of their ids.

    Raises:
        ValueError: one has none; names it, and `whose` papers they are.
    """
    untitled = [one for one in ids if not frames.has_text(titles.get(one))]
    if untitled:
        raise ValueError(
            f"{whose} names {frames.some(untitled)}, of which `papers` has no title: add it, or "
            "leave the paper out."
        )
    return [titles[one] for one in ids]


def _check(questions, sources, known):
    wrong = {name: value for name, value in known.items() if not 0 <= value <= 1}
    if wrong:
        raise ValueError(f"limit={wrong}: a share of words is in 0..1.")
    without = [source not in known for source in sources]
    if any(without):
        raise ValueError(
            f"Questions {frames.some(questions['query_id'][without])} are of sources without a "
            f"limit: there are limits for {', '.join(map(repr, known))}."
        )
