"""The systems of the papers as ready pipelines, from topics to a ranking of the candidates."""

from .csfcube import csfcube_systems, fabs_bm25, fabs_tfidf, sentence_maxsim, terrier_bm25

__all__ = ["csfcube_systems", "fabs_bm25", "fabs_tfidf", "sentence_maxsim", "terrier_bm25"]
