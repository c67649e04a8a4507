"""Rank by one vector per text: of the query, and of each whole document."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import compress
from typing import Annotated, Literal

import numpy as np
import pandas as pd

from ... import encoders, frames
from ...arguments import Count, Template, one_of
from ...datasets import DatasetLike
from ...encoders import EncoderLike
from ...similarity import LOWEST, SIMILARITIES, similarity_called
from ...similarity.contributions import Matches, split_passage_cosine
from ...similarity.document_pairs import products
from ...text.contexts import Passage
from ..step import Step
from . import both_texts
from .sides import Rows, needed_in_context, passage_pairs, positions_read, read_rows

Vectors = tuple[np.ndarray, np.ndarray]  # of distinct texts (u, d), and which is each row's (n,)


@dataclass(eq=False, repr=False)
class TextSimilarity(Step):
    """Score documents by how near the vector of their text is to that of the query's.

    Two templates, as in `str.format`, make the texts. ``"{title} {text}"`` is a document's title
    and abstract; ``"{title}[SEP]{text}"`` is SPECTER's input. A query by example is
    ``query="{query_title}[SEP]{query_text}"``: the query's paper in the form of a document.

    Columns in: `qid`, `docno`, and the templates' fields. A field of `document` is a field of the
    dataset's document `docno`, or without a dataset a column. A field of `query` is a column; with
    a dataset, ``query_title``, ``query_text`` and the like are fields of its document
    `query_docno`. Columns out: the same and `score` and `rank`, rows by query and rank. `score` is
    a cosine (-1 to 1), a dot product, or minus a distance (up to 0).

    With a `context`, templates are ignored: the texts are title and sentences of a paper, and
    `FacetQuery` and `Sentences` come before this step. ``"facet"`` takes the query's sentences and
    the candidate's of the same facet (Definition 1 of [Mysore2021]; all if it has none),
    ``"abstract"`` all. Scores are cosines; a candidate without title and sentences has -1. Columns
    in: `query_paper_sentences`, `query_title`, `sentences` and `title`; for ``"facet"`` also
    `query_sentence_ids`, `facet` and `labels`.

    Every distinct text is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, `encoders.WholeText` or another
            `encoders.Encoder`, a pyterrier_dr bi-encoder, a function from texts to vectors; with a
            context, those of `SentenceMaxSim` in a context (the mean of all tokens of a passage).
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance); ignored in a context.
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        query: template of a query's text.
        document: template of a document's text.
        context: ``"facet"`` or ``"abstract"``, instead of templates and dataset, or None.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: an unknown similarity, an unknown context, a template without a field or with
            an unknown one, texts that are NaN, a query without text, NaN from a broken model; names
            the rows.
    """

    encoder: EncoderLike
    similarity: Annotated[str, one_of(SIMILARITIES)] = field(default="cosine", kw_only=True)
    dataset: DatasetLike | None = field(default=None, kw_only=True)
    query: Template = field(default="{query}", kw_only=True)
    document: Template = field(default="{title} {text}", kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)
    context: Literal["facet", "abstract"] | None = field(default=None, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        self.check_settings()
        if self.context is not None:
            rows = self._read(results)
            scores, _ = self._score_passages(rows)
            return frames.ranked(rows.frame.assign(score=scores))

        results, queries, documents = both_texts(results, self)
        scores = np.empty(len(results))
        if len(results):
            compare = similarity_called(self.similarity)
            (ours, our), (theirs, their) = self._vectors(queries, documents)
            for query_rows in frames.rows_by_query(results):
                scores[query_rows] = compare(ours[our[query_rows[:1]]], theirs[their[query_rows]])[
                    0
                ]
        return frames.ranked(results.assign(score=scores))

    def explain_ranking(
        self, results: pd.DataFrame, docno: str
    ) -> tuple[pd.DataFrame, Matches | None]:
        """Rank as `transform` does, and explain one score by sentences; None without a context."""
        if self.context is None:
            return self.transform(results), None
        rows = self._read(results)
        scores, arrays = self._score_passages(rows)

        row = rows.frame["docno"].tolist().index(docno)
        paper, query = rows.papers[row], rows.queries[row]
        is_whole = self.context == "abstract"
        query_positions = positions_read(query.paper, is_whole, query.facet, query.positions)
        positions = positions_read(paper, is_whole, query.facet)
        matches = split_passage_cosine(
            arrays[query.paper.passage(query_positions)],
            arrays[paper.passage(positions)],
            [query_positions.index(position) for position in query.positions],
            positions,
        )
        return frames.ranked(rows.frame.assign(score=scores)), matches

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Explain the score of a frame's one row by sentences; None without a context."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

    def _read(self, results: pd.DataFrame) -> Rows:
        """Check a frame, and make papers and queries of it."""
        if self.context == "abstract":  # which sentences ask changes no score
            needed = needed_in_context(asks=False, title=True)
        else:
            needed = needed_in_context(title=True, labels=True, facet=True)
        return read_rows(results, self, needed)

    def _score_passages(self, rows: Rows) -> tuple[np.ndarray, dict[Passage, np.ndarray]]:
        """Return the cosines (n,) of candidates' and queries' passages, and these by passage.

        A candidate's passage without text has the lowest score.
        """
        if rows.frame.empty:
            return np.zeros(0), {}
        is_whole = self.context == "abstract"
        passages, pairs = passage_pairs(rows.papers, rows.queries, is_whole)

        # of an empty text, a model returns the mean of its special tokens, which is near all others
        has_text = np.array([any(map(str.strip, passage)) for passage in passages])
        encoder = _Keeping(self._passage_encoder())
        encoded = encoders.passage_vectors(encoder, list(compress(passages, has_text)))
        vectors = np.zeros((len(passages), encoded.shape[1]), dtype=encoded.dtype)
        vectors[has_text] = encoded

        cosines = products(vectors, vectors, pairs)
        return np.where(has_text[pairs[:, 1]], cosines, LOWEST), encoder.arrays

    def _encoder(self) -> encoders.Encoder:
        return self.loaded(encoders.as_encoder, batch_size=self.batch_size, verbose=self.verbose)

    def _passage_encoder(self) -> encoders.PassageEncoder:
        return self.loaded(encoders.as_passage_encoder)

    def _vectors(self, queries: list[str], documents: list[str]) -> tuple[Vectors, Vectors]:
        encoder = self._encoder()
        if getattr(encoder, "symmetric", False):
            encoded, numbers = _encoded(encoder.encode_documents, [*queries, *documents])
            return (encoded, numbers[: len(queries)]), (encoded, numbers[len(queries) :])
        ours = _encoded(encoder.encode_queries, queries)
        return ours, _encoded(encoder.encode_documents, documents)


class _Keeping:
    """An encoder of passages over another, which keeps what that returned.

    A model computes slightly other vectors in another batch, so an explanation needs the same.
    """

    def __init__(self, encoder: encoders.PassageEncoder) -> None:
        self._encoder = encoder
        self.arrays: dict[Passage, np.ndarray] = {}

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Encode by the other."""
        arrays = self._encoder.encode_passages(passages)
        self.arrays.update(zip(passages, arrays))
        return arrays


def _encoded(encode: Callable[[list[str]], np.ndarray], texts: list[str]) -> Vectors:
    number = {text: n for n, text in enumerate(dict.fromkeys(texts))}
    return encoders.vectors(encode, number, sparse=True), np.array([number[text] for text in texts])
