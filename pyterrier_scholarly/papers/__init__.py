"""Your own papers: read from exports, prepared once, asked often."""

from .paper_record import PaperRecord, UnreadRecord
from .sources import read_source

__all__ = ["PaperRecord", "UnreadRecord", "read_source"]
