"""Check arrays before anything is computed from them.

check_real(query_vectors, "query vectors")  # raises ValueError, or does nothing
"""

import numpy as np


def check_real(vectors: object, what: str = "vectors") -> None:
    """Raise ValueError for an array with a mask, or of complex numbers.

    Computing would ignore both: masked numbers count like others, imaginary parts are dropped.

    Args:
        vectors: an array of numpy or scipy; anything else passes.
        what: what the vectors are, for the error.
    """
    if isinstance(vectors, np.ma.MaskedArray):
        masked_count = np.ma.count_masked(vectors)
        raise ValueError(
            f"{what}: expected an array without a mask, got one with {masked_count} masked "
            "numbers: fill them (array.filled(0)), or drop their rows"
        )

    dtype = getattr(vectors, "dtype", None)
    is_complex = getattr(dtype, "kind", "") == "c"  # numpy's letter for complex numbers
    if is_complex:
        raise ValueError(
            f"{what}: expected real numbers, got {dtype}: pass the real part (array.real), or "
            "real and imaginary parts side by side"
        )
