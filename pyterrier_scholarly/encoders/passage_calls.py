"""Call an encoder of passages, for sentences in their context or for whole passages.

    encoder = as_passage_encoder("sentence-transformers/all-MiniLM-L6-v2")
    (rows,) = sentence_vectors(encoder, [paper], context="abstract")  # (sentences, 384)

Conventions: a passage is a tuple of k texts; its array is (1 + k, d): the whole in row 0, then its
texts. Which sentence is read in which passage, says `text.contexts`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from ..arguments import check_arguments
from ..similarity.unit_vectors import unit, unit_in_place
from ..text.contexts import WHOLE, Paper, SentencePassages, context_named
from ._array_memory import ArrayMemory
from .answer_checks import LONGEST_SHOWN_TEXT, check_finite, name_encoder, read_arrays
from .encoder_protocols import EncoderLike, Passage, PassageEncoder, SentenceEncoder
from .remembering_encoder import RememberingEncoder

SCALED_BYTES = 2**28  # of scaled embeddings that an encoder keeps in memory, for each context

EncodePassages: TypeAlias = Callable[[list[Passage]], Sequence[np.ndarray]]
#: a function from papers and the name of a context to an array for each paper
EncodeSentences: TypeAlias = Callable[[list[Paper], str], Sequence[np.ndarray]]


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
    """Encode each sentence of papers in a passage that contains it, such as title and sentence.

    Args:
        encode: as `PassageEncoder.encode_passages`.
        papers: whose sentences are encoded.
        context: one of `text.contexts.CONTEXTS`; says which passage a sentence is read in.

    Returns:
        One (n, d) array per paper of n sentences; rows are not scaled.
    """
    place_sentences = context_named(context)
    # of each paper: the passage of each sentence, and the sentence's position in it
    placements = [place_sentences(paper) for paper in papers]

    all_passages: list[Passage] = []
    for placement in placements:
        all_passages += placement.passages
    array_by_id = _encode_by_identity(encode, all_passages)

    return [_take_sentence_rows(placement, array_by_id) for placement in placements]


def _take_sentence_rows(
    placement: SentencePassages, array_by_id: Mapping[int, np.ndarray]
) -> np.ndarray:
    """Return the rows (n, d) of a paper's n sentences, each from the array of its passage.

    Args:
        placement: in which passage each sentence is read, and where.
        array_by_id: the array (1 + k, d) of each passage of k texts, by `id` of the passage.
    """
    sentence_rows = []
    for passage, position in zip(placement.passages, placement.positions):
        # a passage's array has the whole in row 0, then its texts
        row_number = 0 if position == WHOLE else 1 + position
        sentence_rows.append(array_by_id[id(passage)][row_number])
    return np.array(sentence_rows)


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
    """Encode all sentences of all papers; return the rows (n, d) of each paper's n sentences.

    `sentence_vectors` says what the arguments and the rows are. Nothing is remembered here.
    """
    encode_papers = _find_sentence_method(encoder)
    papers_with_sentences = [paper for paper in papers if paper.sentences]

    # called even without papers, because it raises for an unknown context
    returned = encode_papers(papers_with_sentences, context)
    if not papers:
        return []

    arrays = read_arrays(returned, encode_papers, "(sentences, dimensions)")
    rows_of_all_papers = _join_arrays(arrays, encoder)

    all_sentences = (sentence for paper in papers for sentence in paper.sentences)
    check_finite(rows_of_all_papers, all_sentences)
    if scaled:
        rows_of_all_papers = unit_in_place(rows_of_all_papers)  # they were copied when joined

    # each paper's rows begin where those of the paper before it end
    ends = np.cumsum([len(paper.sentences) for paper in papers])
    return np.split(rows_of_all_papers, ends[:-1])


def _join_arrays(arrays: Sequence[np.ndarray], encoder: "PassageEncoder") -> np.ndarray:
    """Return the rows of all arrays as one float array; (0, d) for no array.

    Without an array, d is what the encoder states as its `dimensions`, else 0.
    """
    width = arrays[0].shape[1] if arrays else getattr(encoder, "dimensions", 0)
    # joined too, because NumPy cannot join an empty list
    no_rows = np.zeros((0, width), dtype=np.float32)
    return np.concatenate([no_rows, *arrays])


def _find_sentence_method(encoder: "PassageEncoder") -> EncodeSentences:
    """Return the encoder's own method for papers' sentences, or one that calls it by passages."""
    if isinstance(encoder, SentenceEncoder):
        return encoder.encode_sentences
    return partial(encode_sentences_in_context, encoder.encode_passages)


def _encode_by_identity(
    encode: EncodePassages, passages: Sequence[Passage]
) -> dict[int, np.ndarray]:
    """Encode each distinct passage once; return its array by `id`.

    All sentences of a paper may share one passage, which is then looked up as often as the paper
    has sentences. By `id` that takes no time; to hash a long passage does. Two passages cannot have
    one `id` while the caller's list keeps both.
    """
    passage_by_id = {id(passage): passage for passage in passages}
    array_of_passage = _encode_passages(encode, passage_by_id.values())
    return {passage_id: array_of_passage[passage] for passage_id, passage in passage_by_id.items()}


def _encode_passages(
    encode: EncodePassages, passages: Iterable[Passage]
) -> dict[Passage, np.ndarray]:
    """Encode each distinct passage once; return its (1 + k, d) array by passage."""
    distinct_passages = list(dict.fromkeys(passages))
    if not distinct_passages:
        return {}

    arrays = read_arrays(encode(distinct_passages), encode, "(1 + k, d)")
    _check_shapes(arrays, distinct_passages, encode)
    return dict(zip(distinct_passages, arrays))


def _check_shapes(
    arrays: Sequence[np.ndarray], passages: Sequence[Passage], encode: EncodePassages
) -> None:
    """Raise ValueError unless there is an array (1 + k, d) for each passage of k texts."""
    shapes = [array.shape for array in arrays]
    width = arrays[0].shape[-1] if arrays and arrays[0].ndim else 0
    expected_shapes = [(1 + len(passage), width) for passage in passages]
    if shapes == expected_shapes:
        return

    text_counts = [len(passage) for passage in passages[:3]]
    raise ValueError(
        f"The encoder {name_encoder(encode)} returned {len(arrays)} arrays for "
        f"{len(passages)} passages, of shapes {shapes[:3]} … for {text_counts} … "
        "texts. It must return one of (1 + k, d) for k texts: the whole in row 0, then its "
        "parts."
    )
