"""Sentences and labels of a dataset's documents."""

from .. import datasets
from ..text.split import split_sentences


def read(dataset, doc_ids) -> dict:
    """Sentences and labels (two lists, as long as each other) of documents, by id.

    Where a dataset's records have no sentences their `text` is split; where they have no labels
    these are "".

    Raises:
        ValueError: ids that the dataset does not have.
    """
    return {key: _parts(record) for key, record in datasets.documents(dataset, doc_ids).items()}


def _parts(record):
    shipped = getattr(record, "sentences", None)
    sentences = split_sentences(datasets.text(record)) if shipped is None else list(shipped)
    return sentences, list(getattr(record, "labels", [""] * len(sentences)))
