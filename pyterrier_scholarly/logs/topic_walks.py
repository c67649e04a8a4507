"""What people download in their sessions: a walk over topics, and documents of these, drawn.

    is_repetition = draw_repetitions(random, sessions, probability=0.02)
    documents = draw_documents(random, topic_of_document, sessions, is_repetition, stay=0.8)

Conventions: D documents; s sessions have n downloads, which are rows, see `sessions`.
"""

import numpy as np

from .sessions import Sessions, add_up_in_session

POPULARITY = 3.0  # 1 if all documents of a topic were equally popular; larger: a few are read most


def draw_documents(
    random: np.random.Generator,
    topic_of_document: np.ndarray,
    sessions: Sessions,
    is_repetition: np.ndarray,
    stay: float,
) -> np.ndarray:
    """Return each download's document, drawn: its topic by a walk, then one of the topic's, (n,).

    Args:
        topic_of_document: (D,).
        is_repetition: (n,), see `draw_repetitions`.
        stay: probability that a download is on the topic of the one before.
    """
    topic_sizes = np.bincount(topic_of_document)
    topics = _walk_over_topics(random, len(topic_sizes), sessions, stay)

    # topic after topic, the documents of each in random order: lexsort's last key counts first
    random_keys = random.random(len(topic_of_document))
    documents_by_topic = np.lexsort((random_keys, topic_of_document))
    first_place_of_topic = np.cumsum(topic_sizes) - topic_sizes

    # a share of 0 is a topic's first document; most shares are near 0, so the first are read most
    row_count = len(topics)
    drawn_shares = random.random(row_count) ** POPULARITY
    places_in_topic = (topic_sizes[topics] * drawn_shares).astype(np.int64)
    documents = documents_by_topic[first_place_of_topic[topics] + places_in_topic]

    # a repetition has the document of the last row before it that is none: the running maximum
    # carries that row's number forward
    own_rows = np.where(is_repetition, 0, np.arange(row_count))
    source_rows = np.maximum.accumulate(own_rows)
    return documents[source_rows]


def _walk_over_topics(
    random: np.random.Generator, topic_count: int, sessions: Sessions, stay: float
) -> np.ndarray:
    """Draw the topic of each download, as a number from 0 (n,).

    A session begins with any topic. Each further download is on the topic of the one before with
    probability `stay`, else on another one.
    """
    row_count = len(sessions.follows)
    session_count = len(sessions.first_rows)
    has_new_topic = sessions.follows & (random.random(row_count) >= stay)

    # topics are in a circle, and a move of 1 to topic_count - 1 leads to any topic but the same
    longest_move = max(topic_count - 1, 1)
    drawn_moves = 1 + random.integers(longest_move, size=row_count)
    moves = np.where(has_new_topic, drawn_moves, 0)
    first_topics = random.integers(topic_count, size=session_count)

    # a download's topic: from the session's first topic, all moves until the download
    first_topic_of_row = first_topics[sessions.session_of_row]
    moves_since_first_row = add_up_in_session(moves, sessions)
    return (first_topic_of_row + moves_since_first_row) % topic_count
