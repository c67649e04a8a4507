"""What a collection's papers cite, as a corpus graph for adaptive re-ranking."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import datasets
from .settings import BySettings


def citation_graph(dataset):
    """The corpus graph whose neighbours are the papers that a paper cites.

    It goes into ``pyterrier_adaptive.GAR(scorer, citation_graph("litsearch"))``, and nothing is
    read before that asks it. Edges have a direction, so who cites a paper is no neighbour of it.

    Args:
        dataset: a collection with citations, such as ``"litsearch"``, by id, as PyTerrier's object
            or as ir_datasets' own.

    Raises:
        ImportError: pyterrier_adaptive is not installed (names the extra that brings it).
        ValueError: the dataset is unknown, or has no citations.
    """
    try:
        from pyterrier_adaptive import CorpusGraph
    except ImportError as error:
        raise ImportError(
            "A citation graph needs pyterrier_adaptive: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error
    if not hasattr(datasets.irds(dataset), "citations"):
        raise ValueError(f"{dataset!r} has no citations: use a dataset that has, as 'litsearch'.")
    CorpusGraph.register(CitationGraph)
    return CitationGraph(dataset)


@dataclass(eq=False, repr=False)
class CitationGraph(BySettings):
    """A `pyterrier_adaptive.CorpusGraph` in memory, made by `citation_graph`.

    A document's number (``int`` in place of its id) is its position in the corpus, from 0.
    """

    dataset: object

    def __repr__(self):
        return super().__repr__().replace("CitationGraph", "citation_graph", 1)

    def neighbours(self, docid, weights=False):
        """The papers of the corpus that `docid` cites, as listed in the collection.

        Args:
            docid: an id (str), or a number (int).
            weights: whether to give the edges' weights too, which are all 1.

        Returns:
            A list of ids, or of an int an array of numbers, int64; of any length, 0 too. With
            `weights`, a pair: these, and an array as long, float32.

        Raises:
            KeyError, IndexError: there is no document of that id, of that number.
        """
        named = isinstance(docid, str)
        cited = self._cited(docid if named else self._ids[docid])
        found = [doc_id for doc_id in cited if doc_id in self._numbers]
        if not named:
            found = np.array([self._numbers[doc_id] for doc_id in found], dtype=np.int64)
        return (found, np.ones(len(found), dtype=np.float32)) if weights else found

    def dropped(self, docids) -> int:
        """How many papers outside the corpus the documents `docids` (ids) cite.

        They are no neighbours. Each counts as often as it is cited; 0 for a collection that leaves
        such papers out itself.
        """
        cited = map(self._cited, docids)
        return sum(doc_id not in self._numbers for doc_ids in cited for doc_id in doc_ids)

    def _cited(self, doc_id):
        return datasets.irds(self.dataset).citations(doc_id)

    @cached_property
    def _ids(self):
        return [doc.doc_id for doc in datasets.irds(self.dataset).docs_iter()]

    @cached_property
    def _numbers(self):
        return {doc_id: number for number, doc_id in enumerate(self._ids)}
