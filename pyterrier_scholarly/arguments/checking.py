"""Check the arguments of a call, or the fields of a dataclass, by their annotations.

    >>> @check_arguments
    ... def half(number: int) -> float:
    ...     return number / 2
    >>> half(number="4")
    Traceback (most recent call last):
    ValueError: half, number='4': expected a whole number. Pass one.

Numbers, truth and paths are converted; everything else is only checked, and returned as it is.
"""

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, fields
from decimal import Decimal
from functools import cache, wraps
from itertools import repeat
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from .annotations import (
    COLLECTIONS,
    ITERABLES,
    MAPPINGS,
    REQUIRED,
    Mismatch,
    is_frame_annotation,
    is_record,
    is_union,
)
from .error_texts import describe_error, show_value
from .rules import LARGEST_WHOLE, Rule, Storable

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def check_arguments(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Make a function check its arguments when it is called; a decorator.

    Raises:
        ValueError: (of the function) an argument is not what its annotation says; names function,
            argument, value, what was expected, and the default.
        TypeError: (of the function) an argument that must be a frame is none.
    """
    read_signature = cache(inspect.signature)  # at the first call: it is slow, and few are called

    @wraps(function)
    def check_and_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        signature = read_signature(function)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # an argument is missing or unknown: Python's own error names it
            return function(*args, **kwargs)

        function_name = function.__qualname__.removesuffix(".__init__")
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            is_single = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if is_single and parameter.annotation is not parameter.empty:
                bound.arguments[name] = check_value(
                    function_name, name, value, parameter.annotation, parameter.default
                )
        return function(*bound.args, **bound.kwargs)

    return check_and_call


def check_fields(settings: Any, where: str = "") -> None:
    """Check the fields of a dataclass, even of a frozen one, and convert numpy's numbers.

    where: what errors call the settings; default: the name of the class.
    """
    settings_name = where or type(settings).__name__
    for field in fields(settings):
        default = REQUIRED if field.default is MISSING else field.default
        value = getattr(settings, field.name)
        checked_value = check_value(settings_name, field.name, value, field.type, default)
        # the only way to set a field of a frozen dataclass
        object.__setattr__(settings, field.name, checked_value)


def check_value(where: str, name: str, value: object, expected: Any, default: object) -> Any:
    """Return the value of one argument, numpy's numbers as Python's; see `check_arguments`.

    where: the function's or the class's name. expected: the annotation.
    default: REQUIRED if there is none.
    """
    try:
        return convert(value, expected)
    except Mismatch as caught:
        mismatch = caught

    # raised here, so that Python does not print the mismatch above the error
    error_class = TypeError if is_frame_annotation(mismatch.expected) else ValueError
    raise error_class(describe_error(mismatch, where, name, default))


def convert(value: Any, expected: Any) -> Any:
    """Return `value`, numpy's numbers as Python's, if it is what the annotation `expected` says.

    >>> convert(Decimal("0.5"), float | None)
    0.5

    Raises:
        Mismatch: it is not.
    """
    origin = get_origin(expected)
    if origin is Annotated:
        return _convert_annotated(value, expected)
    if is_union(expected):
        return _convert_union(value, expected)

    kind = origin or expected
    if kind in CONVERTERS:
        return CONVERTERS[kind](value, expected)
    if kind in MAPPINGS:
        _check_mapping(value, expected)
    elif kind in COLLECTIONS:
        _check_collection(value, expected)
    elif _is_checkable(kind):
        # a text is an iterable for Python only
        is_wrong_single = kind in ITERABLES and _is_single(value)
        _require(isinstance(value, kind) and not is_wrong_single, value, expected)
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
        is_about_whole_value = mismatch.expected is value_type and not mismatch.place
        if is_about_whole_value:  # as "7" for a `Count`: the error names the rules, too
            raise Mismatch(expected, value) from None
        raise

    for rule in metadata:
        if isinstance(rule, Rule):  # annotations may also have metadata of others
            _require(rule.holds(converted), value, expected)
    return converted


def _convert_union(value: object, expected: Any) -> object:
    """Return the value as the first alternative that accepts it."""
    told_mismatch = Mismatch(expected, value)
    for alternative in get_args(expected):
        try:
            return convert(value, alternative)
        except Mismatch as mismatch:
            # a list or a dict was the right kind, but not what it holds
            if mismatch.place and not told_mismatch.place:
                told_mismatch = mismatch
    raise told_mismatch


# --- kinds that are converted -------------------------------------------------------------------


def _convert_literal(value: object, expected: Any) -> object:
    """Return the option of a `Literal` that the value equals."""
    for option in get_args(expected):
        # by the type, too: 1 equals True
        if isinstance(value, type(option)) and value == option:
            return option
    raise Mismatch(expected, value)


def _convert_whole(value: Any, expected: Any) -> int:
    """Return a whole number of any library as Python's."""
    _require(isinstance(value, Integral) and not isinstance(value, bool), value, expected)
    _require(abs(value) <= LARGEST_WHOLE, value, Storable)
    return int(value)


def _convert_number(value: Any, expected: Any) -> float:
    """Return a finite number as a float, or Python's int as it is; Mismatch for anything else."""
    if type(value) is int:  # kept, because requests and fingerprints write 0 and 0.0 differently
        return _convert_whole(value, expected)

    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    _require(is_number, value, expected)
    number = float(value)
    _require(isfinite(number), value, expected)
    return number


def _convert_truth(value: Any, expected: Any) -> bool:
    """Return true or false, of Python or numpy, as Python's."""
    # by name, so that numpy is not imported for it
    _require(type(value).__name__ in ("bool", "bool_"), value, expected)
    return bool(value)


def _convert_path(value: Any, expected: Any) -> Path:
    """Return what Python takes for a path, except texts, as a Path."""
    _require(isinstance(value, os.PathLike), value, expected)
    return Path(value)


CONVERTERS: dict[Any, Callable[[Any, Any], Any]] = {
    Literal: _convert_literal,
    int: _convert_whole,
    float: _convert_number,
    bool: _convert_truth,
    Path: _convert_path,
}


# --- kinds with items ---------------------------------------------------------------------------


def _check_mapping(value: Any, expected: Any) -> None:
    """Check that a value is a mapping; of a Python dict, check the keys and items, too."""
    _require(isinstance(value, Mapping), value, expected)
    if type(value) is dict:  # others may read each item from a disk
        key_type, item_type = get_args(expected) or (object, object)
        for key, item in value.items():
            _check_item(key, key_type)
            _check_item(item, item_type, place=key)


def _check_collection(value: Any, expected: Any) -> None:
    """Raise Mismatch unless a value is a collection as in the annotation, such as a list.

    Refused: a text, a number, a frame; a mapping for a list or a set.
    Accepted: an instance of the annotated class; for any class, what has a length and is indexed,
    such as a tuple, an array, or a column of a frame.
    """
    collection_class = get_origin(expected) or expected  # the `list` of ``list[str]``
    # a dict is a collection of its keys, but no list or set of them
    is_wrong_mapping = isinstance(value, Mapping) and collection_class is not Collection
    is_frame = hasattr(value, "columns")
    is_like_list = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    is_collection = is_like_list or isinstance(value, collection_class)
    is_refused = is_wrong_mapping or is_frame or _is_single(value)
    _require(is_collection and not is_refused, value, expected)

    # items of other classes may be read from a disk one by one
    is_array = hasattr(value, "dtype")
    if is_array or isinstance(value, (list, tuple, set, frozenset)):
        _check_items(value, expected)


def _check_items(values: Any, expected: Any) -> None:
    """Raise Mismatch unless each item of a list, a set or an array has the annotated type.

    Types are annotated one for each item (``tuple[str, int]``), one for all items (``list[str]``,
    ``tuple[str, ...]``), or not at all (``list``).
    """
    annotated_types = get_args(expected)
    if not annotated_types:
        return

    types: Iterable[Any] = repeat(annotated_types[0])  # a second one is the ``...`` of a tuple
    if is_record(expected):
        _require(len(values) == len(annotated_types), values, expected)
        types = annotated_types
    elif annotated_types[0] is str and all(
        issubclass(kind, str) for kind in set(map(type, values))
    ):
        return  # the fast path for thousands of texts

    for number, (item, item_type) in enumerate(zip(values, types)):
        _check_item(item, item_type, place=number)


def _check_item(item: Any, expected: Any, place: object = REQUIRED) -> None:
    """Raise Mismatch, with the item's place, unless an item is what its annotation says.

    place: number or key of the item; REQUIRED if the item is itself a key.
    """
    try:
        convert(item, expected)
    except Mismatch as mismatch:
        shown_place = " (a key)" if place is REQUIRED else f"[{show_value(place)}]"
        raise Mismatch(
            mismatch.expected, mismatch.value, f"{shown_place}{mismatch.place}"
        ) from None


def _is_single(value: object) -> bool:
    """Return whether a value is one item although Python may iterate over it."""
    is_number = getattr(value, "ndim", 1) == 0  # an array of numpy's without a dimension
    return is_number or isinstance(value, (str, bytes))


def _is_checkable(kind: object) -> bool:
    """Return whether `isinstance` can and need be asked about an annotated kind."""
    is_class = isinstance(kind, type) and kind not in (object, Any)
    # typing has no public question for it before Python 3.13
    is_protocol = getattr(kind, "_is_protocol", False)
    # `isinstance` takes only protocols with the decorator `runtime_checkable`
    return is_class and (not is_protocol or getattr(kind, "_is_runtime_protocol", False))
