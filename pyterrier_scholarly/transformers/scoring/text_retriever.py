"""Retrieve by one vector per text: exact search in all documents of a collection."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Annotated

import numpy as np
import pandas as pd

from ... import datasets, frames
from ...arguments import Count, Template, one_of
from ...datasets import DatasetLike
from ...encoders import Encoder, EncoderLike, as_encoder, vectors
from ...progress import counted
from ...similarity.k_best import SIMILARITIES, Best
from ..step import Step
from . import filled
from .text_similarity import TextSimilarity

STORED = ("float32", "float16")
MANY = 10_000  # documents; for more, a missing cache is warned about


@dataclass(eq=False, repr=False)
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
    similarity: Annotated[str, one_of(SIMILARITIES)] = field(default="cosine", kw_only=True)
    document: Template = field(default="{title} {text}", kw_only=True)
    stored: Annotated[str, one_of(STORED)] = field(default="float32", kw_only=True)
    block: Count = field(default=512, compare=False, repr=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Retrieve, or re-rank, and rank."""
        topics = frames.check(topics, self, ["qid", "query"], ["qid", "query", "docno"])
        encoder = _Stored(self.loaded(as_encoder), self.stored)
        if "docno" in topics.columns:
            return TextSimilarity(
                encoder, similarity=self.similarity, dataset=self.dataset, document=self.document
            )(topics)
        return frames.retrieved(topics, [self._best(topics, encoder)] if len(topics) else [])

    def _best(self, topics: pd.DataFrame, encoder: "_Stored") -> pd.DataFrame:
        """Return the best documents: a frame `qid`, `docno`, `score`."""
        last: dict[bytes, str] = {}
        best = Best(encoder.encode_queries(topics["query"]), self.num_results, self.similarity)
        for texts in self._blocks(last):
            new = np.arange(len(last) - len(texts), len(last))
            best.add(new, encoder.encode_documents(texts))
        queries, numbers, scores = best.rows()
        docnos = np.array(list(last.values()), dtype=object)
        qids = topics["qid"].to_numpy()[queries]
        return pd.DataFrame({"qid": qids, "docno": docnos[numbers.astype(int)], "score": scores})

    def _blocks(self, last: dict[bytes, str]) -> Iterator[list[str]]:
        """Yield lists of distinct texts; `last` gets the last document of each, in their order."""
        dataset = datasets.irds(self.dataset)
        texts: list[str] = []
        count = dataset.docs_count() or 0  # other people's datasets may not know it
        if count > MANY and not getattr(self.encoder, "cache", None):
            warnings.warn(
                f"Vectors of {count:,} documents of {self.dataset} are not cached: another "
                "process must encode them again. Use an encoder with a cache: "
                "systems(…, cache=True), WholeText(…, cache=True).",
                stacklevel=5,
            )
        for record in counted(
            dataset.docs_iter(), "searching", "document", count or None, self.verbose
        ):
            text = filled(self.document, record)
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest not in last:  # the texts themselves would not fit into memory
                texts.append(text)
            last[digest] = record.doc_id
            if len(texts) == self.block:
                yield texts
                texts = []
        if texts:
            yield texts


class _Stored:
    """An encoder whose vectors are rounded to a precision."""

    def __init__(self, encoder: Encoder, precision: str) -> None:
        self._encoder, self._precision = encoder, precision

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return rounded vectors (n, d)."""
        return self._rounded(self._encoder.encode_queries, texts)

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        """Return rounded vectors (n, d)."""
        return self._rounded(self._encoder.encode_documents, texts)

    def _rounded(self, encode: Callable[[list[str]], np.ndarray], texts: list[str]) -> np.ndarray:
        return vectors(encode, texts).astype(self._precision).astype(np.float32)
