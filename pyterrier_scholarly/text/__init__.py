"""Functions on texts: sentences, words, facets, contexts."""
