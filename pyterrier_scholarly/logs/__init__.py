"""Download logs: mined for pairs and queries, and made with a known structure.

From a log to a collection: `forms` (which files, which columns), `engines` (DuckDB and Spark, and
how they read), `lines`, `fields` and `times` (a line taken apart), `rows` (what is kept, and why
not), `restriction` (to a set of documents), `successions` (what followed what), `samples` (pairs
drawn), `judgements` (queries and their pools), `mining` (all of it) and `collection` (written
down). Importing this imports nothing.
"""
