"""Transformers: frames in, frames out. One per file."""

from .context_centroid import ContextCentroid
from .context_maxsim import ContextMaxSim
from .facet_miss import FacetMiss
from .facet_query import FacetQuery
from .okapi_bm25_score import OkapiBM25Score
from .paper_context import PaperContext
from .paper_tfidf import PaperTfIdf
from .passage_cosine import PassageCosine
from .pool import Pool
from .sentence_maxsim import SentenceMaxSim
from .sentence_transport import SentenceTransport
from .sentences import Sentences
from .tfidf_score import TfIdfScore
from .token_maxsim import TokenMaxSim
from .z_score import ZScore

__all__ = [
    "ContextCentroid",
    "ContextMaxSim",
    "FacetMiss",
    "FacetQuery",
    "OkapiBM25Score",
    "PaperContext",
    "PaperTfIdf",
    "PassageCosine",
    "Pool",
    "SentenceMaxSim",
    "SentenceTransport",
    "Sentences",
    "TfIdfScore",
    "TokenMaxSim",
    "ZScore",
]
