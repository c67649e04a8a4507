"""Call an encoder of texts, tokens or pairs, and check what it returns.

    encoder = as_encoder("sentence-transformers/all-MiniLM-L6-v2")
    rows = vectors(encoder.encode_documents, ["a text", "another"])  # (2, 384) float32

Encoders of passages are called by `passage_calls`.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import check_arguments
from ..distinct import Distinct
from .answer_checks import (
    LONGEST_SHOWN_TEXT,
    check_finite,
    name_encoder,
    read_arrays,
    read_numbers,
)
from .encoder_protocols import Pair


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
    _check_texts(texts)
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)

    expected_shape = f"({len(texts)}, dimensions): one row per text"
    returned = encode(texts)
    if hasattr(returned, "toarray"):
        from scipy.sparse import csr_array

        rows = csr_array(returned) if sparse else returned.toarray()
        rows = rows.astype(np.float32, copy=False)
    else:
        rows = read_numbers(returned, encode, expected_shape)

    if rows.ndim != 2 or rows.shape[0] != len(texts):
        raise ValueError(
            f"The encoder {name_encoder(encode)} returned an array of shape {rows.shape} for "
            f"{len(texts)} texts; expected {expected_shape}."
        )
    check_finite(rows, texts)
    return rows


@check_arguments
def token_vectors(
    encode: Callable[[list[str]], Iterable[ArrayLike]], texts: list[str]
) -> list[np.ndarray]:
    """Encode `texts` by `encode`, as float32 arrays (t, d); no texts give [] without a call.

    ValueError if the answer is not one (t, d) array per text, or holds NaN or infinity.
    """
    if not texts:
        return []

    arrays = read_arrays(encode(texts), encode, "(tokens, dimensions)")
    are_matrices = all(array.ndim == 2 for array in arrays)
    widths = {array.shape[-1:] for array in arrays}
    if len(arrays) != len(texts) or not are_matrices or len(widths) != 1:
        shapes = sorted({array.shape for array in arrays})
        raise ValueError(
            f"The encoder {name_encoder(encode)} returned arrays of shapes {shapes} for "
            f"{len(texts)} texts; expected one (tokens, dimensions) array per text."
        )

    # one number per text, because NaN or infinity in any token spoils its text's sum
    text_sums = np.array([[array.sum(dtype=np.float64)] for array in arrays])  # (n, 1)
    check_finite(text_sums, texts)
    return arrays


@check_arguments
def pair_scores(score: Callable[[list[Pair]], ArrayLike], pairs: Sequence[Pair]) -> np.ndarray:
    """Score `pairs` by `score`, as float64 (n,); each distinct pair is scored once.

    ValueError if the answer is not one number per pair, or NaN; names the pair.
    """
    distinct_pairs = Distinct[Pair]()
    pair_numbers = distinct_pairs.add_all(pairs)
    if not pair_numbers:
        return np.zeros(0)

    pair_count = len(distinct_pairs)
    expected_shape = f"({pair_count},), one number per pair"
    scores = read_numbers(score(distinct_pairs.keys), score, expected_shape, np.float64)
    if scores.shape != (pair_count,):
        raise ValueError(
            f"The model returned an array of shape {scores.shape} for {pair_count} pairs; "
            f"expected {expected_shape}. Is it a classifier?"
        )
    check_finite(scores[:, None], distinct_pairs.keys, source="The model", row_noun="pairs")
    return scores[pair_numbers]


def _check_texts(texts: list[str]) -> None:
    """Raise ValueError for anything that is no text."""
    # quicker for a million texts: there are few types, and each is checked once
    text_types = set(map(type, texts))
    if all(issubclass(text_type, str) for text_type in text_types):
        return

    for text in texts:
        if not isinstance(text, str):
            raise ValueError(
                f"{text!r:.{LONGEST_SHOWN_TEXT}} is no text: expected texts to encode."
            )
