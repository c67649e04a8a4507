"""Rank CSFCube's pools by Terrier's BM25.

system = terrier_bm25("csfcube/method", index="terrier-index")
run = system(pt.get_dataset("irds:csfcube/method").get_topics("query"))
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from ..datasets import DatasetLike
from ..step import Count, Step
from ..transformers import FacetQuery, Pool


def terrier_bm25(
    dataset: DatasetLike, index: object, num_results: Count = 100_000
) -> pt.Transformer:
    """Rank the pool by Terrier's BM25 over `index`; candidates that it does not find come last.

    Args:
        dataset: ``"irds:csfcube/method"``, another facet or `all`.
        index: a Terrier index of the dataset's documents, for example of
            ``pt.terrier.IterDictIndexer(path).index(dataset.get_corpus_iter())``.
        num_results: how many documents Terrier retrieves before the restriction to the pool. The
            default exceeds the collection's size, so that no candidate with a query word is lost.
    """
    pool = Pool(dataset).restrict(missing="append")
    return FacetQuery(dataset) >> TerrierBM25(index, num_results) >> pool


class TerrierBM25(Step):
    """Rank an index's documents by Terrier's BM25; an index on disk stands for its files."""

    index: Any
    num_results: Count

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve documents for each query."""
        pipeline = self.held("pipeline", self._build_pipeline, self.num_results)
        return pipeline(topics)

    def _build_pipeline(self) -> pt.Transformer:
        """Return Terrier's retriever, with each query as plain words."""
        retriever = pt.terrier.Retriever(self.index, wmodel="BM25", num_results=self.num_results)
        # Terrier's query parser throws on some characters (`^` in a CSFCube query), hence tokenise
        return pt.rewrite.tokenise() >> retriever >> pt.rewrite.reset()

    def __fingerprint__(self) -> dict[str, object]:
        """Return the settings that a fingerprint is made of.

        An index on disk is its folder, so that the fingerprint changes with the folder's files. An
        index in memory stays the object that it is.
        """
        settings = super().__fingerprint__()
        index_file = Path(self._read_reference())
        is_on_disk = index_file.is_file()
        settings["index"] = index_file.parent if is_on_disk else self.index
        return settings

    def _read_reference(self) -> Any:
        """Return where the index is: the path of its file, or another text for one in memory.

        The index is Java's object of an opened index, Java's reference to one, or a path.
        """
        reference = self.index
        if hasattr(reference, "getIndexRef"):  # an opened index
            reference = reference.getIndexRef()
        if hasattr(reference, "toString"):  # a reference
            reference = reference.toString()
        return reference
