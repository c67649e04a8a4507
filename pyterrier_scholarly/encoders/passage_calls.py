"""Call an encoder of passages, for sentences in their context or for whole passages.

    encoder = as_passage_encoder("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = sentence_vectors(encoder, [paper], context="abstract")  # (sentences, 384)

Conventions: a passage is a tuple of k texts; its array is (1 + k, d): the whole in row 0, then its
texts. Which sentence is read in which passage, says `text.contexts`.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from ..arguments import check_arguments
from ..similarity import unit
from ..text.contexts import WHOLE, Paper, context_named
from ._array_memory import ArrayMemory
from .answer_checks import LONGEST_SHOWN_TEXT, check_finite, name_encoder, read_arrays
from .encoder_protocols import EncoderLike, Passage, PassageEncoder, SentenceEncoder
from .remembering_encoder import RememberingEncoder

SCALED_BYTES = 2**28  # of scaled embeddings that an encoder keeps in memory, for each context

EncodePassages: TypeAlias = Callable[[list[Passage]], Sequence[np.ndarray]]


@check_arguments
def sentence_vectors(
    encoder: "PassageEncoder",
    papers: Sequence[Paper],
    context: str = "title",
    scaled: bool = True,
) -> list[np.ndarray]:
    """Encode papers' sentences, each in its context.

    Args:
        encoder: a `PassageEncoder`.
        papers: list of `text.contexts.Paper`.
        context: one of `text.contexts.CONTEXTS`.
        scaled: scale rows to length 1; otherwise they keep the encoder's lengths.

    Returns:
        One (n, d) float32 array per paper of n sentences, rows of length 1 (0 for a zero row of the
        encoder). (0, d) for a paper without sentences; d is 0 if no paper has any, and the encoder
        does not state its `dimensions`.

    Raises:
        ValueError: the encoder returns other shapes than a `PassageEncoder`'s, or NaN or infinity.
    """
    _check_passage_encoder(encoder)
    if scaled and isinstance(encoder, RememberingEncoder):
        memory = encoder.open_memory(f"sentences in {context}")
        limit = min(SCALED_BYTES, encoder.memory)
        return _recall_scaled_sentences(encoder, papers, context, memory, limit)

    return _encode_sentences(encoder, papers, context, scaled)


@check_arguments
def passage_vectors(encoder: "PassageEncoder", passages: Sequence[Passage]) -> np.ndarray:
    """Encode whole passages as (n, d) float32, rows of length 1 (or 0).

    Raises:
        ValueError: see `sentence_vectors`.
    """
    _check_passage_encoder(encoder)

    array_of_passage = _encode_passages(encoder.encode_passages, passages)
    whole_rows = np.stack([array_of_passage[passage][0] for passage in passages])

    whole_texts = map(" ".join, passages)
    check_finite(whole_rows, whole_texts)
    return unit(whole_rows)


def encode_sentences_in_context(
    encode: EncodePassages, papers: Iterable[Paper], context: str
) -> list[np.ndarray]:
    """Encode the sentences of papers in the passages that contain them; rows are not scaled.

    `encode` is as `PassageEncoder.encode_passages`; otherwise see `sentence_vectors`.
    """
    read_context = context_named(context)
    placed_papers = [read_context(paper) for paper in papers]

    # All sentences of a paper may share one passage. It is recognised by identity, because to
    # compare long passages takes time. The list above keeps all of them alive, so that no two have
    # one identity.
    passage_by_id = {}
    for passages, _ in placed_papers:
        for passage in passages:
            passage_by_id[id(passage)] = passage
    array_of_passage = _encode_passages(encode, passage_by_id.values())
    array_by_id = {
        passage_id: array_of_passage[passage] for passage_id, passage in passage_by_id.items()
    }

    arrays_of_papers = []
    for passages, positions in placed_papers:
        rows = []
        for passage, position in zip(passages, positions):
            row_number = 0 if position == WHOLE else 1 + position
            rows.append(array_by_id[id(passage)][row_number])
        arrays_of_papers.append(np.array(rows))
    return arrays_of_papers


def _check_passage_encoder(encoder: EncoderLike) -> None:
    """Raise ValueError for an encoder of texts, which has to be wrapped."""
    if not hasattr(encoder, "encode_passages"):
        raise ValueError(
            f"{encoder!r:.{LONGEST_SHOWN_TEXT}} is no encoder of passages: pass "
            "`as_passage_encoder(…)` of it."
        )


def _recall_scaled_sentences(
    encoder: "PassageEncoder",
    papers: Sequence[Paper],
    context: str,
    memory: ArrayMemory,
    limit: int,
) -> list[np.ndarray]:
    """Return scaled rows from the encoder's memory; encode and add those of other papers.

    So the steps that compare the same sentences share the same read-only arrays.
    """
    distinct_papers = list(dict.fromkeys(papers))
    rows_of_paper = memory.find(distinct_papers, limit)
    new_papers = [paper for paper in distinct_papers if paper not in rows_of_paper]

    if new_papers:
        new_rows = _encode_sentences(encoder, new_papers, context, scaled=True)
        # copied, because a view would keep the rows of all papers in memory
        new_rows_of_paper = {paper: rows.copy() for paper, rows in zip(new_papers, new_rows)}
        memory.add(new_rows_of_paper, limit)
        rows_of_paper |= new_rows_of_paper
    return [rows_of_paper[paper] for paper in papers]


def _encode_sentences(
    encoder: "PassageEncoder", papers: Sequence[Paper], context: str, scaled: bool
) -> list[np.ndarray]:
    """Compute `sentence_vectors` without memory."""
    papers_with_sentences = [paper for paper in papers if paper.sentences]
    encode: Callable[[list[Paper], str], Sequence[np.ndarray]]
    if isinstance(encoder, SentenceEncoder):
        encode = encoder.encode_sentences
    else:
        encode = partial(encode_sentences_in_context, encoder.encode_passages)
    returned = encode(papers_with_sentences, context)  # of no papers: checks the context
    if not papers:
        return []

    arrays = read_arrays(returned, encode, "(sentences, dimensions)")
    width = arrays[0].shape[1] if arrays else getattr(encoder, "dimensions", 0)
    no_rows = np.zeros((0, width), dtype=np.float32)
    rows = np.concatenate([no_rows, *arrays])
    sentences = (sentence for paper in papers for sentence in paper.sentences)
    check_finite(rows, sentences)
    if scaled:
        rows = unit(rows)

    # where the rows of each paper begin, without the first paper's 0
    ends = np.cumsum([len(paper.sentences) for paper in papers])
    return np.split(rows, ends[:-1])


def _encode_passages(
    encode: EncodePassages, passages: Iterable[Passage]
) -> dict[Passage, np.ndarray]:
    """Encode each distinct passage once; return its (1 + k, d) array by passage."""
    distinct_passages = list(dict.fromkeys(passages))
    if not distinct_passages:
        return {}

    arrays = read_arrays(encode(distinct_passages), encode, "(1 + k, d)")
    shapes = [array.shape for array in arrays]
    width = arrays[0].shape[-1] if arrays and arrays[0].ndim else 0
    expected_shapes = [(1 + len(passage), width) for passage in distinct_passages]
    if shapes != expected_shapes:
        text_counts = [len(passage) for passage in distinct_passages[:3]]
        raise ValueError(
            f"The encoder {name_encoder(encode)} returned {len(arrays)} arrays for "
            f"{len(distinct_passages)} passages, of shapes {shapes[:3]} … for {text_counts} … "
            "texts. It must return one of (1 + k, d) for k texts: the whole in row 0, then its "
            "parts."
        )
    return dict(zip(distinct_passages, arrays))
