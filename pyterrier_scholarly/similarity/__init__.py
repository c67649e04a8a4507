"""Similarities of groups of vectors: arrays in, arrays out."""
