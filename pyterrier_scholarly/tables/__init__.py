"""Tables of papers, and of your own collections: `reproduce` runs systems over all columns."""

from .paper_table import PaperTable
from .reproduction import reproduce

__all__ = ["PaperTable", "reproduce"]
