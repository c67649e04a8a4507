"""Papers of a dataset: titles, sentences, labels."""

from .. import datasets
from ..text.split import split_sentences


def read(dataset, doc_ids) -> dict:
    """Title, sentences and labels (two lists, as long as each other) of documents, by id.

    Where a dataset's records have no sentences their `text` is split; where they have no title or
    labels these are "".

    Raises:
        ValueError: ids that the dataset does not have.
    """
    return {key: _parts(record) for key, record in datasets.documents(dataset, doc_ids).items()}


def _parts(record):
    shipped = getattr(record, "sentences", None)
    sentences = split_sentences(datasets.text(record)) if shipped is None else list(shipped)
    labels = list(getattr(record, "labels", [""] * len(sentences)))
    return getattr(record, "title", ""), sentences, labels
