"""Convert a value to the type that an annotation says, or raise `Mismatch`.

    >>> convert(Decimal("0.5"), float | None)
    0.5

`convert` chooses a function by the kind of the annotation. Numbers, truth and paths are converted;
everything else is only checked, and returned as it is.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from .annotations import COLLECTIONS, ITERABLES, MAPPINGS, is_record, is_union
from .error_texts import show_value
from .mismatch import Mismatch
from .rules import LARGEST_WHOLE, Rule, Storable

#: classes of which a value is more than an instance: it is converted, or its items are checked
CONVERTED_KINDS = (int, float, bool, Path, *COLLECTIONS, *MAPPINGS, *ITERABLES)


def convert(value: Any, expected: Any) -> Any:
    """Return `value`, numpy's numbers as Python's, if it is what the annotation `expected` says.

    Raises:
        Mismatch: it is not.
    """
    origin = get_origin(expected)
    if origin is Annotated:
        return _convert_annotated(value, expected)
    if is_union(expected):
        return _convert_union(value, expected)
    if origin is Literal:
        return _convert_literal(value, expected)

    kind = origin or expected
    if kind is int:
        return _convert_whole(value, expected)
    if kind is float:
        return _convert_number(value, expected)
    if kind is bool:
        return _convert_truth(value, expected)
    if kind is Path:
        return _convert_path(value, expected)

    # all others are only checked
    if kind in MAPPINGS:
        _check_mapping(value, expected)
    elif kind in COLLECTIONS:
        _check_collection(value, expected)
    elif kind in ITERABLES:
        _require(isinstance(value, kind) and not _is_single(value), value, expected)
    elif kind is Callable:
        _require(callable(value), value, expected)
    elif kind is None:
        _require(value is None, value, expected)
    elif _is_checkable(kind):
        _require(isinstance(value, kind), value, expected)
    return value


def _require(holds: bool, value: object, expected: Any) -> None:
    """Raise Mismatch unless the condition holds."""
    if not holds:
        raise Mismatch(expected, value)


def _convert_annotated(value: object, expected: Any) -> object:
    """Return a value as the type in ``Annotated[type, Rule(…)]``; Mismatch if it breaks a rule."""
    value_type, *metadata = get_args(expected)
    try:
        converted = convert(value, value_type)
    except Mismatch as mismatch:
        # as the 7 of ``["bm25", 7]`` for ``Annotated[list[str], …]``
        is_about_item = mismatch.place != ""
        # as a whole number of more than 64 bits, which is refused by `Storable`
        is_about_other_type = mismatch.expected is not value_type
        if is_about_item or is_about_other_type:
            raise  # that error says more
        # the whole value is wrong, as "7" for ``Annotated[int, …]``: the error names the rules, too
        raise Mismatch(expected, value) from None

    for rule in metadata:
        if isinstance(rule, Rule):  # annotations may also have metadata of others
            _require(rule.holds(converted), value, expected)
    return converted


def _convert_union(value: object, expected: Any) -> object:
    """Return the value as the first alternative that accepts it."""
    item_mismatches = []
    for alternative in get_args(expected):
        try:
            return convert(value, alternative)
        except Mismatch as mismatch:
            if mismatch.place:
                item_mismatches.append(mismatch)

    if item_mismatches:  # a list or a dict was the right kind, but not what it holds
        raise item_mismatches[0]
    raise Mismatch(expected, value)


def _convert_literal(value: object, expected: Any) -> object:
    """Return the option of a `Literal` that the value equals."""
    for option in get_args(expected):
        # by the type, too: 1 equals True
        if isinstance(value, type(option)) and value == option:
            return option
    raise Mismatch(expected, value)


def _convert_whole(value: Any, expected: Any) -> int:
    """Return a whole number of any library as Python's."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    _require(is_whole, value, expected)

    number = int(value)
    _require(abs(number) <= LARGEST_WHOLE, value, Storable)
    return number


def _convert_number(value: Any, expected: Any) -> float:
    """Return a finite number as a float, or Python's int as it is; Mismatch for anything else."""
    if type(value) is int:  # kept, because requests and fingerprints write 0 and 0.0 differently
        return _convert_whole(value, expected)

    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    _require(is_number, value, expected)

    try:
        number = float(value)
    except (OverflowError, ValueError):  # too large for a float, or a Decimal's signalling NaN
        raise Mismatch(expected, value) from None
    _require(isfinite(number), value, expected)
    return number


def _convert_truth(value: Any, expected: Any) -> bool:
    """Return true or false, of Python or numpy, as Python's."""
    # numpy's own, without importing numpy; its name is bool_ or bool
    value_type = type(value)
    is_of_numpy = value_type.__module__ == "numpy" and value_type.__name__.startswith("bool")

    _require(isinstance(value, bool) or is_of_numpy, value, expected)
    return bool(value)


def _convert_path(value: Any, expected: Any) -> Path:
    """Return what Python takes for a path, except texts, as a Path."""
    _require(isinstance(value, os.PathLike), value, expected)
    try:
        return Path(value)
    except TypeError:  # a path of bytes
        raise Mismatch(expected, value) from None


