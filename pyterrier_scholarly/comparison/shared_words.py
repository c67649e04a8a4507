"""Words of queries and papers, to say which of them they share."""

from .. import datasets
from ..text import words
from ..typed_records import Record


def find_words(text: str) -> frozenset[str]:
    """Return the different words of a text, without stop words and plural s."""
    counted_words = {words.normalise_run(run) for run in words.runs(text)}
    return frozenset(counted_words - {""})


def find_written_words(text: str) -> dict[str, str]:
    """Return, for each word that `find_words` finds, how the text writes it."""
    return {words.normalise_run(run): run for run in words.runs(text)}


def text_of_paper(record: Record) -> str:
    """Return a paper's title and abstract."""
    return f"{getattr(record, 'title', '')} {datasets.text(record)}"
