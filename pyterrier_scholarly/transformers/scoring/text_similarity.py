"""Rank by one vector per text: of the query, and of each whole document."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
import pandas as pd

from ... import encoders, frames
from ...arguments import Count, Template
from ...similarity import LOWEST, similarity_called
from ...similarity.contributions import Matches, of_wholes
from ...similarity.documents import products
from ...text.contexts import Paper
from ..step import Step
from . import both_texts
from .sides import Asked, papers_of, passage_pairs, places_read

CONTEXTS = ("facet", "abstract")
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
    `FacetQuery` and `Sentences` come before this step. ``"facet"`` takes the sentences of the facet
    on both sides (Definition 1 of [Mysore2021]; all if a candidate has none), ``"abstract"`` all.
    Scores are cosines; a candidate without title and sentences has -1.

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

    encoder: object
    similarity: str = field(default="cosine", kw_only=True)
    dataset: object = field(default=None, kw_only=True)
    query: Template = field(default="{query}", kw_only=True)
    document: Template = field(default="{title} {text}", kw_only=True)
    batch_size: Count = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)
    context: str | None = field(default=None, kw_only=True)

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        similarity, _ = similarity_called(self.similarity)
        if self.context is not None:
            return self._in_context(results)
        results, queries, documents = both_texts(results, self)
        scores = np.empty(len(results))
        if len(results):
            (ours, our), (theirs, their) = self._vectors(queries, documents)
            for rows in frames.rows_by_query(results):
                scores[rows] = similarity(ours[our[rows[:1]]], theirs[their[rows]])[0]
        return frames.ranked(results.assign(score=scores))

    def _in_context(self, results: pd.DataFrame) -> pd.DataFrame:
        self.chosen("context", CONTEXTS)
        results, papers, asked = papers_of(results, self)
        scores = self._passage_scores(papers, asked) if papers else np.zeros(0)
        return frames.ranked(results.assign(score=scores))

    def _passage_scores(self, papers: Sequence[Paper], asked: Sequence[Asked]) -> np.ndarray:
        """Return the cosines (n,) of the passages of candidates and queries.

        A candidate's passage without text has the lowest score.
        """
        passages, pairs = passage_pairs(papers, asked, self.context == "abstract")
        # of an empty text, a model returns the mean of its special tokens, which is near all others
        written = np.array([any(map(str.strip, passage)) for passage in passages])
        encoded = encoders.passage_vectors(
            self._passage_encoder(), list(compress(passages, written))
        )
        whole = np.zeros((len(passages), encoded.shape[1]), dtype=encoded.dtype)
        whole[written] = encoded
        return np.where(written[pairs[:, 1]], products(whole, whole, pairs), LOWEST)

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Explain the score of a frame's one row by sentences; None without a context."""
        if self.context is None:
            return None
        _, (paper,), (query,) = papers_of(row, self)
        encoder, whole = self._passage_encoder(), self.context == "abstract"
        ours = places_read(query.paper, whole, query.facet, query.places)
        theirs = places_read(paper, whole, query.facet)
        passages = [query.paper.passage(ours), paper.passage(theirs)]
        asking, candidate = encoder.encode_passages(passages)
        (offered,) = encoders.sentence_vectors(encoder, [paper], self.context)
        return of_wholes(asking, candidate, list(map(ours.index, query.places)), theirs, offered)

    def encoder_used(self) -> encoders.Encoder | encoders.PassageEncoder:
        """Return the encoder: of passages in a context, else of texts."""
        return self._encoder() if self.context is None else self._passage_encoder()

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


def _encoded(encode: Callable[[list[str]], np.ndarray], texts: list[str]) -> Vectors:
    number = {text: n for n, text in enumerate(dict.fromkeys(texts))}
    return encoders.vectors(encode, number, sparse=True), np.array([number[text] for text in texts])
