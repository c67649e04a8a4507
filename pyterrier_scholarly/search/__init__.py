"""Rank your own papers by a facet of one of them, or by a text, and explain the ranking."""

from .paper_files import read_papers
from .paper_search import FoundPapers, search_papers

__all__ = ["FoundPapers", "read_papers", "search_papers"]
