"""Say what a table needs of a release that the files on this machine lack.

::

    explain_missing_data("doris-mae", "14")   # "Nothing to evaluate: no query of doris-mae/test …"

A check whose weights are missing, too, does not run, so nothing but this finds out.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import ir_datasets

from ..datasets import irds
from ..protocols import System
from ..tables.present_data import PresentData
from ..tables.shape import find_shape

#: what a check raises if data, models or a network are missing; anything else is a fault of ours
ERRORS = (ValueError, LookupError, OSError, ImportError, RuntimeError)
LONGEST_REASON = 500  # characters of an error's message in a report


def explain_missing_data(dataset: str, table: str, systems: Iterable[System] = ()) -> str:
    """Say what the files that are present lack for a table; "" if they lack nothing.

    Args:
        dataset: its id.
        table: number of the printed table over it; "" for one without.
        systems: those that run, whose texts and citations are needed besides.
    """
    try:
        shape = find_shape(dataset, table or None)
        data = PresentData(shape.run)
        data.read_topics(data.judgements)
        for system in systems:
            _check_first_document(shape.run, system)
    except ERRORS as error:
        return describe_error(error)
    return ""


def describe_error(error: Exception) -> str:
    """Return an error's message on one line, without folders of this machine.

    Of a file of ir_datasets, the folder of its collection and those below it remain.
    """
    message: object = error
    if isinstance(error, KeyError) and error.args:
        message = error.args[0]  # its own text has quotation marks

    words = [_shorten_path(word) for word in str(message).split()]
    return " ".join(words)[:LONGEST_REASON]


def _check_first_document(dataset: str, system: System) -> None:
    """Raise ValueError if no document has the full text, or the citations, that a system reads."""
    reads_citations = system.form == "one_hop"
    if not system.text and not reads_citations:
        return  # titles and abstracts, which every release has

    documents = irds(dataset)
    document = next(iter(documents.docs_iter()))
    if reads_citations:
        documents.citations(document.doc_id)
    if system.text:
        template = str(system.scoring["document"])
        for _, field, _, _ in Formatter().parse(template):
            if field:
                getattr(document, field)  # raises if the files lack the field


def _shorten_path(word: str) -> str:
    """Return an absolute path below the home of ir_datasets, or the name of another file."""
    if not os.path.isabs(word):
        return word
    home = ir_datasets.util.home_path()
    path = Path(word)
    return str(path.relative_to(home)) if path.is_relative_to(home) else path.name
