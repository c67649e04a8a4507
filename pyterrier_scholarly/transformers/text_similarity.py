"""Ranking by one vector per text: of the query, and of each whole document."""

from dataclasses import dataclass, field

import numpy as np

from .. import frames
from ..encoders import as_encoder, as_passage_encoder, vectors
from ..similarity.maxsim import similarity_called
from . import _passages, _templates
from .step import Step


@dataclass(eq=False, repr=False)
class TextSimilarity(Step):
    """Score documents by how near the vector of their text is to that of the query's.

    What texts are is said by two templates, as `str.format` takes them. ``"{title} {text}"`` is a
    document's title and abstract; ``"{title}[SEP]{text}"`` what SPECTER reads. A query by example
    is ``query="{query_title}[SEP]{query_text}"``: the query's paper in the form of a document.

    Columns in: `qid`, `docno`, and the templates' fields: of `document` a field of the dataset's
    document `docno`, or without a dataset a column; of `query` a column, but with a dataset
    ``query_title``, ``query_text`` and the like are fields of its document `query_docno`. Columns
    out: the same and `score` and `rank`, rows by query and rank. `score` is a cosine (-1 to 1), a
    dot product, or minus a distance (up to 0).

    With a `context` the texts are not said by templates: they are title and sentences of a paper,
    behind `FacetQuery` and `Sentences`. ``"facet"`` takes the sentences of the facet on both sides
    (Definition 1 of [Mysore2021]; all where a candidate has none), ``"abstract"`` all. Scores are
    cosines; a candidate without title and sentences has -1.

    Every distinct text is encoded once per call, however many rows share it.

    Args:
        encoder: a sentence-transformers model or its name, `encoders.WholeText` or another
            `encoders.Encoder`, a pyterrier_dr bi-encoder, a function from texts to vectors; in a
            context what `SentenceMaxSim` takes there (the mean of all tokens of a passage).
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance); cosine in a context.
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.
        query: template of a query's text.
        document: template of a document's text.
        context: ``"facet"`` or ``"abstract"``, instead of templates and dataset; None for none.
        batch_size: texts per batch of an encoder that takes batches; it does not change the scores.
        verbose: show the encoder's progress.

    Raises:
        ValueError: an unknown similarity, a template without a field or with one that documents do
            not have, texts that are NaN, a query without text, NaN from a broken model; names the
            rows.
    """

    encoder: object
    similarity: str = field(default="cosine", kw_only=True)
    dataset: object = field(default=None, kw_only=True)
    query: str = field(default="{query}", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)
    batch_size: int = field(default=32, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)
    context: str | None = field(default=None, kw_only=True)

    def transform(self, results):
        """Score and rank."""
        of, _ = similarity_called(self.similarity)
        if self.context is not None:
            return frames.ranked(_passages.scored(results, self))
        results, queries, documents = _templates.both(results, self)
        scores = np.empty(len(results))
        if len(results):
            (ours, our), (theirs, their) = self._vectors(queries, documents)
            for rows in frames.rows_by_query(results):
                scores[rows] = of(ours[our[rows[:1]]], theirs[their[rows]])[0]
        return frames.ranked(results.assign(score=scores))

    def explained(self, row):
        """What the score of a frame's one row is made of: `Matches`; None without a context."""
        return _passages.explained(row, self) if self.context is not None else None

    def encoder_used(self):
        """The encoder: of passages in a context, else of texts."""
        if self.context is not None:
            return self.loaded(as_passage_encoder)
        return self.loaded(as_encoder, batch_size=self.batch_size, verbose=self.verbose)

    def _vectors(self, queries, documents):
        """For each side the vectors of its distinct texts (u, d), and which is each row's (n,)."""
        encoder = self.encoder_used()
        if getattr(encoder, "symmetric", False):
            found, numbers = _encoded(encoder.encode_documents, [*queries, *documents])
            return (found, numbers[: len(queries)]), (found, numbers[len(queries) :])
        return (
            _encoded(encoder.encode_queries, queries),
            _encoded(encoder.encode_documents, documents),
        )


def _encoded(encode, texts):
    number = {text: n for n, text in enumerate(dict.fromkeys(texts))}
    return vectors(encode, number, sparse=True), np.array([number[text] for text in texts])
