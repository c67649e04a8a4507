"""Rank by one vector per text: of the query, and of each whole document.

    TextSimilarity("allenai/specter", document="{title}[SEP]{text}", dataset="csfcube")(results)

Templates make the texts; in a context, they are titles and sentences of papers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd

from ... import encoders, frames
from ...arguments import Count, Template, one_of
from ...datasets import DatasetLike
from ...encoders import Encoder, EncoderLike, PassageEncoder
from ...similarity import LOWEST, SIMILARITIES, similarity_called
from ...similarity.contributions import Matches, split_passage_cosine
from ...similarity.document_pairs import products
from ...text.contexts import Paper, Passage
from ..step import Step
from .paper_rows import (
    PaperColumns,
    PaperRows,
    Query,
    choose_positions,
    choose_query_positions,
    number_passages,
    read_paper_rows,
)
from .side_texts import TextsOfSides
from .text_templates import TextRows, read_texts


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
        """Return the rows with their score, ranked: by texts, or in a context by passages."""
        self.check_settings()
        if self.context is None:
            text_rows = read_texts(results, self)
            scores = self._score_texts(text_rows)
            return frames.ranked(text_rows.frame.assign(score=scores))

        paper_rows = self._read_papers(results)
        passage_scores = self._score_passages(paper_rows).scores
        return frames.ranked(paper_rows.frame.assign(score=passage_scores))

    def explain_ranking(
        self, results: pd.DataFrame, docno: str
    ) -> tuple[pd.DataFrame, Matches | None]:
        """Return the ranking of `transform`, and what explains the score of one document.

        Args:
            results: see `transform`.
            docno: the document to explain, in its first row.

        Returns:
            The ranking; and what each pair of a sentence of the query and one of the document adds
            to the score, None without a context.
        """
        if self.context is None:
            return self.transform(results), None

        paper_rows = self._read_papers(results)
        scored = self._score_passages(paper_rows)
        ranking = frames.ranked(paper_rows.frame.assign(score=scored.scores))

        row_number = paper_rows.frame["docno"].tolist().index(docno)
        matches = self._split_score(
            query=paper_rows.queries[row_number],
            paper=paper_rows.papers[row_number],
            array_of_passage=scored.array_of_passage,
        )
        return ranking, matches

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Explain the score of a frame's one row by sentences; None without a context."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches

    @property
    def _is_whole(self) -> bool:
        """Whether passages are whole papers."""
        return self.context == "abstract"

    def _split_score(
        self, query: Query, paper: Paper, array_of_passage: Mapping[Passage, np.ndarray]
    ) -> Matches:
        """Return what each pair of a query's and a paper's sentences adds to their score.

        array_of_passage: the arrays from which scores were computed, see `ScoredPassages`.
        """
        # a passage has some sentences of its paper; these are their positions in the paper
        query_positions = choose_query_positions(query, self._is_whole)
        paper_positions = choose_positions(paper, query.facet, self._is_whole)
        query_passage = query.paper.passage(query_positions)
        paper_passage = paper.passage(paper_positions)

        # where the asking sentences stand in the passage: sentence 7 of a paper whose passage has
        # the sentences 5 and 7 has position 1 there
        positions_in_passage = [query_positions.index(position) for position in query.positions]
        return split_passage_cosine(
            array_of_passage[query_passage],
            array_of_passage[paper_passage],
            asked=positions_in_passage,
            columns=paper_positions,
        )

    def _score_texts(self, rows: TextRows) -> np.ndarray:
        """Return the similarity (n,) of each row's query and document."""
        scores = np.empty(len(rows.frame))
        if rows.frame.empty:  # zero rows need no encoder
            return scores

        encoder: Encoder = self.loaded(
            encoders.as_encoder, batch_size=self.batch_size, verbose=self.verbose
        )
        encoded = _encode_texts(encoder, rows.queries, rows.documents)
        compare = similarity_called(self.similarity)
        for query_rows in frames.rows_by_query(rows.frame):
            # the rows have one query; as an array of one number, it selects an array of one vector
            query_numbers = encoded.query_of_row[query_rows[:1]]
            query_vectors = encoded.query_vectors[query_numbers]  # (1, d)
            document_numbers = encoded.document_of_row[query_rows]
            document_vectors = encoded.document_vectors[document_numbers]  # (k, d)

            similarities = compare(query_vectors, document_vectors)  # (1, k)
            scores[query_rows] = similarities[0]
        return scores

    def _read_papers(self, results: pd.DataFrame) -> PaperRows:
        """Check a frame, and make papers and queries of it."""
        if self._is_whole:  # which sentences ask changes no score
            needed = PaperColumns(asking=False, titles=True)
        else:
            needed = PaperColumns(titles=True, labels=True, facet=True)
        return read_paper_rows(results, self, needed)

    def _score_passages(self, rows: PaperRows) -> "ScoredPassages":
        """Compute the cosines of candidates' and queries' passages.

        A candidate's passage without text has the lowest score.
        """
        if rows.frame.empty:
            return ScoredPassages(np.zeros(0), {})

        # distinct passages, and of each row the numbers of its query's and its candidate's passage
        passages, pairs = number_passages(rows, self._is_whole)
        # of an empty text, a model returns the mean of its special tokens, which is near all others
        has_text = np.array([any(text.strip() for text in passage) for passage in passages])
        with_text = [passage for passage, is_read in zip(passages, has_text) if is_read]

        encoder = _KeepingEncoder(self.loaded(encoders.as_passage_encoder))
        encoded = encoders.passage_vectors(encoder, with_text)
        vectors = np.zeros((len(passages), encoded.shape[1]), dtype=encoded.dtype)
        vectors[has_text] = encoded

        cosines = products(vectors, vectors, pairs)
        candidate_has_text = has_text[pairs[:, 1]]
        scores = np.where(candidate_has_text, cosines, LOWEST)
        return ScoredPassages(scores, encoder.arrays)


