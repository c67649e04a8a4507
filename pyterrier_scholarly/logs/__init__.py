"""Download logs: mine them for pairs and queries, and make synthetic ones with a known structure.

From a log to a collection: `files` (forms, columns, lines), `engines` and `backends` (DuckDB and
Spark), `fields` (a line split, times parsed), `rows` (what is kept, and why not), `successions`
(what followed what; draws), `mining` (all steps) and `collection` (write it). This imports nothing.
"""
