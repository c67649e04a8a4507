"""Similarities of groups of vectors: arrays in, arrays out."""

from .documents import jensen_shannon

__all__ = ["jensen_shannon"]
