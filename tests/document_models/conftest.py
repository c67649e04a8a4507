"""Texts on two subjects, and models fitted on them."""

import pytest

from pyterrier_scholarly import TfIdfModel, TopicModel

TREES = "trees grow leaves; leaves fall and roots grow"
QUEUES = "queues wait while servers serve jobs, jobs wait"
TEXTS = [
    *[f"{TREES} {word}" for word in ("bark", "bark moss", "moss", "twigs")],
    *[f"{QUEUES} {word}" for word in ("delay", "delay load", "load", "rates")],
]
EVERY = dict(min_count=1, most_frequent=0, min_length=1)
SMALL = dict(topics=2, iterations=60, **EVERY)


@pytest.fixture
def tfidf():
    """A tf-idf model with all words and terms."""
    return TfIdfModel(TEXTS, **EVERY)


@pytest.fixture
def topics():
    """A model with two topics."""
    pytest.importorskip("tomotopy")
    return TopicModel(TEXTS, **SMALL)
