"""Papers as a dataset holds them: title, sentences and labels.

    paper = read_papers("csfcube/method", ["1198964"])["1198964"]
    paper.sentences[0], paper.labels[0]

`FacetQuery` reads the papers of queries here, `Sentences` those of candidates.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ir_datasets_ext.typed_records import Record

from .. import datasets
from ..datasets import DatasetLike
from ..text import split_sentences
from ..text.facet_sentences import positions_of

#: from a text to its sentences
Splitter = Callable[[str], list[str]]


class StoredPaper(NamedTuple):
    """Some sentences of a document, in its order.

    Attributes:
        title: perhaps "".
        sentences: perhaps none.
        labels: one per sentence, "" for none.
        ids: the sentences' positions in the document, from 0.
    """

    title: str
    sentences: Sequence[str]
    labels: Sequence[str]
    ids: Sequence[int]

    def select_facet(self, facet: str) -> "StoredPaper":
        """Return the paper with the sentences of a facet only; with all for the empty facet."""
        positions = positions_of(facet, self.labels)
        return StoredPaper(
            title=self.title,
            sentences=[self.sentences[position] for position in positions],
            labels=[self.labels[position] for position in positions],
            ids=[self.ids[position] for position in positions],
        )


def read_papers(
    dataset: DatasetLike, doc_ids: Iterable[str], split: Splitter = split_sentences
) -> dict[str, StoredPaper]:
    """Read documents by their ids, each once.

    The text of a record without sentences is split; missing titles and labels are "".

    Args:
        dataset: with the documents.
        doc_ids: of the documents to read.
        split: a function from a text to its sentences.

    Raises:
        ValueError: ids missing from the dataset.
    """
    records = datasets.documents(dataset, doc_ids)
    return {doc_id: _make_paper(record, split) for doc_id, record in records.items()}


def _make_paper(record: Record, split: Splitter) -> StoredPaper:
    """Return a document of a dataset as a paper with all its sentences."""
    stored_sentences = getattr(record, "sentences", None)
    if stored_sentences is None:
        sentences = split(datasets.text(record))
    else:
        sentences = list(stored_sentences)

    labels = list(getattr(record, "labels", [""] * len(sentences)))
    positions = list(range(len(sentences)))
    return StoredPaper(getattr(record, "title", ""), sentences, labels, positions)
