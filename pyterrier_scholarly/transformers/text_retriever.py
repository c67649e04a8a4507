"""First stage by one vector per text: exact search in all documents of a collection."""

import warnings
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import pandas as pd
import pyterrier as pt

from .. import datasets, frames
from ..encoders import as_encoder, vectors
from ..similarity.best import SIMILARITIES, Best
from ._templates import filled
from .step import Step
from .text_similarity import TextSimilarity

STORED = ("float32", "float16")
MANY = 10_000  # documents, beyond which it is said that vectors are not kept


@dataclass(eq=False, repr=False)
class TextRetriever(Step):
    """Retrieves the documents whose vectors are nearest to the query's: dense retrieval, exact.

    Topics are searched for in the whole collection; results are re-ranked as by `TextSimilarity`:
    a frame with a column `docno` is one of results. So ``retriever`` and ``bm25 >> retriever`` are
    both pipelines, and a document has the same score in both.

    The collection is gone through block by block, in each call: a block's texts are encoded (or
    their vectors taken from the encoder's `cache`) and compared with all queries. Memory holds one
    block, what the encoder remembers, and the best documents; so ask all topics at once. A process
    that is killed loses one block, if the encoder has a `cache`; without, a warning says so.

    As in LitSearch's code, a document is its text: of documents with equal texts the last is
    retrievable. Its index stores vectors in float16 and compares them by cosine in float64, which
    is done here with ``stored="float16"``. Of equal scores the later document comes first.

    Columns in: `qid`, `query`; of results `docno` as well. Columns out: the same and `docno`,
    `score` and `rank`, rows by query and rank. `score` is a cosine (-1 to 1) or a dot product.

    Args:
        encoder: see `TextSimilarity`.
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        num_results: documents per query, of a search.
        similarity: ``"cosine"`` or ``"dot"``.
        document: template of a document's text, of the fields of its record.
        stored: ``"float32"`` or ``"float16"``, to which vectors of both sides are rounded.
        block: texts that are encoded, and kept, together.
        verbose: show progress, in documents.

    Raises:
        ValueError: a query without text, `num_results` below 1, an unknown similarity, a template
            without a field or with one that documents do not have, NaN from a broken model.
    """

    encoder: object
    dataset: object
    num_results: int = 200
    similarity: str = field(default="cosine", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)
    stored: str = field(default="float32", kw_only=True)
    block: int = field(default=512, compare=False, repr=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def transform(self, topics):
        """Retrieve, or re-rank, and rank."""
        topics = frames.check(topics, self, ["qid", "query"], ["qid", "query", "docno"])
        self._check()
        encoder = _Stored(self.loaded(as_encoder), self.stored)
        if "docno" in topics.columns:
            known = {"dataset": self.dataset, "document": self.document}
            return TextSimilarity(encoder, similarity=self.similarity, **known)(topics)
        topics = topics.drop(columns=["score", "rank"], errors="ignore")
        if topics.empty:
            nothing = {"docno": pd.Series([], dtype=object), "score": pd.Series([], dtype=float)}
            return frames.ranked(topics.assign(**nothing))
        return frames.ranked(topics.merge(self._found(topics, encoder), on="qid"))

    def _check(self):
        if self.num_results < 1:
            raise ValueError(f"num_results={self.num_results!r}: it must be 1 at least.")
        for name, known in (("similarity", SIMILARITIES), ("stored", STORED)):
            if (value := getattr(self, name)) not in known:
                raise ValueError(f"{name}={value!r}: choose one of {known}.")

    def _found(self, topics, encoder):
        """The best documents: a frame `qid`, `docno`, `score`."""
        best = Best(encoder.encode_queries(topics["query"]), self.num_results, self.similarity)
        last, start = {}, 0
        for texts in self._blocks(last):
            best.add(np.arange(start, start + len(texts)), encoder.encode_documents(texts))
            start += len(texts)
        queries, numbers, scores = best.rows()
        docnos = np.array(list(last.values()), dtype=object)
        qids = topics["qid"].to_numpy()[queries]
        return pd.DataFrame({"qid": qids, "docno": docnos[numbers.astype(int)], "score": scores})

    def _blocks(self, last):
        """Yield lists of distinct texts; `last` gets, in their order, the last document of each."""
        dataset, texts = datasets.irds(self.dataset), []
        count = dataset.docs_count()
        if count > MANY and not getattr(self.encoder, "cache", None):
            warnings.warn(
                f"Vectors of {count:,} documents of {self.dataset} are not kept on disk: another "
                "process encodes them again. Use an encoder with a cache: "
                "systems(…, cache=True), WholeText(…, cache=True).",
                stacklevel=5,
            )
        bar = {"total": count, "desc": "searching", "unit": "document", "disable": not self.verbose}
        for record in pt.tqdm(dataset.docs_iter(), **bar):
            text = filled(self.document, record)
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest not in last:  # texts themselves would not fit into memory
                texts.append(text)
            last[digest] = record.doc_id
            if len(texts) == self.block:
                yield texts
                texts = []
        if texts:
            yield texts


class _Stored:
    """An encoder whose vectors are rounded as they would be stored."""

    def __init__(self, encoder, precision):
        self._encoder, self._precision = encoder, precision

    def encode_queries(self, texts):
        """Vectors (n, d)."""
        return self._rounded(vectors(self._encoder.encode_queries, texts))

    def encode_documents(self, texts):
        """Vectors (n, d)."""
        return self._rounded(vectors(self._encoder.encode_documents, texts))

    def _rounded(self, made):
        return made.astype(self._precision).astype(np.float32)
