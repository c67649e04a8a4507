"""Read papers, whatever they come from: files of many forms, frames, dicts, datasets.

`reading` chooses what reads a source. ``field_names.yaml`` has the names that each format gives its
fields. `bibtex` (with `latex`), `ris`, `tables` and `json_records` find the records of a file.
`fields` reads all values alike: texts, names (`author_names`), years, DOIs. A new format is a table
of names and one function.

What was tried, on the cases and on 1,300 real files:

=========== ======================= ==========================================================
part        chosen                  why
=========== ======================= ==========================================================
BibTeX      patterns of our own     bibtexparser 2 keeps "#", reads no "@article(…)", and joins
                                    fields where a comma is missing; pybtex stops there
LaTeX       pylatexenc              latexcodec leaves commands, braces and formulas as they are
RIS         a pattern of our own    rispy loses records without TY or ER, and knows no lines
CSV         a pattern, then csv     a stray quote costs its row, not the rest of the file
characters  UTF-8, UTF-16, else     charset-normalizer reads "Müll" of Windows-1252 as Chinese;
            Windows-1252            it is asked where most letters are not Latin
=========== ======================= ==========================================================
"""

from .reading import Source, read_source

__all__ = ["Source", "read_source"]
