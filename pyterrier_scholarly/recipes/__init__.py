"""The systems of the papers as ready pipelines, from topics to a ranking of the candidates."""

from .csfcube import csfcube_systems, fabs_bm25, fabs_tfidf, sentence_maxsim, terrier_bm25
from .doris_mae import doris_mae_systems
from .in_context import lexical_evidence, one_encoding, six_parts
from .named import systems

__all__ = [
    "csfcube_systems",
    "doris_mae_systems",
    "fabs_bm25",
    "fabs_tfidf",
    "lexical_evidence",
    "one_encoding",
    "sentence_maxsim",
    "six_parts",
    "systems",
    "terrier_bm25",
]
