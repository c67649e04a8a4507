"""Call an encoder, and check what it returns.

Conventions: a passage is a tuple of k texts; its array is (1 + k, d), the whole in row 0, then its
parts.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from ..arguments import check_arguments, show_value
from ..similarity import unit
from ..similarity.array_checks import check_real
from ..text.contexts import Paper, context_named
from ._batches import Embeddings, Key
from .encoder_protocols import EncoderLike, Passage, PassageEncoder

MEMORY = 2**28  # bytes of scaled embeddings that an encoder keeps, of one context
SHOWN = 80  # characters of a text, or of an encoder, that an error shows
REAL_KINDS = "biuf"  # numpy's letters for booleans, whole numbers and floats

EncodePassages: TypeAlias = Callable[[list[Passage]], Sequence[np.ndarray]]


@check_arguments
def vectors(
    encode: Callable[[list[str]], object], texts: Iterable[str], sparse: bool = False
) -> np.ndarray:
    """Encode `texts` by `encode`, as float32 (n, d); no texts give (0, 0) without a call.

    `sparse`: return a scipy sparse array from `encode` as such.

    Raises:
        ValueError: the answer is no (n, d) array of numbers, or holds NaN or infinity.
    """
    texts = list(texts)
    if not all(isinstance(text, str) for text in texts):
        wrong = next(text for text in texts if not isinstance(text, str))
        raise ValueError(f"{wrong!r:.{SHOWN}} is no text: expected texts to encode.")
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    returned = encode(texts)
    expected = f"({len(texts)}, dimensions): one row per text"
    if hasattr(returned, "toarray"):
        from scipy.sparse import csr_array

        answer = csr_array(returned) if sparse else returned.toarray()
        answer = answer.astype(np.float32, copy=False)
    else:
        answer = read_numbers(returned, encode, expected)
    if answer.ndim != 2 or answer.shape[0] != len(texts):
        raise ValueError(
            f"The encoder {name_of(encode)} returned an array of shape {answer.shape} for "
            f"{len(texts)} texts; expected {expected}."
        )
    check_finite(answer, texts)
    return answer


def read_numbers(
    returned: Any, encode: object, expected: str, dtype: type[np.floating] = np.float32
) -> np.ndarray:
    """Return what a model or function of the user's returned as an array of numbers.

    This is the one door for answers. A tensor of PyTorch may be on a GPU, and require gradients.

    Args:
        returned: an array, a tensor, lists of numbers; or anything else, which is refused.
        encode: what returned it, a function or method, for the error.
        expected: the shape that the caller needs, for the error.
        dtype: of the array.

    Raises:
        ValueError: a text, a dict, lists of different lengths, complex numbers, masked values.
    """
    if hasattr(returned, "detach"):
        returned = returned.detach().float().cpu()
    check_real(returned, f"The encoder {name_of(encode)} returned no array of numbers")
    try:
        numbers = np.asarray(returned)
    except ValueError:  # lists of different lengths
        numbers = np.array(None)

    if numbers.dtype.kind not in REAL_KINDS:
        kind = f"values of type {numbers.dtype}" if hasattr(returned, "dtype") else "this"
        raise ValueError(
            f"The encoder {name_of(encode)} returned no array of numbers, but {kind}: "
            f"{show_value(returned)}. Expected numbers of shape {expected}."
        )
    with np.errstate(over="ignore"):  # a number too large becomes infinite, which callers refuse
        return numbers.astype(dtype, copy=False)


def read_arrays(returned: Any, encode: object, expected: str) -> list[np.ndarray]:
    """Return an encoder's answer of several arrays, each by `read_numbers`."""
    is_list = isinstance(returned, Iterable) and not isinstance(returned, (str, bytes, Mapping))
    if not is_list:
        raise ValueError(
            f"The encoder {name_of(encode)} returned no list of arrays, but this: "
            f"{show_value(returned)}. Expected arrays of shape {expected}."
        )
    return [read_numbers(array, encode, expected) for array in returned]


def name_of(encode: object) -> str:
    """Name an encoder by its method or function, for an error."""
    return f"{getattr(encode, '__self__', encode)!r:.{SHOWN}}"


