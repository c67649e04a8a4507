"""What an encoder is."""

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Encoder(Protocol):
    """Anything with these two methods; n = 0 never reaches them through `vectors`.

    An attribute `symmetric`, where true, says that both give the same vectors, so that a text that
    is both query and document is encoded once.
    """

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Vectors (n, d) of n texts on the query side."""

    def encode_documents(self, texts: list[str]) -> np.ndarray:
        """Vectors (n, d) of n texts on the document side, same d."""


def vectors(encode, texts, sparse=False) -> np.ndarray:
    """What `encode` makes of `texts`, as float32 (n, d); (0, 0) for no texts, without a call.

    Args:
        sparse: whether a scipy sparse array may be returned where `encode` gives one.

    Raises:
        ValueError: the answer is no (n, d) array, or holds NaN or infinity.
    """
    texts = list(texts)
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    answer = encode(texts)
    if hasattr(answer, "toarray"):
        answer = _sparse(answer) if sparse else answer.toarray()
    else:
        answer = np.asarray(answer)
    answer = answer.astype(np.float32, copy=False)
    if answer.ndim != 2 or answer.shape[0] != len(texts):
        raise ValueError(
            f"The encoder gave an array of shape {answer.shape} for {len(texts)} texts; "
            f"expected ({len(texts)}, dimensions): one row per text."
        )
    broken = _broken(answer)
    if len(broken):
        raise ValueError(
            f"The encoder gave NaN or infinity for {len(broken)} of {len(texts)} texts, "
            f"first for {texts[broken[0]]!r}: is the model broken, or its precision too low?"
        )
    return answer


def _sparse(answer):
    from scipy.sparse import csr_array

    return csr_array(answer)


def _broken(answer):
    """The rows that hold NaN or infinity."""
    if not hasattr(answer, "tocoo"):
        return np.flatnonzero(~np.isfinite(answer).all(axis=1))
    stored = answer.tocoo()
    return np.unique(stored.row[~np.isfinite(stored.data)])
