"""Rank your own papers by a facet of one of them, or by a text, and explain the ranking."""

from .paper_reading import read_papers
from .paper_search import search_papers

__all__ = ["read_papers", "search_papers"]
