"""Download logs: mine them for pairs and queries, and make synthetic ones with a known structure.

From a log to a collection: `files` (forms, columns, lines), `engines` and `backends` (DuckDB and
Spark), `fields` (a line split), `times`, `rows` (what is kept, and why not), `successions` (what
followed what; draws), `mining` (all steps), `collection` (write it) and `summary` (all numbers).
`synthetic` logs are drawn in `sessions`.
"""

import lazy_loader

#: loaded at first use, so that ``mine-log --help`` loads no pandas
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
