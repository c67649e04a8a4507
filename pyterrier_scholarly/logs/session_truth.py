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

    One person reads the documents 7, 7 and 4 in a session, a few minutes apart. Then the only pair
    is (7, 4), and the outcomes are one SAME, one PAIR, and one LAST.

    Args:
        documents: (n,), the number of each download's document, see `draw_documents`.
        sessions: which of the downloads are in one session.
        gaps: how each download follows the one before.
        jumps: where the clock jumps.
        people: the number of people with sessions.
    """
    # how a row's download follows that of the row before, (n,)
    # a jump is hours long, whatever the gap is
    follows_without_jump = sessions.follows_in_session & ~jumps.follows_jump
    follows_after_reading = follows_without_jump & (gaps.kinds == GapKind.READ)
    follows_hastily = follows_without_jump & (gaps.kinds == GapKind.HASTY)

    # `roll` gives the first row the last document; this changes nothing, for it follows nothing
    previous_documents = np.roll(documents, 1)
    is_same_document = documents == previous_documents
    makes_pair = follows_after_reading & ~is_same_document
    makes_repetition = follows_after_reading & is_same_document

    first_documents = previous_documents[makes_pair]
    second_documents = documents[makes_pair]
    pairs = np.stack([first_documents, second_documents], axis=1)
    outcomes = _count_outcomes(makes_pair, makes_repetition, follows_hastily, people)
    return Truth(pairs, outcomes)


def _count_outcomes(
    makes_pair: np.ndarray, makes_repetition: np.ndarray, follows_hastily: np.ndarray, people: int
) -> dict[Outcome, int]:
    """Count the downloads by what follows them.

    The arrays say how a row follows the row before; this is the outcome of the row before.

    Args:
        makes_pair, makes_repetition, follows_hastily: (n,), how each download follows the one
            before; at most one of them is true.
        people: the number of people, each of whom has one last download.
    """
    pair_count = int(makes_pair.sum())
    repetition_count = int(makes_repetition.sum())
    hasty_count = int(follows_hastily.sum())

    # each other download is followed late: by one after a pause, a jump, or in another session
    download_count = len(makes_pair)
    counted = pair_count + repetition_count + hasty_count + people
    return {
        Outcome.PAIR: pair_count,
        Outcome.SAME: repetition_count,
        Outcome.SOON: hasty_count,
        Outcome.LATE: download_count - counted,
        Outcome.LAST: people,
    }
