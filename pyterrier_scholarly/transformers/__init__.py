"""Transformers: frames in, frames out. One per file."""

from .facet_query import FacetQuery
from .okapi_bm25_score import OkapiBM25Score
from .pool import Pool
from .sentence_maxsim import SentenceMaxSim
from .sentences import Sentences
from .tfidf_score import TfIdfScore

__all__ = ["FacetQuery", "OkapiBM25Score", "Pool", "SentenceMaxSim", "Sentences", "TfIdfScore"]
