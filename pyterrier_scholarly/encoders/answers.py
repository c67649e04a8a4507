"""Call an encoder, and refuse an answer that is no array of finite numbers.

    encoder = as_encoder("sentence-transformers/all-MiniLM-L6-v2")
    rows = vectors(encoder, ["a text", "another"])  # (2, 384) float32

Every answer of an encoder comes through `read_array`, whatever kind of encoder it is. Encoders of
passages are called by `sentence_vectors` and `passage_arrays`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..similarity.vectors import check_real
from .encoder_protocols import Embeddings, Encoder, Pair, Side, TokenEncoder

LONGEST_SHOWN_TEXT = 80  # characters of a text, or of an encoder, that an error shows
LONGEST_SHOWN_ANSWER = 120
NUMBER_KINDS = "biuf"  # numpy's letters for booleans, whole numbers and floats

#: an expected shape; a name stands for any number, as in (2, "dimensions")
Shape: TypeAlias = tuple[int | str, ...]


def vectors(
    encoder: Encoder, texts: Iterable[str], side: Side = "document", sparse: bool = False
) -> np.ndarray:
    """Encode `texts` as float32 (n, d); no texts give (0, 0) without a call.

    `sparse`: return a scipy sparse array of the encoder's as such.

    Raises:
        ValueError: the answer is no (n, d) array of numbers, or holds NaN or infinity.
    """
    texts = list(texts)
    others = [text for text in texts if not isinstance(text, str)]
    if others:
        raise ValueError(f"{others[0]!r:.{LONGEST_SHOWN_TEXT}} is no text: expected texts.")
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)

    returned: Any = encoder.encode(texts, side)
    if hasattr(returned, "toarray") and not sparse:
        returned = returned.toarray()
    rows = read_array(returned, encoder, (len(texts), "dimensions"))
    check_finite(rows, texts)
    return rows


def token_vectors(encoder: TokenEncoder, texts: list[str], side: Side) -> list[np.ndarray]:
    """Encode `texts` as float32 arrays (t, d); no texts give [] without a call.

    ValueError if the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []
    returned = encoder.encode_tokens(texts, side)
    return read_arrays(returned, encoder, texts, [("tokens", "dimensions")] * len(texts))


def pair_scores(score: Callable[[list[Pair]], ArrayLike], pairs: Sequence[Pair]) -> np.ndarray:
    """Score `pairs` by `score`, as float64 (n,); each distinct pair is scored once.

    ValueError if the answer is not one number per pair, or NaN; names the pair.
    """
    distinct_pairs = list(dict.fromkeys(pairs))
    if not distinct_pairs:
        return np.zeros(0)

    scores = read_array(
        score(distinct_pairs),
        score,
        (len(distinct_pairs),),
        dtype=np.float64,
        hint="Is the model a classifier?",
    )
    check_finite(scores[:, None], distinct_pairs, source="The model", row_noun="pairs")
    score_of_pair = dict(zip(distinct_pairs, scores))
    return np.array([score_of_pair[pair] for pair in pairs])


def read_array(
    returned: Any,
    encoder: object,
    shape: Shape,
    dtype: type[np.floating] = np.float32,
    hint: str = "",
) -> np.ndarray:
    """Return what a model or function of the user's returned as an array of numbers.

    Args:
        returned: an array, a scipy sparse one, a tensor, lists of numbers; or anything else, which
            is refused.
        encoder: what returned it, for the error.
        shape: that the array must have.
        dtype: of the array.
        hint: what may be the cause of another shape, for the error.

    Raises:
        ValueError: another shape, a text, a dict, complex or masked numbers.
    """
    is_tensor = hasattr(returned, "detach")
    if is_tensor:  # it may be on a GPU, in half precision, and require gradients
        returned = returned.detach().float().cpu()
    check_real(returned, f"The encoder {name_encoder(encoder)} returned no usable numbers")

    expected = f"numbers of shape ({', '.join(map(str, shape))})"
    try:
        numbers = _to_numpy(returned)
    except ValueError:  # lists of different lengths
        raise _refuse(repr(returned), encoder, expected) from None
    if numbers.dtype.kind not in NUMBER_KINDS:
        raise _refuse(repr(returned), encoder, expected)
    if not _fits(numbers.shape, shape):
        raise _refuse(f"an array of shape {numbers.shape}", encoder, expected, hint)

    with np.errstate(over="ignore"):  # a number too large becomes infinite, which callers refuse
        return numbers.astype(dtype, copy=False)


