"""Tables of papers, and of your own collections: `reproduce` runs systems over all columns."""

from .reproduction import reproduce
from .table import PaperTable

__all__ = ["PaperTable", "reproduce"]
