"""Your own papers: read from exports, prepared once, asked often.

papers = Papers.build("my-library", "export.bib")
print(papers.search("smith2019", facet="method"))
"""

from .found_papers import FoundPapers
from .library_search import FoundInLibrary
from .paper_merging import MergeCounts
from .paper_record import PaperRecord, Remark, UnreadRecord
from .papers_artifact import LibraryInfo, Papers
from .sources import read_source

__all__ = [
    "FoundInLibrary",
    "FoundPapers",
    "LibraryInfo",
    "MergeCounts",
    "PaperRecord",
    "Papers",
    "Remark",
    "UnreadRecord",
    "read_source",
]
