"""Check arrays before anything is computed from them."""

import numpy as np


def check_real(vectors: object, what: str = "vectors") -> None:
    """Raise ValueError for an array whose numbers would lose something on the way.

    That is a mask, behind which a number counts like any other, or an imaginary part.
    """
    if isinstance(vectors, np.ma.MaskedArray):
        count = np.ma.count_masked(vectors)
        raise ValueError(
            f"{what}: expected an array without a mask, got one with {count} masked numbers: fill "
            "them (array.filled(0)), or drop their rows"
        )
    dtype = getattr(vectors, "dtype", None)
    if getattr(dtype, "kind", "") == "c":
        raise ValueError(
            f"{what}: expected real numbers, got {dtype}: pass the real part (array.real), or "
            "real and imaginary parts side by side"
        )
