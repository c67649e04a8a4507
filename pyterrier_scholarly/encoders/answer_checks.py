"""Read what a user's model or function returned, and refuse what is no array of finite numbers.

    numbers = read_numbers(encode(texts), encode, expected=f"({len(texts)}, dimensions)")
    check_finite(numbers, texts)

Every answer of an encoder comes through `read_numbers`, whatever kind of encoder it is.
"""

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from ..arguments import show_value
from ..similarity.array_checks import check_real
from .encoder_protocols import Embeddings

LONGEST_SHOWN_TEXT = 80  # characters of a text, or of an encoder, that an error shows
NUMBER_KINDS = "biuf"  # numpy's letters for booleans, whole numbers and floats


def read_numbers(
    returned: Any, encode: object, expected: str, dtype: type[np.floating] = np.float32
) -> np.ndarray:
    """Return what a model or function of the user's returned as an array of numbers.

    Args:
        returned: an array, a tensor, lists of numbers; or anything else, which is refused.
        encode: what returned it, a function or method, for the error.
        expected: the shape that the caller needs, for the error.
        dtype: of the array.

    Raises:
        ValueError: a text, a dict, lists of different lengths, complex numbers, masked values.
    """
    return _read_array(returned, name_encoder(encode), expected, dtype)


def read_arrays(returned: Any, encode: object, expected: str) -> list[np.ndarray]:
    """Return an encoder's answer of several arrays, each by `read_numbers`."""
    encoder_name = name_encoder(encode)
    is_single = isinstance(returned, (str, bytes, Mapping))
    if is_single or not isinstance(returned, Iterable):
        raise ValueError(
            f"The encoder {encoder_name} returned no list of arrays, but this: "
            f"{show_value(returned)}. Expected arrays of shape {expected}."
        )
    return [_read_array(array, encoder_name, expected) for array in returned]


def _read_array(
    returned: Any, encoder_name: str, expected: str, dtype: type[np.floating] = np.float32
) -> np.ndarray:
    """Return what an encoder returned as an array of real numbers, of type `dtype`.

    Args:
        returned: an array, a tensor, or lists of numbers.
        encoder_name: for errors. It is made by the caller: to name an encoder for each of its
            arrays takes longer than to read them.
        expected: the expected shape, for errors.
        dtype: of the array.

    Raises:
        ValueError: it holds anything but real numbers.
    """
    # most answers, and all from a cache, need no check; subclasses, such as masked arrays, do
    is_plain_array = type(returned) is np.ndarray
    if is_plain_array and returned.dtype == dtype:
        return returned

    is_tensor = hasattr(returned, "detach")
    if is_tensor:  # it may be on a GPU, in half precision, and require gradients
        returned = returned.detach().float().cpu()

    check_real(returned, f"The encoder {encoder_name} returned no array of numbers")
    try:
        numbers = np.asarray(returned)
    except ValueError:  # lists of different lengths
        numbers = np.array(None)  # of objects, which are refused below

    if numbers.dtype.kind not in NUMBER_KINDS:
        kind = f"values of type {numbers.dtype}" if hasattr(returned, "dtype") else "this"
        raise ValueError(
            f"The encoder {encoder_name} returned no array of numbers, but {kind}: "
            f"{show_value(returned)}. Expected numbers of shape {expected}."
        )

    with np.errstate(over="ignore"):  # a number too large becomes infinite, which callers refuse
        return numbers.astype(dtype, copy=False)


def name_encoder(encode: object) -> str:
    """Name an encoder for an error; `encode` is its method, or the function itself."""
    encoder = getattr(encode, "__self__", encode)
    return f"{encoder!r:.{LONGEST_SHOWN_TEXT}}"


def check_finite(
    rows: Embeddings,
    keys: Iterable[Hashable],
    source: object = "The encoder",
    row_noun: str = "texts",
) -> None:
    """Raise ValueError if an embedding holds NaN or infinity.

    Args:
        rows: embeddings (n, d).
        keys: what each row is of, a text or a tuple of texts; the error names the first wrong one.
        source: what returned the rows, for the error.
        row_noun: what a row is, in the plural, for the error.
    """
    with np.errstate(all="ignore"):
        # one sum is fast, and NaN or infinity in any row spoils it
        sum_of_all = rows.sum()
        if np.isfinite(sum_of_all):
            return
        row_sums = np.ravel(rows.sum(axis=1, dtype=np.float64))

    is_broken = ~np.isfinite(row_sums)
    if not is_broken.any():  # only the sum of all was too large
        return

    first_broken = int(is_broken.argmax())
    key = next(islice(keys, first_broken, None))
    raise ValueError(
        f"{source!s:.{LONGEST_SHOWN_TEXT}} returned NaN or infinity for {is_broken.sum()} of "
        f"{len(is_broken)} {row_noun}, first for {_show_key(key)}. Check the model, or choose a "
        "higher precision."
    )


def _show_key(key: Any) -> str:
    """Show a text, or the first two texts of a pair or passage."""
    texts = (key,) if isinstance(key, str) else key[:2]
    return " and ".join(f"{text!r:.{LONGEST_SHOWN_TEXT}}" for text in texts)
