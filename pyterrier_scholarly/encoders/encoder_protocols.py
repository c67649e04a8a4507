"""What an encoder is, and how its answers are read.

An encoder is any object with one method, which our steps call. There is a protocol for each kind of
work: texts (`Encoder`), passages (`PassageEncoder`) and tokens (`TokenEncoder`). Pairs of texts are
scored by a function, see `pair_scores`. The smallest encoder of texts is a function, or a class
with one method::

    class Length:
        def encode(self, texts: list[str], side: str) -> np.ndarray:
            return np.array([[len(text), 1.0] for text in texts])

    vectors(Length(), ["a text", "another"])  # (2, 2) float32

To encode texts by a model of sentence-transformers, subclass `TextEncoder` and write
`encode_texts`.

Conventions: n texts, d dimensions, t tokens. A side is "query" or "document". A passage is a tuple
of k texts; its array is (1 + k, d): the whole in row 0, then its texts.

Every answer of an encoder comes through `read_array`, whatever kind of encoder it is. Encoders of
passages are called by `sentence_vectors` and `passage_arrays`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..paper import Paper, Passage
from ..similarity.vectors import check_real, to_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LONGEST_SHOWN_TEXT = 80  # characters of a text, or of an encoder, that an error shows
LONGEST_SHOWN_ANSWER = 120

Pair: TypeAlias = tuple[str, str]
#: one row per text (n, d), dense or sparse
Embeddings: TypeAlias = "np.ndarray | csr_array"
#: how a model reads a text; a model without sides reads all texts alike
Side: TypeAlias = Literal["query", "document"]


class Encoder(Protocol):
    """Any object with this method, such as `SentenceTransformer` and `LSA`.

    Callers check what it returns (`vectors`), and never pass zero texts. An array may have any
    float type, and may be a scipy sparse array.
    """

    def encode(self, texts: list[str], side: Side) -> Embeddings:
        """Return the embeddings (n, d) of n texts; d is the same for both sides."""


@runtime_checkable
class PassageEncoder(Protocol):
    """Any object with this method, such as `Contextual`.

    If it also has a method ``encode_papers(papers, context)``, `sentence_vectors` calls that one:
    see `PaperEncoder`.
    """

    def encode_passages(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return a (1 + k, d) float32 array for each passage of k texts; callers only read it."""


class PaperEncoder(PassageEncoder, Protocol):
    """An encoder of passages that also knows contexts, so that it can keep arrays by paper."""

    def encode_papers(self, papers: Sequence[Paper], context: str) -> Sequence[np.ndarray]:
        """Return an (s, d) array for each paper of s sentences, one or more; not scaled."""


@runtime_checkable
class TokenEncoder(Protocol):
    """Any object with this method, such as `MultiVector`.

    A text's array has one row for each token that counts, and no row for padding. So padding cannot
    win a match, whatever its embedding.
    """

    def encode_tokens(self, texts: list[str], side: Side) -> list[np.ndarray]:
        """Return a (t, d) array for each of n texts; t may differ between them."""


#: what `as_encoder`, `as_passage_encoder` and `as_token_encoder` make an encoder of: an encoder, a
#: model's name or folder, or anything that can be called, as models can: a model, or a function
#: from a list of n texts to an (n, d) array
EncoderLike: TypeAlias = str | Encoder | PassageEncoder | TokenEncoder | Callable[..., Any]


def vectors(
    encoder: Encoder, texts: Iterable[str], side: Side = "document", sparse: bool = False
) -> np.ndarray:
    """Encode `texts` as float32 (n, d); no texts give (0, 0) without a call.

    `sparse`: return a scipy sparse array of the encoder's as such.

    Raises:
        ValueError: the answer is no (n, d) array of numbers, or holds NaN or infinity.
    """
    texts = list(texts)
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)

    rows = read_array(encoder.encode(texts, side), encoder, (len(texts), "dimensions"))
    check_finite(rows, encoder, texts)
    return rows if sparse else to_dense(rows)


