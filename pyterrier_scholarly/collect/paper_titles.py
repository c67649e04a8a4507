"""Titles of papers, for questions and paragraphs that name papers by their ids."""

from collections.abc import Iterable, Mapping

import pandas as pd

from .. import frames


def read_titles(papers: pd.DataFrame, caller: str) -> dict[str, str]:
    """Return the titles of a frame with `doc_id` and `title`, by id.

    caller: the function that errors name.
    """
    papers = frames.check(papers, caller, ["doc_id", "title"], keys=["doc_id"])
    return dict(zip(papers["doc_id"], papers["title"]))


def find_titles(doc_ids: Iterable[str], title_of_paper: Mapping[str, str], owner: str) -> list[str]:
    """Return the titles of papers, in the order of their ids.

    owner: the question or paragraph with these papers, which errors name.

    Raises:
        ValueError: a paper without a title; names it and `owner`.
    """
    doc_ids = list(doc_ids)
    untitled = [doc_id for doc_id in doc_ids if not frames.has_text(title_of_paper.get(doc_id))]
    if untitled:
        raise ValueError(
            f"{owner} names {frames.some(untitled)}, without a title in `papers`: add the title, "
            "or leave the paper out."
        )
    return [title_of_paper[doc_id] for doc_id in doc_ids]
