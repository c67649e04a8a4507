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
    """Return the pairs and outcomes that mining must find, known from how sessions were made.

    Args:
        documents: (n,), the document of each download, see `draw_documents`.
        people: the number of people with sessions.
    """
    # a download is compared with the row before; after a clock's jump, it is hours away from it
    follows_soon = sessions.follows & ~jumps.before_row
    is_read = follows_soon & (gaps.kinds == GapKind.READ)
    is_hasty = follows_soon & (gaps.kinds == GapKind.HASTY)

    # the first row, which gets the last document here, follows nothing
    documents_before = np.roll(documents, 1)
    is_other_document = documents != documents_before
    is_pair = is_read & is_other_document
    is_repetition = is_read & ~is_other_document

    pair_count = int(is_pair.sum())
    repetition_count = int(is_repetition.sum())
    hasty_count = int(is_hasty.sum())
    # all others but each person's last are followed late: by a pause, a jump or another session
    late_count = len(documents) - pair_count - repetition_count - hasty_count - people

    outcomes = {
        Outcome.PAIR: pair_count,
        Outcome.SAME: repetition_count,
        Outcome.SOON: hasty_count,
        Outcome.LATE: late_count,
        Outcome.LAST: people,
    }
    pairs = np.stack([documents_before[is_pair], documents[is_pair]], axis=1)
    return Truth(pairs, outcomes)
