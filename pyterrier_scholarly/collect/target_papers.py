"""Which of the target papers a citation is of, by its id or its title.

::

    finder = TargetFinder(papers["doc_id"], papers["title"])
    finder.find(link="", title="Attention is all you need.")  # the paper's id
"""

import re

import pandas as pd

NOT_A_WORD = re.compile(r"[\W_]+")


class TargetFinder:
    """Find the target paper of a citation, by id or else by title."""

    def __init__(self, ids: pd.Series, titles: pd.Series) -> None:
        self._ids = frozenset(ids)
        self._id_by_title: dict[str, str | None] = {}  # None: several targets have the title
        for doc_id, title in zip(ids, titles):
            plain_title = _simplify_title(title)
            is_ambiguous = plain_title in self._id_by_title
            self._id_by_title[plain_title] = None if is_ambiguous else doc_id

    def find(self, link: str, title: str) -> str | None:
        """Return the id of the target; None if the citation is of none, or of one of several."""
        if link in self._ids:
            return link

        plain_title = _simplify_title(title)
        if not plain_title:
            return None
        return self._id_by_title.get(plain_title)


def _simplify_title(title: object) -> str:
    """Return a title's letters and digits, in lower case; "" for a missing title."""
    if not isinstance(title, str):
        return ""
    return NOT_A_WORD.sub("", title.casefold())
