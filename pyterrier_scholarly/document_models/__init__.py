"""Models of document similarity: a collection's documents as vectors. One model per file.

model = TfIdfModel("csfcube", top=50)
DocumentSimilarity(model).transform(candidates)
"""

from .document_model import DocumentModel
from .tfidf_model import TfIdfModel
from .topic_model import TopicModel

__all__ = ["DocumentModel", "TfIdfModel", "TopicModel"]
