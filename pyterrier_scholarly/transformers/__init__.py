"""Transformers: frames in, frames out."""

from .bm25 import BM25Retriever, BM25Score
from .cross_encoder_score import CrossEncoderScore
from .document_scores import DocumentRetriever, DocumentSimilarity
from .facet_labeller import FacetLabeller
from .facet_query import FacetQuery
from .lexical_score import TfIdfScore
from .listwise_rerank import ListwiseRerank
from .one_hop import OneHop
from .paper_loader import PaperLoader
from .paper_similarity import PaperSimilarity
from .paper_tfidf import PaperTfIdf
from .plain_text import PlainText
from .pool import Pool
from .rescoring import FacetMiss, WeightedFeatures, WeightedSum, ZScore
from .sentence_maxsim import SentenceCentroid, SentenceMaxSim
from .sentence_retriever import SentenceRetriever, SentenceVectors
from .sentence_transport import SentenceTransport
from .text_retriever import TextRetriever
from .text_similarity import TextSimilarity
from .token_maxsim import TokenMaxSim

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
    "PaperSimilarity",
    "PaperTfIdf",
    "PlainText",
    "Pool",
    "SentenceCentroid",
    "SentenceMaxSim",
    "SentenceRetriever",
    "SentenceTransport",
    "SentenceVectors",
    "PaperLoader",
    "TextRetriever",
    "TextSimilarity",
    "TfIdfScore",
    "TokenMaxSim",
    "WeightedFeatures",
    "WeightedSum",
    "ZScore",
]