def check_finite(
    rows: Embeddings, keys: Iterable[Hashable], who: object = "The encoder", what: str = "texts"
) -> None:
    """Raise ValueError, naming the first of `keys`, if `rows` (n, d) hold NaN or infinity."""
    with np.errstate(all="ignore"):
        if np.isfinite(rows.sum()):  # fast for correct rows
            return
        broken = ~np.isfinite(np.ravel(rows.sum(axis=1, dtype=np.float64)))
    if broken.any():  # otherwise only the sum was too large
        key: Key = next(islice(keys, int(broken.argmax()), None))
        texts = (key,) if isinstance(key, str) else key
        shown = " and ".join(f"{text!r:.{SHOWN}}" for text in texts[:2])
        raise ValueError(
            f"{who!s:.{SHOWN}} returned NaN or infinity for {broken.sum()} of {len(broken)} "
            f"{what}, first for {shown}. Check the model, or choose a higher precision."
        )


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
    if not scaled or not hasattr(encoder, "store"):
        return _of_sentences(encoder, papers, context, scaled)

    def make(missing: list[Paper], arrays: dict[Paper, np.ndarray]) -> None:
        # copied, so that the memory of a forgotten array is freed
        arrays.update(zip(missing, map(np.copy, _of_sentences(encoder, missing, context, True))))

    # steps that compare the same sentences share the same read-only arrays
    store = encoder.store(f"sentences in {context}")
    return store.filled(papers, min(MEMORY, getattr(encoder, "memory", MEMORY)), make)


def _check_passage_encoder(encoder: EncoderLike) -> None:
    if not hasattr(encoder, "encode_passages"):
        raise ValueError(
            f"{encoder!r:.{SHOWN}} is no encoder of passages: pass `as_passage_encoder(…)` of it."
        )


def _of_sentences(
    encoder: "PassageEncoder", papers: Sequence[Paper], context: str, scaled: bool
) -> list[np.ndarray]:
    """Compute `sentence_vectors` without memory."""
    encode = getattr(encoder, "encode_sentences", partial(in_context, encoder.encode_passages))
    returned = encode([paper for paper in papers if paper.sentences], context)
    if not papers:
        return []
    rows = read_arrays(returned, encode, "(sentences, dimensions)")
    d = rows[0].shape[1] if rows else getattr(encoder, "dimensions", 0)
    array = np.concatenate([np.zeros((0, d), dtype=np.float32), *rows])
    check_finite(array, (text for paper in papers for text in paper.sentences))
    if scaled:
        array = unit(array)
    return np.split(array, np.cumsum([len(paper.sentences) for paper in papers])[:-1])


def in_context(encode: EncodePassages, papers: Iterable[Paper], context: str) -> list[np.ndarray]:
    """Encode the sentences of papers in the passages that contain them.

    `encode` is as `PassageEncoder.encode_passages`; otherwise see `sentence_vectors`, not scaled.
    """
    read = list(map(context_named(context), papers))
    # by identity, because comparing passages takes time in proportion to their length
    distinct = {id(passage): passage for passages, _ in read for passage in passages}
    vectors_of = _of_passages(encode, distinct.values())
    rows_of = {key: vectors_of[passage] for key, passage in distinct.items()}
    # row 0, the whole, has the position WHOLE
    return [np.array([rows_of[id(own)][1 + place] for own, place in zip(*one)]) for one in read]


@check_arguments
def passage_vectors(encoder: "PassageEncoder", passages: Sequence[Passage]) -> np.ndarray:
    """Encode whole passages as (n, d) float32, rows of length 1 (or 0); errors as above."""
    _check_passage_encoder(encoder)
    arrays = _of_passages(encoder.encode_passages, passages)
    rows = np.stack([arrays[passage][0] for passage in passages])
    check_finite(rows, map(" ".join, passages))
    return unit(rows)


def _of_passages(encode: EncodePassages, passages: Iterable[Passage]) -> dict[Passage, np.ndarray]:
    """Encode each distinct passage once."""
    distinct = list(dict.fromkeys(passages))
    arrays = read_arrays(encode(distinct), encode, "(1 + k, d)") if distinct else []
    d = arrays[0].shape[-1] if arrays and arrays[0].ndim else 0
    if [one.shape for one in arrays] != [(1 + len(passage), d) for passage in distinct]:
        raise ValueError(
            f"The encoder {name_of(encode)} returned {len(arrays)} arrays for "
            f"{len(distinct)} passages, of shapes {[one.shape for one in arrays[:3]]} … for "
            f"{[len(one) for one in distinct[:3]]} … texts. It must return one of (1 + k, d) for "
            "k texts: the whole in row 0, then its parts."
        )
    return dict(zip(distinct, arrays))