def read_arrays(
    returned: Any,
    encoder: object,
    keys: Sequence[Any],
    shapes: Sequence[Shape],
    noun: str = "texts",
) -> list[np.ndarray]:
    """Return an encoder's answer of an array for each key, all as wide as one another.

    Args:
        returned, encoder: see `read_array`.
        keys: texts, or tuples of texts.
        shapes: that the array of each key must have.
        noun: what the keys are, in the plural, for the error.

    Raises:
        ValueError: other arrays, or NaN or infinity.
    """
    is_list = isinstance(returned, Iterable) and not isinstance(returned, (str, bytes, Mapping))
    answers = list(returned) if is_list else []
    if len(answers) != len(keys):
        answer = f"a list of {len(answers)}" if is_list else repr(returned)
        raise _refuse(answer, encoder, f"a list of arrays, one for each of {len(keys)} {noun}")

    arrays = [read_array(answer, encoder, shape) for answer, shape in zip(answers, shapes)]
    widths = {array.shape[-1] for array in arrays}
    if len(widths) > 1:
        raise ValueError(
            f"The encoder {name_encoder(encoder)} returned arrays of {sorted(widths)} dimensions; "
            f"expected as many for all {noun}."
        )
    # one number for each key, because NaN or infinity in any row spoils its sum
    sums = np.array([array.sum(dtype=np.float64) for array in arrays])
    check_finite(sums[:, None], keys, row_noun=noun)
    return arrays


def name_encoder(encoder: object) -> str:
    """Name an encoder for an error; of a method of it, too."""
    encoder = getattr(encoder, "__self__", encoder)
    shown_encoder = " ".join(repr(encoder).split())  # a model's repr has a line for each layer
    return f"{shown_encoder:.{LONGEST_SHOWN_TEXT}}"


def check_finite(
    rows: Embeddings,
    keys: Sequence[Any],
    source: object = "The encoder",
    row_noun: str = "texts",
) -> None:
    """Raise ValueError if an embedding holds NaN or infinity.

    Args:
        rows: embeddings (n, d).
        keys: what each row is of, a text or a tuple of texts; the error names the first wrong one.
        source: what returned the rows, for the error: a text, or an encoder, whose repr takes long.
        row_noun: what a row is, in the plural, for the error.
    """
    # one number for each row, because NaN or infinity in any place spoils its sum
    with np.errstate(invalid="ignore"):  # infinity plus minus infinity is NaN
        row_sums = np.ravel(rows.sum(axis=1, dtype=np.float64))
    broken_rows = np.flatnonzero(~np.isfinite(row_sums))
    if len(broken_rows):
        key = keys[broken_rows[0]]
        texts = (key,) if isinstance(key, str) else key[:2]
        shown_key = " and ".join(f"{text!r:.{LONGEST_SHOWN_TEXT}}" for text in texts)
        shown_source = source if isinstance(source, str) else name_encoder(source)
        raise ValueError(
            f"{shown_source} returned NaN or infinity for {len(broken_rows)} of "
            f"{len(row_sums)} {row_noun}, first for {shown_key}. Check the model, or choose a "
            "higher precision."
        )


def _to_numpy(numbers: Any) -> Any:
    """Return numbers as an array of numpy, or sparse ones as an array of scipy."""
    if not hasattr(numbers, "tocsr"):
        return np.asarray(numbers)
    from scipy.sparse import csr_array

    # not as one of scipy's older matrices, whose * would multiply matrices where an array is scaled
    return csr_array(numbers)


def _fits(shape: tuple[int, ...], expected: Shape) -> bool:
    """Return whether an array's shape is the expected one."""
    if len(shape) != len(expected):
        return False
    return all(isinstance(wanted, str) or n == wanted for n, wanted in zip(shape, expected))


def _refuse(answer: str, encoder: object, expected: str, hint: str = "") -> ValueError:
    """Return the error for an answer; texts say what was returned, and what was expected."""
    shown_answer = " ".join(answer.split())
    return ValueError(
        f"The encoder {name_encoder(encoder)} returned {shown_answer:.{LONGEST_SHOWN_ANSWER}}; "
        f"expected {expected}. {hint}".rstrip()
    )
