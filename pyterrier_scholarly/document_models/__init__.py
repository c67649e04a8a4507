"""Models of document similarity: a collection's documents as vectors. One model per file."""

from ._model import DocumentModel
from .tfidf import TfIdfModel
from .topics import TopicModel

__all__ = ["DocumentModel", "TfIdfModel", "TopicModel"]
