"""The systems of the papers as ready pipelines, from topics to a ranking of the candidates."""

from .csfcube import csfcube_systems, fabs_bm25, fabs_tfidf, sentence_maxsim, terrier_bm25
from .doris_mae import doris_mae_systems
from .in_context import lexical_evidence, one_encoding, six_parts, three_parts
from .named import systems
from .pooling import pool_systems
from .weighted import scored_parts, weight_grid

__all__ = [
    "csfcube_systems",
    "doris_mae_systems",
    "fabs_bm25",
    "fabs_tfidf",
    "lexical_evidence",
    "one_encoding",
    "pool_systems",
    "scored_parts",
    "sentence_maxsim",
    "six_parts",
    "systems",
    "terrier_bm25",
    "three_parts",
    "weight_grid",
]