def token_vectors(encoder: TokenEncoder, texts: list[str], side: Side) -> list[np.ndarray]:
    """Encode `texts` as float32 arrays (t, d); no texts give [] without a call.

    ValueError if the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []
    return read_arrays(encoder.encode_tokens(texts, side), encoder, texts)


def pair_scores(score: Callable[[list[Pair]], ArrayLike], pairs: Sequence[Pair]) -> np.ndarray:
    """Score `pairs` by `score`, as float64 (n,); each distinct pair is scored once.

    ValueError if the answer is not one number per pair, or NaN; names the pair.
    """
    distinct_pairs = list(dict.fromkeys(pairs))
    if not distinct_pairs:
        return np.zeros(0)

    shape = (len(distinct_pairs),)
    hint = " Is the model a classifier?"
    scores = read_array(score(distinct_pairs), score, shape, np.float64, hint)
    check_finite(scores[:, None], score, distinct_pairs, "pairs")
    score_of_pair = dict(zip(distinct_pairs, scores))
    return np.array([score_of_pair[pair] for pair in pairs])


def read_array(
    returned: Any,
    encoder: object,
    shape: tuple[int | str, ...],
    dtype: type[np.floating] = np.float32,
    hint: str = "",
) -> Any:
    """Return what a model or function of the user's returned as an array of numbers.

    Args:
        returned: an array, a scipy sparse one, a tensor, lists of numbers; or anything else, which
            is refused.
        encoder: what returned it, for the error.
        shape: that the array must have; a name stands for any number, as in (2, "dimensions").
        dtype: of the array.
        hint: what may be the cause of another shape, for the error.

    Raises:
        ValueError: another shape, a text, a dict, complex or masked numbers, lists of different
            lengths.
    """
    expected = f"numbers of shape ({', '.join(map(str, shape))})"
    try:
        array = _convert(returned, dtype)
    except (TypeError, ValueError) as error:
        raise _refuse(repr(returned), encoder, expected, f" ({error})") from None

    # a name in `shape` stands for any size
    has_wanted_sizes = all(
        isinstance(wanted_size, str) or size == wanted_size
        for size, wanted_size in zip(array.shape, shape)
    )
    if array.ndim != len(shape) or not has_wanted_sizes:
        raise _refuse(f"an array of shape {array.shape}", encoder, expected, hint)
    return array


def read_arrays(
    returned: Any,
    encoder: object,
    keys: Sequence[Any],
    row_counts: Sequence[int] | None = None,
    noun: str = "texts",
) -> list[np.ndarray]:
    """Return an encoder's answer of an array for each key, all of one width.

    Args:
        returned, encoder: see `read_array`.
        keys: texts, or tuples of texts.
        row_counts: how many rows the array of each key must have; None for any number of tokens.
        noun: what the keys are, in the plural, for the error.

    Raises:
        ValueError: other arrays, or NaN or infinity.
    """
    # a dict is refused too: a list of it would have its keys, not arrays
    is_list = isinstance(returned, Iterable) and not isinstance(returned, Mapping)
    answers = list(returned) if is_list else []
    if len(answers) != len(keys):
        expected = f"a list of arrays, one for each of {len(keys)} {noun}"
        raise _refuse(repr(returned), encoder, expected)

    arrays = []
    for number, answer in enumerate(answers):
        wanted_rows: int | str = "tokens"  # a name: any number of them
        if row_counts is not None:
            wanted_rows = row_counts[number]
        array = read_array(answer, encoder, (wanted_rows, "dimensions"))
        arrays.append(array)

    widths = sorted({array.shape[1] for array in arrays})
    if len(widths) > 1:
        raise _refuse(f"arrays of {widths} dimensions", encoder, f"as many for all {noun}")

    # NaN or infinity in any place of an array spoils its sum, so it is enough to check the sums
    array_sums = [array.sum(dtype=np.float64) for array in arrays]
    rows_of_sums = np.reshape(array_sums, (-1, 1))  # `check_finite` takes a row for each key
    check_finite(rows_of_sums, encoder, keys, noun)

    return arrays


def check_finite(rows: Any, encoder: object, keys: Sequence[Any], noun: str = "texts") -> None:
    """Raise ValueError if an embedding holds NaN or infinity.

    Args:
        rows: embeddings (n, d).
        encoder: what returned them, for the error.
        keys: what each row is of, a text or a tuple of texts; the error names the first wrong one.
        noun: what the keys are, in the plural, for the error.
    """
    # one number for each row, because NaN or infinity in any place spoils its sum
    with np.errstate(invalid="ignore"):  # infinity plus minus infinity is NaN
        row_sums = np.ravel(rows.sum(axis=1, dtype=np.float64))
    broken_rows = np.flatnonzero(~np.isfinite(row_sums))
    if len(broken_rows):
        key = keys[broken_rows[0]]
        first_texts = [key] if isinstance(key, str) else key[:2]
        shown_key = " and ".join(repr(text)[:LONGEST_SHOWN_TEXT] for text in first_texts)
        raise ValueError(
            f"{name_encoder(encoder)} returned NaN or infinity for {len(broken_rows)} of "
            f"{len(row_sums)} {noun}, first for {shown_key}. Check the model, or choose a higher "
            "precision."
        )


def name_encoder(encoder: object) -> str:
    """Name an encoder, or the encoder of a method, for an error."""
    encoder = getattr(encoder, "__self__", encoder)
    shown_encoder = " ".join(repr(encoder).split())  # a model's repr has a line for each layer
    return f"The encoder {shown_encoder:.{LONGEST_SHOWN_TEXT}}"


def _convert(returned: Any, dtype: type[np.floating]) -> Any:
    """Return what an encoder returned as an array of numpy, or a sparse one, of type `dtype`.

    TypeError or ValueError if it is none of real numbers.
    """
    check_real(returned)

    if hasattr(returned, "tocsr"):
        from scipy.sparse import csr_array

        # not as one of scipy's older matrices, whose * would multiply matrices
        array = csr_array(returned)
    elif hasattr(returned, "detach"):  # a tensor, maybe on a GPU, in half precision
        array = returned.detach().float().cpu().numpy()
    else:
        array = np.asarray(returned)

    with np.errstate(over="ignore"):  # a number too large is infinite, which callers refuse
        return array.astype(dtype, casting="same_kind", copy=False)


def _refuse(answer: str, encoder: object, expected: str, hint: str = "") -> ValueError:
    """Return the error for an answer; texts say what was returned, and what was expected."""
    shown_answer = " ".join(answer.split())
    return ValueError(
        f"{name_encoder(encoder)} returned {shown_answer:.{LONGEST_SHOWN_ANSWER}}; expected "
        f"{expected}.{hint}"
    )
