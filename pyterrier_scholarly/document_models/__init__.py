"""Models of document similarity: a collection's documents as vectors. One model per file."""

from ._model import DocumentModel
from .tfidf_model import TfIdfModel
from .topic_model import TopicModel

__all__ = ["DocumentModel", "TfIdfModel", "TopicModel"]
