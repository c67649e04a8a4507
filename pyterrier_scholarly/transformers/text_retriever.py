"""Retrieve by one vector per text: exact search in all documents of a collection.

    TextRetriever("sentence-transformers/all-MiniLM-L6-v2", "litsearch")(topics)

The collection is read block by block, so that memory holds one block.
"""

import warnings
from dataclasses import KW_ONLY, field
from typing import Literal

import numpy as np
import pandas as pd
from more_itertools import chunked

from .. import datasets
from ..datasets import DatasetLike
from ..encoders import Encoder, EncoderLike, as_encoder, vectors
from ..encoders.encoder_protocols import Side
from ..progress import counted
from ..similarity.k_best import Best
from ..step import Count, Step, retrieved
from .text_similarity import TextSimilarity
from .text_templates import DistinctTexts

MANY_DOCUMENTS = 10_000  # for more, a missing cache is warned about


class TextRetriever(Step):
    """Retrieve the documents whose vectors are nearest to the query's: dense retrieval, exact.

    Topics are searched for in the whole collection. A frame with a column `docno` holds results;
    these are re-ranked as by `TextSimilarity`. So ``retriever`` and ``bm25 >> retriever`` are both
    pipelines, and a document has the same score in both.

    Each call reads the collection block by block: a block's texts are encoded (or their vectors
    read from the encoder's `cache`) and compared with all queries. Memory holds one block, what the
    encoder caches, and the best documents; so pass all topics at once. With a `cache`, a killed
    process loses one block; without, a warning says that it loses all.

    As in LitSearch's code, only the last of several documents with equal texts is retrievable. Its
    index stores vectors in float16 and compares them by cosine in float64; ``stored="float16"``
    does the same. Of equal scores, the later document comes first.

    Columns in: `qid`, `query`; of results `docno` as well. Columns out: the same and `docno`,
    `score` and `rank`, rows by query and rank. `score` is a cosine (-1 to 1) or a dot product.

    Args:
        encoder: see `TextSimilarity`.
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        num_results: documents per query, of a search.
        similarity: ``"cosine"`` or ``"dot"``.
        document: template of a document's text, of the fields of its record.
        stored: ``"float32"`` or ``"float16"``; vectors of both sides are rounded to it.
        block: texts that are encoded, and cached, together.
        verbose: show progress, in documents.

    Raises:
        ValueError: a query without text, `num_results` below 1, an unknown similarity, a template
            without a field or with an unknown one, NaN from a broken model.
    """

    encoder: EncoderLike
    dataset: DatasetLike
    num_results: Count = 200
    _: KW_ONLY
    similarity: Literal["cosine", "dot"] = "cosine"
    document: str = "{title} {text}"
    stored: Literal["float32", "float16"] = "float32"
    block: Count = field(default=512, compare=False, repr=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve, or re-rank, and rank."""
        topics = self.check(topics, ["qid", "query"])
        loaded_encoder = self.loaded(as_encoder)
        encoder = RoundingEncoder(loaded_encoder, self.stored)

        if "docno" in topics.columns:  # these documents are only re-ranked
            similarity = TextSimilarity(
                encoder, similarity=self.similarity, dataset=self.dataset, document=self.document
            )
            return similarity(topics)

        if topics.empty:
            return retrieved(topics, [])
        results_of_all_topics = self._search(topics, encoder)
        return retrieved(topics, [results_of_all_topics])

    def _search(self, topics: pd.DataFrame, encoder: "RoundingEncoder") -> pd.DataFrame:
        """Return the best documents of all topics: a frame `qid`, `docno`, `score`."""
        dataset = datasets.irds(self.dataset)
        document_count = dataset.docs_count() or 0  # None if it does not know it
        if document_count > MANY_DOCUMENTS and not getattr(self.encoder, "cache", None):
            warnings.warn(
                f"Vectors of {document_count:,} documents of {self.dataset} are not cached: "
                "another process must encode them again. Use an encoder with a cache: "
                "systems(…, cache=True), SentenceTransformer(…, cache=True).",
                stacklevel=4,  # the line that calls this step
            )

        query_vectors = encoder.encode(topics["query"].tolist(), "query")
        best = Best(query_vectors, self.num_results, self.similarity)

        records = counted(
            dataset.docs_iter(), "searching", "document", document_count or None, self.verbose
        )
        distinct_texts = DistinctTexts(records, self.document)
        text_count = 0  # of earlier blocks
        for block in chunked(distinct_texts, self.block):
            numbers = np.arange(text_count, text_count + len(block))
            best.add(numbers, encoder.encode(block, "document"))
            text_count += len(block)

        rows = best.rows()
        docnos = np.array(distinct_texts.docnos, dtype=object)
        return pd.DataFrame(
            {
                "qid": topics["qid"].to_numpy()[rows.queries],
                "docno": docnos[rows.ids.astype(int)],
                "score": rows.scores,
            }
        )


class RoundingEncoder:
    """An encoder over another, whose vectors are rounded to a precision."""

    def __init__(self, encoder: Encoder, precision: str) -> None:
        self._encoder = encoder
        self._precision = precision

    def encode(self, texts: list[str], side: Side) -> np.ndarray:
        """Return the vectors (n, d) of texts, float32 numbers of the lower precision."""
        exact = vectors(self._encoder, texts, side)
        return exact.astype(self._precision).astype(np.float32)