class ScoredPassages(NamedTuple):
    """Scores by passages, and what they were computed from.

    Attributes:
        scores: (n,), of the rows.
        array_of_passage: what the encoder returned for each passage: (2 + k, d), the vectors of the
            whole, of the title, and of its k sentences.
    """

    scores: np.ndarray
    array_of_passage: dict[Passage, np.ndarray]


class _KeepingEncoder:
    """An encoder of passages over another, which keeps what that returned.

    A model computes slightly other vectors in another batch, so an explanation needs the same.
    """

    def __init__(self, encoder: PassageEncoder) -> None:
        self._encoder = encoder
        self.arrays: dict[Passage, np.ndarray] = {}

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return the wrapped encoder's arrays for the passages, and keep them by passage."""
        arrays = self._encoder.encode_passages(passages)
        for passage, array in zip(passages, arrays):
            self.arrays[passage] = array
        return arrays


class EncodedTexts(NamedTuple):
    """The vectors of n rows' texts; each distinct text has one.

    Attributes:
        query_vectors, document_vectors: (u, d), of the distinct texts of either side. Both are the
            same array if the encoder is symmetric.
        query_of_row, document_of_row: (n,), the number of each row's vector there.
    """

    query_vectors: np.ndarray
    document_vectors: np.ndarray
    query_of_row: np.ndarray
    document_of_row: np.ndarray


def _encode_texts(
    encoder: Encoder, queries: Sequence[str], documents: Sequence[str]
) -> EncodedTexts:
    """Encode each distinct text of both sides once."""
    texts = TextsOfSides(encoder, shared_side="document")
    query_of_row = np.array(texts.queries.add_all(queries))
    document_of_row = np.array(texts.documents.add_all(documents))

    encoded = texts.encode(sparse=True)
    return EncodedTexts(
        query_vectors=encoded.queries,
        document_vectors=encoded.documents,
        query_of_row=query_of_row,
        document_of_row=document_of_row,
    )
