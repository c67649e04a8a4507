"""Download logs: mine them for pairs and queries, and make synthetic ones with a known structure.

From a log to a collection: `files` (forms, columns, lines), `engines` and `backends` (DuckDB and
Spark), `fields` (a line split, times parsed), `rows` (what is kept, and why not), `successions`
(what followed what; draws), `mining` (all steps) and `collection` (write it).
"""

from .collection import mine_log
from .synthetic import synthetic_log

__all__ = ["mine_log", "synthetic_log"]
