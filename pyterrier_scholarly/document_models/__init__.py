"""Models of document similarity: a collection's documents as vectors. One model per file."""

from .tfidf import TfIdfModel
from .topics import TopicModel

__all__ = ["TfIdfModel", "TopicModel"]
