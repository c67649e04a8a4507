"""Functions on texts: sentences, words, facets, contexts."""

from .rewriting import mark_citations

__all__ = ["mark_citations"]
