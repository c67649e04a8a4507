"""Transformers: frames in, frames out. One per file."""

from .cross_encoder_score import CrossEncoderScore
from .document_retriever import DocumentRetriever
from .document_similarity import DocumentSimilarity
from .facet_labeller import FacetLabeller
from .facet_miss import FacetMiss
from .facet_query import FacetQuery
from .listwise_rerank import ListwiseRerank
from .okapi_bm25_retriever import OkapiBM25Retriever
from .okapi_bm25_score import OkapiBM25Score
from .one_hop import OneHop
from .paper_tfidf import PaperTfIdf
from .plain_text import PlainText
from .pool import Pool
from .sentence_centroid import SentenceCentroid
from .sentence_maxsim import SentenceMaxSim
from .sentence_retriever import SentenceRetriever
from .sentence_transport import SentenceTransport
from .sentence_vectors import SentenceVectors
from .sentences import Sentences
from .text_retriever import TextRetriever
from .text_similarity import TextSimilarity
from .tfidf_score import TfIdfScore
from .token_maxsim import TokenMaxSim
from .weighted_features import WeightedFeatures
from .z_score import ZScore

__all__ = [
    "CrossEncoderScore",
    "DocumentRetriever",
    "DocumentSimilarity",
    "FacetLabeller",
    "FacetMiss",
    "FacetQuery",
    "ListwiseRerank",
    "OkapiBM25Retriever",
    "OkapiBM25Score",
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
