"""Read papers, whatever they come from: files of seven forms, frames, dicts, datasets.

`source_reading` chooses what reads a source. Each form has a module of its own, which says where
its records are (`bibtex_papers`, `csv_papers`, …) or what their fields mean (`csl_papers`,
`openalex_papers`, …). The modules `field_…` read single values.
"""

from .source_reading import Source, read_source

__all__ = ["Source", "read_source"]
