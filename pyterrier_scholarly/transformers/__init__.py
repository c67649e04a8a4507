"""Transformers: frames in, frames out.

`scoring` holds those that read texts; the others bring texts and candidates in, or change scores.
"""

from .facet_labeller import FacetLabeller
from .facet_query import FacetQuery
from .listwise_rerank import ListwiseRerank
from .one_hop import OneHop
from .plain_text import PlainText
from .pool import Pool
from .rescoring import FacetMiss, WeightedFeatures, ZScore
from .scoring.bm25 import BM25Retriever, BM25Score
from .scoring.cross_encoder_score import CrossEncoderScore
from .scoring.document_scores import DocumentRetriever, DocumentSimilarity
from .scoring.lexical_score import TfIdfScore
from .scoring.paper_tfidf import PaperTfIdf
from .scoring.sentence_maxsim import SentenceCentroid, SentenceMaxSim
from .scoring.sentence_retriever import SentenceRetriever, SentenceVectors
from .scoring.sentence_transport import SentenceTransport
from .scoring.text_retriever import TextRetriever
from .scoring.text_similarity import TextSimilarity
from .scoring.token_maxsim import TokenMaxSim
from .sentences import Sentences

__all__ = [
    "CrossEncoderScore",
    "DocumentRetriever",
    "DocumentSimilarity",
    "FacetLabeller",
    "FacetMiss",
    "FacetQuery",
    "ListwiseRerank",
    "BM25Retriever",
    "BM25Score",
    "OneHop",
    "PaperTfIdf",
    "PlainText",
    "Pool",
    "SentenceCentroid",
    "SentenceMaxSim",
    "SentenceRetriever",
    "SentenceTransport",
    "SentenceVectors",
    "Sentences",
    "TextRetriever",
    "TextSimilarity",
    "TfIdfScore",
    "TokenMaxSim",
    "WeightedFeatures",
    "ZScore",
]