def _check_mapping(value: Any, expected: Any) -> None:
    """Check that a value is a mapping; of a Python dict, check the keys and items, too."""
    _require(isinstance(value, Mapping), value, expected)
    if type(value) is not dict:  # others may read each item from a disk
        return

    key_kind, item_kind = get_args(expected) or (object, object)
    for key, item in value.items():
        try:
            convert(key, key_kind)
        except Mismatch as mismatch:
            raise Mismatch(mismatch.expected, mismatch.value, " (a key)") from None
        try:
            convert(item, item_kind)
        except Mismatch as mismatch:
            raise mismatch.move_into(f"[{show_value(key)}]") from None


def _check_collection(value: Any, expected: Any) -> None:
    """Raise Mismatch unless a value is a collection as in the annotation, such as a list.

    Refused: a text, a number, a frame; a mapping for a list or a set.
    Accepted: an instance of the annotated class; for any class, what has a length and is indexed,
    such as a tuple, an array, or a column of a frame.
    """
    collection_class = get_origin(expected) or expected  # the `list` of ``list[str]``
    if _is_frame(value) or _is_single(value):
        raise Mismatch(expected, value)

    if isinstance(value, Mapping):
        # a dict is a collection of its keys, but no list or set of them
        if collection_class is not Collection:
            raise Mismatch(expected, value)
        return

    is_like_list = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    is_expected_class = isinstance(value, collection_class)
    if not (is_like_list or is_expected_class):
        raise Mismatch(expected, value)

    # items of other classes may be read from a disk one by one
    is_in_memory = _is_array(value) or isinstance(value, (list, tuple, set, frozenset))
    if is_in_memory:
        _check_items(value, expected)


def _check_items(values: Any, expected: Any) -> None:
    """Raise Mismatch unless each item of a list, a set or an array has the annotated type.

    Types are annotated one for each item (``tuple[str, int]``), one for all items (``list[str]``,
    ``tuple[str, ...]``), or not at all (``list``).
    """
    annotated_types: Sequence[Any] = get_args(expected)
    if not annotated_types:
        return

    if is_record(expected):  # one type for each item
        if len(values) != len(annotated_types):
            raise Mismatch(expected, values)
        type_of_item = annotated_types
    else:
        common_type = annotated_types[0]  # a second one is the ``...`` of a tuple
        if _are_instances(values, common_type) or _are_tuples_of_instances(values, common_type):
            return
        type_of_item = [common_type] * len(values)

    for number, (item, item_type) in enumerate(zip(values, type_of_item)):
        try:
            convert(item, item_type)
        except Mismatch as mismatch:
            raise mismatch.move_into(f"[{number}]") from None


def _are_instances(values: Any, kind: object) -> bool:
    """Return True if the types of all items show that they are instances of the annotated kind.

    It is the fast path for thousands of texts or records, which have few types. False says only
    that the types do not show it: then each item is checked.
    """
    # types say nothing of unions and the like, and `issubclass` knows few protocols
    is_plain_class = _is_checkable(kind) and not _is_protocol(kind)
    if not is_plain_class:
        return False
    # a whole number has a limit, and a list has items: being an instance is not enough
    if kind in CONVERTED_KINDS:
        return False

    item_types = set(map(type, values))
    return all(issubclass(item_type, kind) for item_type in item_types)  # type: ignore[arg-type]


def _are_tuples_of_instances(values: Any, kind: object) -> bool:
    """Return True if types show that all items are tuples as in ``tuple[str, ...]``.

    It is the fast path for thousands of passages; False says as little as in `_are_instances`.
    """
    item_kinds = get_args(kind)
    is_tuple_of_one_kind = get_origin(kind) is tuple and item_kinds[1:] == (...,)
    if not is_tuple_of_one_kind or set(map(type, values)) != {tuple}:
        return False
    return _are_instances(chain.from_iterable(values), item_kinds[0])


def _is_frame(value: object) -> bool:
    """Return whether a value is a data frame, of any library."""
    return hasattr(value, "columns")


def _is_array(value: object) -> bool:
    """Return whether a value is an array or a column of a frame, of any library."""
    return hasattr(value, "dtype")


def _is_single(value: object) -> bool:
    """Return whether a value is one item although Python may iterate over it."""
    is_number = getattr(value, "ndim", 1) == 0  # an array of numpy's without a dimension
    return is_number or isinstance(value, (str, bytes))


def _is_checkable(kind: object) -> bool:
    """Return whether `isinstance` can and need be asked about an annotated kind."""
    if not isinstance(kind, type):  # such as a type variable
        return False
    if kind in (object, Any):  # every value is one
        return False
    if _is_protocol(kind):  # `isinstance` takes only those with the decorator `runtime_checkable`
        return getattr(kind, "_is_runtime_protocol", False)
    return True


def _is_protocol(kind: object) -> bool:
    """Return whether a class is a `Protocol`; typing has no public function for it before 3.13."""
    return getattr(kind, "_is_protocol", False)
