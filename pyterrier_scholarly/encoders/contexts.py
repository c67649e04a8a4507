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
from typing import Literal, TypeAlias

import numpy as np

from ir_datasets_ext.facets import FACETS

from ..choices import choose_option
from ..paper import Paper, Passage
from ..similarity.vectors import unit
from .answers import LONGEST_SHOWN_TEXT, read_arrays
from .encoder_protocols import PaperEncoder, PassageEncoder
from .remembering_encoder import Part, RememberingEncoder

#: the names of contexts
ContextName: TypeAlias = Literal["abstract", "facet", "title", "sentence"]

EncodePassages: TypeAlias = Callable[[list[Passage]], Sequence[np.ndarray]]

SCALED_BYTES = 2**28  # of scaled embeddings that an encoder keeps in memory, for each context

#: a sentence as an encoder reads it: a passage, and the sentence's row in the passage's array
SentenceInPassage: TypeAlias = tuple[Passage, int]
FIRST_SENTENCE_ROW = 2  # of a passage with a title: behind the whole and the title


def read_in_abstract(paper: Paper) -> list[SentenceInPassage]:
    """Read each sentence in the abstract, behind the title and among all sentences."""
    return _read_together(paper, range(len(paper.sentences)))


def read_in_facet(paper: Paper) -> list[SentenceInPassage]:
    """Read each sentence among those of its facet; one of no facet in the whole abstract."""
    sentences = read_in_abstract(paper)
    for facet in FACETS:
        positions = paper.find(facet)
        for position, sentence in zip(positions, _read_together(paper, positions)):
            sentences[position] = sentence
    return sentences


def read_behind_title(paper: Paper) -> list[SentenceInPassage]:
    """Read each sentence behind the title, without the other sentences."""
    return [((paper.title, sentence), FIRST_SENTENCE_ROW) for sentence in paper.sentences]


def read_alone(paper: Paper) -> list[SentenceInPassage]:
    """Read each sentence alone, without the title: it is the whole passage, row 0."""
    return [((sentence,), 0) for sentence in paper.sentences]


def _read_together(paper: Paper, positions: Sequence[int]) -> list[SentenceInPassage]:
    """Return some sentences of a paper, read together behind the title."""
    passage = paper.passage(positions)
    return [(passage, FIRST_SENTENCE_ROW + number) for number in range(len(positions))]


#: name of a context -> function from a paper to its sentences, in order, as it reads them
CONTEXTS: dict[str, Callable[[Paper], list[SentenceInPassage]]] = {
    "abstract": read_in_abstract,
    "facet": read_in_facet,
    "title": read_behind_title,
    "sentence": read_alone,
}


def encode_in_context(
    encode: EncodePassages, papers: Iterable[Paper], context: str
) -> list[np.ndarray]:
    """Encode each sentence of papers in a passage that contains it, such as title and sentence.

    Args:
        encode: as `PassageEncoder.encode_passages`; called once, with distinct passages.
        papers: whose sentences are encoded, each with a sentence or more.
        context: one of CONTEXTS.

    Returns:
        One (n, d) array per paper of n sentences; rows are not scaled.
    """
    read = choose_option("context", context, CONTEXTS)
    sentences_of_papers = [read(paper) for paper in papers]
    passages = [passage for sentences in sentences_of_papers for passage, _ in sentences]
    array_of_passage = _encode_passages(encode, passages)

    vectors_of_papers = []
    for sentences in sentences_of_papers:
        rows = [array_of_passage[passage][row] for passage, row in sentences]
        vectors_of_papers.append(np.stack(rows))
    return vectors_of_papers


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
    _check_passage_encoder(encoder)
    if not scaled or not isinstance(encoder, RememberingEncoder):
        return _encode_sentences(encoder, papers, context, scaled)

    # scaled rows stay in the encoder's memory, so that steps share the same read-only arrays
    limit = min(SCALED_BYTES, encoder.memory)
    memory = encoder.open_memory(Part(f"sentences in {context}"), limit)
    rows_of_paper = memory.find(papers)
    new_papers = [paper for paper in dict.fromkeys(papers) if paper not in rows_of_paper]
    if new_papers:
        new_rows = _encode_sentences(encoder, new_papers, context, scaled)
        # copied, because a view would keep the rows of all papers in memory
        new_rows_of_paper = {paper: rows.copy() for paper, rows in zip(new_papers, new_rows)}
        memory.add(new_rows_of_paper)
        rows_of_paper |= new_rows_of_paper
    return [rows_of_paper[paper] for paper in papers]


def passage_arrays(encoder: PassageEncoder, passages: Sequence[Passage]) -> list[np.ndarray]:
    """Encode passages of k texts: a (1 + k, d) array for each, the whole in row 0, then its texts.

    Raises:
        ValueError: see `sentence_vectors`.
    """
    _check_passage_encoder(encoder)
    array_of_passage = _encode_passages(encoder.encode_passages, passages)
    return [array_of_passage[passage] for passage in passages]


def _check_passage_encoder(encoder: PassageEncoder) -> None:
    """Raise ValueError for an encoder of texts, which has to be wrapped."""
    if not hasattr(encoder, "encode_passages"):
        raise ValueError(
            f"{encoder!r:.{LONGEST_SHOWN_TEXT}} is no encoder of passages: pass "
            "`as_passage_encoder(…)` of it."
        )


def _encode_sentences(
    encoder: PassageEncoder, papers: Sequence[Paper], context: str, scaled: bool
) -> list[np.ndarray]:
    """Return the rows (n, d) of each paper's n sentences; arguments as of `sentence_vectors`."""
    asked_papers = [paper for paper in papers if paper.sentences]
    if isinstance(encoder, PaperEncoder):
        arrays = read_arrays(
            encoder.encode_papers(asked_papers, context),
            encoder,
            keys=[paper.sentences for paper in asked_papers],
            shapes=[(len(paper.sentences), "dimensions") for paper in asked_papers],
            noun="papers",
        )
    else:
        arrays = encode_in_context(encoder.encode_passages, asked_papers, context)

    width = arrays[0].shape[1] if arrays else getattr(encoder, "dimensions", 0)
    no_rows = np.zeros((0, width), dtype=np.float32)
    if scaled and arrays:
        # all at once, which is faster; each paper's rows end where those of the next begin
        ends = np.cumsum([len(rows) for rows in arrays])
        arrays = np.split(unit(np.concatenate(arrays)), ends[:-1])
    rows_of_asked = iter(arrays)
    return [next(rows_of_asked) if paper.sentences else no_rows for paper in papers]


def _encode_passages(
    encode: EncodePassages, passages: Iterable[Passage]
) -> dict[Passage, np.ndarray]:
    """Encode each distinct passage once; return its (1 + k, d) array by passage."""
    distinct_passages = list(dict.fromkeys(passages))
    if not distinct_passages:
        return {}
    # the whole in row 0, then its texts
    shapes = [(1 + len(passage), "dimensions") for passage in distinct_passages]
    returned = encode(distinct_passages)
    arrays = read_arrays(returned, encode, distinct_passages, shapes, noun="passages")
    return dict(zip(distinct_passages, arrays))
