"""Search your own papers: by a facet of one of them, or by a text."""

from .papers import read_papers
from .searching import FoundPapers, search_papers

__all__ = ["FoundPapers", "read_papers", "search_papers"]
