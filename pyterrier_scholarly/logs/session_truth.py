"""What mining must find in drawn sessions, known from how they were made.

    truth = find_truth(documents, sessions, gaps, jumps, people=500)
    print(truth.outcomes[Outcome.PAIR])

Conventions: n downloads are rows, see `sessions`.
"""

from typing import NamedTuple

import numpy as np

from .mining_codes import Outcome
from .sessions import ClockJumps, GapKind, Gaps, Sessions


class Truth(NamedTuple):
    """What mining must find.

    Attributes:
        pairs: (p, 2), documents that were downloaded in succession.
        outcomes: the number of downloads by what follows them.
    """

    pairs: np.ndarray
    outcomes: dict[Outcome, int]


def find_truth(
    documents: np.ndarray, sessions: Sessions, gaps: Gaps, jumps: ClockJumps, people: int
) -> Truth:
    """Return people's pairs and outcomes, from how sessions were made.

    Args:
        documents: (n,), see `draw_documents`.
        people: who have sessions.
    """
    follows = sessions.follows & ~jumps.before_row  # a download after a jump is hours away
    is_read = follows & (gaps.kinds == GapKind.READ)
    is_hasty = follows & (gaps.kinds == GapKind.HASTY)
    is_other_document = documents != np.roll(documents, 1)  # than the row before has
    second_rows = np.flatnonzero(is_read & is_other_document)

    read_count = int(is_read.sum())
    hasty_count = int(is_hasty.sum())
    outcomes = {
        Outcome.PAIR: len(second_rows),
        Outcome.SAME: read_count - len(second_rows),
        Outcome.SOON: hasty_count,
        # pauses, jumps, ends of sessions
        Outcome.LATE: len(documents) - people - read_count - hasty_count,
        Outcome.LAST: people,
    }
    pairs = np.stack([documents[second_rows - 1], documents[second_rows]], axis=1)
    return Truth(pairs, outcomes)
