"""When a paper is related to another one by citations: two definitions."""

from collections.abc import Callable
from typing import NamedTuple


class Related(NamedTuple):
    """Papers by their relation to one: lists of ids, each once, in the order of the citations.

    positive: related; hard: not related, and hard to tell from those that are.
    """

    positive: list
    hard: list

    def among(self, papers):
        """Only those that are in `papers`."""
        return Related(*([paper for paper in own if paper in papers] for own in self))


class Definition(NamedTuple):
    """How triplets are made.

    relate: from an id and a function (id → cited ids) to `Related`; each: how many triplets of a
    paper, None for one per related paper; hard: how many of them have a hard negative.
    """

    relate: Callable
    each: int | None
    hard: int


def citations(paper, cited_by) -> tuple[list, list]:
    """What a paper cites, and what is cited by these and not by the paper; itself in neither."""
    direct = [other for other in dict.fromkeys(cited_by(paper)) if other != paper]
    known = {paper, *direct}
    second = dict.fromkeys(other for one in direct for other in cited_by(one) if other not in known)
    return direct, list(second)


def specter(paper, cited_by):
    """A citation is positive, the citation of a citation a hard negative [Cohan2020, 2.4]."""
    return Related(*citations(paper, cited_by))


def doris_mae(paper, cited_by):
    """Citations and their citations are positive [Wang2023, appendix D.1]."""
    direct, second = citations(paper, cited_by)
    return Related([*direct, *second], [])


#: name -> how triplets are made
DEFINITIONS = {
    "specter": Definition(specter, each=5, hard=2),
    "doris-mae": Definition(doris_mae, each=None, hard=0),
}
