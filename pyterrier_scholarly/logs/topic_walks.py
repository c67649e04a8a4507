"""What people download in their sessions: a walk over topics, and documents of these, drawn.

    is_repetition = draw_repetitions(random, sessions, probability=0.02)
    documents = draw_documents(random, topic_of_document, sessions, is_repetition, stay=0.8)

Conventions: D documents; s sessions have n downloads, which are rows, see `sessions`.
"""

import numpy as np

from .sessions import Sessions, add_up_in_session

#: a power of numbers in 0..1, see `_draw_places`: 1 if all documents of a topic were equally
#: popular; larger: a few are read most
POPULARITY = 3.0


def draw_documents(
    random: np.random.Generator,
    topic_of_document: np.ndarray,
    sessions: Sessions,
    is_repetition: np.ndarray,
    stay: float,
) -> np.ndarray:
    """Return each download's document, drawn: its topic by a walk, then one of the topic's, (n,).

    A repetition has the document of the download before it.

    Args:
        topic_of_document: (D,).
        is_repetition: (n,), see `draw_repetitions`.
        stay: probability that a download is on the topic of the one before.
    """
    topic_sizes = np.bincount(topic_of_document)
    topics = _walk_over_topics(random, len(topic_sizes), sessions, stay)

    # all documents, (D,): topic after topic, those of a topic in random order from most to least
    # popular. lexsort sorts by its last key first
    random_keys = random.random(len(topic_of_document))
    documents_by_topic = np.lexsort((random_keys, topic_of_document))
    first_position_of_topic = np.cumsum(topic_sizes) - topic_sizes

    places_in_topic = _draw_places(random, topic_sizes[topics])
    positions = first_position_of_topic[topics] + places_in_topic
    documents = documents_by_topic[positions]
    return documents[_find_repeated_rows(is_repetition)]


def _draw_places(random: np.random.Generator, sizes: np.ndarray) -> np.ndarray:
    """Draw a place in each list of documents, from 0, the most popular one: (n,).

    sizes: (n,), of the lists.
    """
    # numbers in 0..1; their power is near 0 for most of them, so the first places are drawn most
    drawn_shares = random.random(len(sizes)) ** POPULARITY
    return (sizes * drawn_shares).astype(np.int64)


def _find_repeated_rows(is_repetition: np.ndarray) -> np.ndarray:
    """Return the row whose document each row has: its own, or the one that it repeats, (n,).

    If rows 1 and 2 of four are repetitions, that is 0, 0, 0, 3.
    """
    row_numbers = np.arange(len(is_repetition))
    own_row_or_zero = np.where(is_repetition, 0, row_numbers)
    # the running maximum is the last row before that is no repetition
    return np.maximum.accumulate(own_row_or_zero)


def _walk_over_topics(
    random: np.random.Generator, topic_count: int, sessions: Sessions, stay: float
) -> np.ndarray:
    """Draw the topic of each download, as a number from 0 (n,).

    A session begins with any topic. Each further download is on the topic of the one before with
    probability `stay`, else on another one.
    """
    row_count = len(sessions.follows_in_session)
    session_count = len(sessions.first_rows)
    leaves_topic = random.random(row_count) >= stay
    has_new_topic = sessions.follows_in_session & leaves_topic

    # topics are in a circle, and a move of 1 to topic_count - 1 leads to any topic but the same
    longest_move = max(topic_count - 1, 1)
    drawn_moves = 1 + random.integers(longest_move, size=row_count)
    moves = np.where(has_new_topic, drawn_moves, 0)
    first_topics = random.integers(topic_count, size=session_count)

    # a download's topic: from the session's first topic, all moves until the download
    first_topic_of_row = first_topics[sessions.session_of_row]
    moves_since_first_row = add_up_in_session(moves, sessions)
    return (first_topic_of_row + moves_since_first_row) % topic_count
