"""The graph of a collection's citations, as pyterrier_adaptive walks it.

graph = citation_graph("litsearch")
graph.neighbours("2293614")  # the papers of the corpus that this one cites
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..settings import BySettings


def citation_graph(dataset: DatasetLike) -> "CitationGraph":
    """Return the corpus graph in which a paper's neighbours are the papers that it cites.

    Use it in ``pyterrier_adaptive.GAR(scorer, citation_graph("litsearch"))``. Nothing is read until
    the first request. Edges have a direction: a paper that cites another is not its neighbour.

    Args:
        dataset: a collection with citations, such as ``"litsearch"``: its id, PyTerrier's object or
            ir_datasets' object.

    Raises:
        ImportError: pyterrier_adaptive is not installed (names the extra).
        ValueError: an unknown dataset, or one without citations.
    """
    try:
        from pyterrier_adaptive import CorpusGraph
    except ImportError as error:
        raise ImportError(
            "A citation graph needs pyterrier_adaptive: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error

    if not hasattr(datasets.irds(dataset), "citations"):
        raise ValueError(f"{dataset!r} has no citations: pass one that has some, as 'litsearch'.")

    CorpusGraph.register(CitationGraph)
    return CitationGraph(dataset)


@dataclass(eq=False, repr=False)
class CitationGraph(BySettings):
    """Serve as a `pyterrier_adaptive.CorpusGraph` in memory, made by `citation_graph`.

    A document's number (an ``int`` instead of its id) is its position in the corpus, from 0.
    """

    dataset: DatasetLike

    def __repr__(self) -> str:
        # who pastes the repr calls the function, which checks the dataset
        return super().__repr__().replace("CitationGraph", "citation_graph", 1)

    def neighbours(self, docid: str | int, weights: bool = False) -> Iterable[object]:
        """List the papers of the corpus that `docid` cites, in the collection's order.

        Args:
            docid: an id (str), or a number (int).
            weights: whether to return the edges' weights too; all are 1.

        Returns:
            A list of ids, or for an int an array of numbers, int64; it may be empty. With
            `weights`, a pair: these, and a float32 array of the same length.

        Raises:
            KeyError, IndexError: unknown id, or number out of range.
        """
        corpus = self._read_corpus()
        doc_id = docid if isinstance(docid, str) else corpus.ids[docid]
        cited_ids = [cited for cited in self._read_citations(doc_id, corpus) if cited in corpus.ids]

        neighbours: Iterable[object]
        if isinstance(docid, str):
            neighbours = cited_ids
        else:
            neighbours = corpus.ids.get_indexer(cited_ids).astype(np.int64)

        if not weights:
            return neighbours
        return neighbours, np.ones(len(cited_ids), dtype=np.float32)

    def dropped(self, docids: Iterable[str]) -> int:
        """Count the citations of the documents `docids` (ids) to papers outside the corpus.

        These papers are no neighbours. A paper counts once for each citation. The count is 0 for a
        collection that leaves such papers out itself.
        """
        corpus = self._read_corpus()
        dropped_count = 0
        for doc_id in docids:
            outside = [
                cited for cited in self._read_citations(doc_id, corpus) if cited not in corpus.ids
            ]
            dropped_count += len(outside)
        return dropped_count

    def _read_citations(self, doc_id: str, corpus: "Corpus") -> tuple[str, ...]:
        """Return the ids of all papers that a document of the corpus cites; each is read once."""
        if doc_id not in corpus.citations:
            corpus.citations[doc_id] = tuple(datasets.irds(self.dataset).citations(doc_id))
        return corpus.citations[doc_id]

    def _read_corpus(self) -> "Corpus":
        """Return the corpus; it is read again when the documents have changed."""

        def read() -> Corpus:
            doc_ids = [doc.doc_id for doc in datasets.irds(self.dataset).docs_iter()]
            return Corpus(pd.Index(doc_ids, dtype=object), {})

        documents = datasets.identify_documents(self.dataset)
        return datasets.fit_once(read, "CitationGraph", documents)

    def __fingerprint__(self) -> dict[str, object]:
        """Return the documents, from which a change of the graph is recognised."""
        return {"dataset": datasets.identify_documents(self.dataset)}


class Corpus(NamedTuple):
    """The documents of a dataset as a graph needs them.

    Attributes:
        ids: of all documents; a document's number is its position here.
        citations: the papers that a document cites, by its id, as far as they were asked for.
    """

    ids: pd.Index
    citations: dict[str, tuple[str, ...]]
