"""Strings: sentences, words, facets, contexts, how much two texts share."""
