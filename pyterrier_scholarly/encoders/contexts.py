"""Sentences in their context: which passage each is read in, and how an encoder is asked.

    encoder = as_passage_encoder("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = sentence_vectors(encoder, [paper], context="abstract")  # (sentences, 384)

Conventions: a *passage* is a tuple of k texts that an encoder reads together; its array is
(1 + k, d): the whole in row 0, then its texts. Labels and facets: see `paper`. The contexts are

- ``"abstract"`` (ctx): the title and all sentences.
- ``"facet"`` (fac): the title and the sentences of the same facet: background, method or result. A
  sentence of no facet (label other, or none) gets the abstract.
- ``"title"`` (tit): the title and the sentence.
- ``"sentence"``: the sentence only, as in a sentence encoder.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Literal, TypeAlias, get_args

import numpy as np

from ir_datasets_ext.facets import FACETS

from ..choices import describe_unknown
from ..paper import Paper, Passage
from ..similarity.vectors import unit
from .cache import RememberingEncoder
from .encoder_protocols import PassageEncoder, read_arrays

#: the names of contexts
ContextName: TypeAlias = Literal["abstract", "facet", "title", "sentence"]
CONTEXTS = get_args(ContextName)

SCALED_BYTES = 2**28  # of scaled embeddings that an encoder keeps in memory, for each context

#: of a passage with a title: behind the whole and the title
FIRST_SENTENCE_ROW = 2


def encode_in_context(
    encode: Callable[[list[Passage]], Sequence[np.ndarray]], papers: Sequence[Paper], context: str
) -> list[np.ndarray]:
    """Encode each sentence of papers in a passage that contains it, such as title and sentence.

    Args:
        encode: as `PassageEncoder.encode_passages`; called once, with distinct passages.
        papers: whose sentences are encoded, each with a sentence or more.
        context: one of CONTEXTS.

    Returns:
        One (n, d) array per paper of n sentences; rows are not scaled.
    """
    places_of_papers = [place_sentences(paper, context) for paper in papers]
    all_places = chain.from_iterable(places_of_papers)
    distinct_passages = list(dict.fromkeys(passage for passage, _ in all_places))
    array_of_passage = dict(zip(distinct_passages, encode(distinct_passages)))
    return [
        np.stack([array_of_passage[passage][row] for passage, row in places])
        for places in places_of_papers
    ]


def place_sentences(paper: Paper, context: str) -> list[tuple[Passage, int]]:
    """Return the passage that each sentence is read in, and its row in the passage's array."""
    if context == "sentence":
        whole_row = 0  # the sentence is the whole passage
        return [((sentence,), whole_row) for sentence in paper.sentences]

    positions = range(len(paper.sentences))
    if context == "title":
        return [(paper.passage([position]), FIRST_SENTENCE_ROW) for position in positions]

    abstract = paper.passage(positions)
    places = [(abstract, FIRST_SENTENCE_ROW + position) for position in positions]

    # a sentence of a facet moves to the facet's passage; one of no facet stays in the abstract
    if context == "facet":
        for facet in FACETS:
            facet_positions = paper.find(facet)
            facet_passage = paper.passage(facet_positions)
            for row, position in enumerate(facet_positions, FIRST_SENTENCE_ROW):
                places[position] = (facet_passage, row)

    return places


def sentence_vectors(
    encoder: PassageEncoder, papers: Sequence[Paper], context: str = "title", scaled: bool = True
) -> list[np.ndarray]:
    """Encode papers' sentences, each in its context.

    Args:
        encoder: a `PassageEncoder`.
        papers: list of `Paper`.
        context: one of `encoders.contexts.CONTEXTS`.
        scaled: scale rows to length 1; otherwise they keep the encoder's lengths.

    Returns:
        One (n, d) float32 array per paper of n sentences, rows of length 1 (0 for a zero row of the
        encoder). (0, d) for a paper without sentences; d is 0 if no paper has any, and the encoder
        does not state its `dimensions`.

    Raises:
        ValueError: the encoder returns other shapes than a `PassageEncoder`'s, or NaN or infinity.
    """
    if context not in CONTEXTS:
        raise ValueError(describe_unknown("context", context, CONTEXTS))
    if not scaled or not isinstance(encoder, RememberingEncoder):
        return _encode_sentences(encoder, papers, context, scaled)

    # called for papers that are not in memory
    def encode_papers(new_papers: list[Paper], part: str) -> Iterable[tuple[Paper, np.ndarray]]:
        return zip(new_papers, _encode_sentences(encoder, new_papers, context, scaled=True))

    # scaled rows stay in the encoder's memory, so that steps share the same read-only arrays
    part = f"scaled sentences in {context}"
    limit = min(SCALED_BYTES, encoder.memory)
    return encoder.recall(papers, part, encode_papers, limit)


def _encode_sentences(
    encoder: PassageEncoder, papers: Sequence[Paper], context: str, scaled: bool
) -> list[np.ndarray]:
    """Return the rows (n, d) of each paper's n sentences; arguments as of `sentence_vectors`."""
    papers_with_sentences = [paper for paper in papers if paper.sentences]
    if not papers_with_sentences:
        dimensions = getattr(encoder, "dimensions", 0)
        return [np.zeros((0, dimensions), np.float32) for _ in papers]

    if hasattr(encoder, "encode_papers"):  # see `PaperEncoder`
        returned = encoder.encode_papers(papers_with_sentences, context)
    else:
        encode_passages = partial(passage_arrays, encoder)
        returned = encode_in_context(encode_passages, papers_with_sentences, context)
    arrays = read_arrays(
        returned,
        encoder,
        keys=[paper.sentences for paper in papers_with_sentences],
        row_counts=[len(paper.sentences) for paper in papers_with_sentences],
        noun="papers",
    )

    if scaled:
        arrays = [unit(array) for array in arrays]

    array_of_paper = dict(zip(papers_with_sentences, arrays))
    no_rows = np.zeros((0, arrays[0].shape[1]), np.float32)
    return [array_of_paper.get(paper, no_rows) for paper in papers]


def passage_arrays(encoder: PassageEncoder, passages: Sequence[Passage]) -> list[np.ndarray]:
    """Encode passages of k texts: a (1 + k, d) array for each, the whole in row 0, then its texts.

    Args:
        encoder: a `PassageEncoder`.
        passages: tuples of texts; our encoders encode each distinct one once.

    Raises:
        ValueError: see `sentence_vectors`.
    """
    if not passages:
        return []
    row_counts = [1 + len(passage) for passage in passages]  # the whole, then its texts
    returned = encoder.encode_passages(list(passages))
    return read_arrays(returned, encoder, passages, row_counts, noun="passages")
