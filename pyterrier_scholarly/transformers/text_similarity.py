"""Rank by one vector per text: of the query, and of each whole document.

TextSimilarity("allenai/specter", document="{title}[SEP]{text}", dataset="csfcube")(results)
"""

from dataclasses import KW_ONLY, field
from typing import Literal

import numpy as np
import pandas as pd

from ..encoders import EncoderLike, as_encoder, vectors
from ..similarity.vectors import SIMILARITIES
from ..step import Count, rows_by_query
from .text_templates import DOCUMENTS, QUERIES, TemplatedStep


class TextSimilarity(TemplatedStep):
    """Score documents by how near the vector of their text is to that of the query's.

    Two templates, as in `str.format`, make the texts. ``"{title} {text}"`` is a document's title
    and abstract; ``"{title}[SEP]{text}"`` is SPECTER's input. A query by example is
    ``query="{query_title}[SEP]{query_text}"``: the query's paper in the form of a document.

    Columns in: `qid`, `docno`, and the templates' fields. A field of `document` is a field of the
    dataset's document `docno`, or without a dataset a column. A field of `query` is a column; with
    a dataset, ``query_title``, ``query_text`` and the like are fields of its document
    `query_docno`. Columns out: the same and `score` and `rank`, rows by query and rank. `score` is
    a cosine (-1 to 1), a dot product, or minus a distance (up to 0). For vectors of papers in the
    form of `FacetQuery` and `PaperLoader`, see `PaperSimilarity`.

    Every distinct text is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, another `encoders.Encoder`, a
            pyterrier_dr bi-encoder, a function from texts to vectors.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        query: template of a query's text.
        document: template of a document's text.
        batch_size: texts per call of a function or a bi-encoder; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: an unknown similarity, a template without a field or with
            an unknown one, texts that are NaN, a query without text, NaN from a broken model; names
            the rows.
    """

    encoder: EncoderLike
    _: KW_ONLY
    similarity: Literal["cosine", "dot", "l2"] = "cosine"
    batch_size: Count = 32
    verbose: bool = field(default=False, compare=False, repr=False)

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,)."""
        query_texts = np.array(self.fill(results, QUERIES), dtype=object)  # (rows,)
        document_texts = np.array(self.fill(results, DOCUMENTS), dtype=object)

        # each distinct text is encoded once: number its vector, and say which one a row has
        query_numbers, distinct_queries = pd.factorize(query_texts)
        document_numbers, distinct_documents = pd.factorize(document_texts)
        encoder = self.loaded(as_encoder, batch_size=self.batch_size, verbose=self.verbose)
        query_vectors = vectors(encoder, distinct_queries, "query", sparse=True)
        document_vectors = vectors(encoder, distinct_documents, "document", sparse=True)

        scores = np.empty(len(results))
        compare = SIMILARITIES[self.similarity].compare
        for rows in rows_by_query(results):
            query_number = query_numbers[rows[0]]  # all rows of a query have the same
            query_vector = query_vectors[[query_number]]  # (1, d)
            candidate_vectors = document_vectors[document_numbers[rows]]  # (k, d)
            scores[rows] = compare(query_vector, candidate_vectors)[0]
        return scores
