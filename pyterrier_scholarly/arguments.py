"""Check arguments and settings at the door; their annotations say what is expected.

    >>> @check_arguments
    ... def count_words(text: str, shortest: Count = 3) -> int:
    ...     return sum(len(word) >= shortest for word in text.split())
    >>> count_words("a walk", shortest=0)
    Traceback (most recent call last):
    ValueError: count_words, shortest=0: expected a whole number of at least 1. The default is 3.

So a function's first line may trust its arguments, as a transformer trusts a frame after
`frames.check`. What an annotation means here:

- ``int``: a whole number of Python or numpy, of at most 64 bits; not 1.0, "1" or True.
- ``float``: a finite number of Python or numpy, a Fraction or a Decimal; not NaN, "1" or True. A
  whole number of Python stays one.
- ``bool``: true or false, of Python or numpy; not 0, 1 or "no".
- ``str``: a text. A `Name` can be encoded in UTF-8, too: it has no half of a surrogate pair.
- ``Path``: whatever Python takes for one, except texts; it becomes a Path.
- ``Literal``: one of its values.
- ``Annotated`` with a `Rule`, such as `Count`: a value of the type that also meets the rule. With
  ``one_of(…)``, a text that is one of the keys of a dict.
- ``Mapping``, ``Sequence``, ``tuple`` and alike: the items of Python's own dicts and lists, and of
  arrays, are checked, too. Others may read each item from a disk. A text is no list of texts.
- a class: its instances. An optional argument may be None.
- everything else is not checked: ``object``, protocols, annotations in quotation marks.

Numbers and booleans of numpy become Python's, so that settings are compared, printed and stored
alike. A wrong frame raises TypeError, as in `frames.check`; everything else raises ValueError.

Why not msgspec, which reads our files: it knows neither numpy's numbers nor unions of classes, and
takes NaN for a number.
"""

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from decimal import Decimal
from functools import cache, partial, wraps
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from reprlib import Repr
from string import Formatter
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

REQUIRED: Any = inspect.Parameter.empty  #: the default of an argument without one
LARGEST_WHOLE = 2**63 - 1
LONGEST_SHOWN_VALUE = 80  # characters of a wrong value in an error
SHOWN_ITEMS = 4  # of a wrong list or dict in an error
MAPPINGS = (dict, Mapping)
COLLECTIONS = (list, tuple, Sequence, Collection)  #: their items are checked
ITERABLES = (Iterable, Iterator)  #: theirs are not, because they may end after one pass
#: classes of which a value is more than an instance: it is converted, or has items
CONVERTED_KINDS = (int, float, bool, Path, *COLLECTIONS, *MAPPINGS, *ITERABLES)


# --- what other modules call -------------------------------------------------------------------


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
        value = getattr(settings, field.name)
        default = REQUIRED if field.default is MISSING else field.default

        checked_value = check_value(settings_name, field.name, value, field.type, default)
        if checked_value is not value:
            # the only way to set a field of a frozen dataclass
            object.__setattr__(settings, field.name, checked_value)


def check_value(where: str, name: str, value: object, expected: Any, default: object) -> Any:
    """Return the value of one argument, numpy's numbers as Python's; see `check_arguments`.

    where: the function's or the class's name. expected: the annotation.
    default: REQUIRED if there is none.
    """
    try:
        return _convert(value, expected)
    except Mismatch as caught:
        mismatch = caught

    # raised here, so that Python does not print the mismatch above the error
    error_class = TypeError if _is_frame(mismatch.expected) else ValueError
    raise error_class(_describe_error(mismatch, where, name, default))


# --- named kinds of arguments -------------------------------------------------------------------


class Rule(NamedTuple):
    """What a value must meet besides its type: ``Annotated[int, Rule("an even number", is_even)]``.

    meaning: what is expected, for the error: a noun with its article.
    holds: called with a value of the right type; default: the rule only says better what is meant.
    list_options: called for all values that meet the rule, if these can be listed (`one_of`). A
        function, because a rule needs a hash, which a dict of options lacks.
    """

    meaning: str
    holds: Callable[[Any], bool] = lambda value: True
    list_options: Callable[[], Sequence[str]] = tuple

    def __repr__(self) -> str:
        return self.meaning


def one_of(options: Collection[str]) -> Rule:
    """Return the rule that a text is one of `options`, such as the keys of a dict.

    ``Annotated[str, one_of(SIMILARITIES)]``. What is added to the dict later is an option, too. A
    `Literal` says the same of options that are written in the code only there.
    """
    return Rule("one of the known names", options.__contains__, partial(list, options))


def template(**examples: object) -> Rule:
    """Return the rule that a text can be filled in, as by `str.format`.

    examples: a value for each field that the template may have.
    """
    names = ", ".join(f"{{{name}}}" for name in examples)
    return Rule(f"a template with no other fields than {names}", partial(_can_fill, examples))


Count: TypeAlias = Annotated[int, Rule("a whole number of at least 1", lambda number: number >= 1)]
Natural: TypeAlias = Annotated[
    int, Rule("a whole number of at least 0", lambda number: number >= 0)
]
#: how often something is repeated; a limit, because a number with a zero too many never ends
Repeats: TypeAlias = Annotated[
    int, Rule("a whole number from 1 to 1,000,000", lambda number: 1 <= number <= 1_000_000)
]
#: of a generator of random numbers; those of all libraries accept these
Seed: TypeAlias = Annotated[
    int, Rule("a whole number from 0 to 2^32 - 1", lambda number: 0 <= number < 2**32)
]
#: a whole number that fits into the files and arrays of other libraries
Storable: TypeAlias = Annotated[
    int, Rule("a whole number of at most 64 bits", lambda number: abs(number) <= LARGEST_WHOLE)
]

Positive: TypeAlias = Annotated[float, Rule("a number above 0", lambda number: number > 0)]
NotNegative: TypeAlias = Annotated[
    float, Rule("a number of at least 0", lambda number: number >= 0)
]
#: a probability or a part of a whole
Share: TypeAlias = Annotated[float, Rule("a number from 0 to 1", lambda number: 0 <= number <= 1)]
#: a share that leaves something over
ShareBelowOne: TypeAlias = Annotated[
    float, Rule("a number of at least 0, below 1", lambda number: 0 <= number < 1)
]
#: a share that is neither nothing nor the whole, such as a level of confidence
InnerShare: TypeAlias = Annotated[
    float, Rule("a number between 0 and 1", lambda number: 0 < number < 1)
]


def _is_name(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which no file and no request can hold
        return False
    return bool(text.strip())


def _is_path(path: str | Path) -> bool:
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return bool(name.strip()) and b"\0" not in name


def _are_numbers(values: Any) -> bool:
    import numpy as np  # whoever has an array has imported it

    try:
        kind = np.asarray(values).dtype.kind
    except ValueError:  # lists of different lengths
        return False

    is_numeric = kind in "biuf"  # truth, signed and unsigned whole numbers, floats
    return is_numeric and not np.ma.is_masked(values)


def _is_template(text: str) -> bool:
    try:
        parts = list(Formatter().parse(text))
    except ValueError:  # a brace without its counterpart
        return False

    names = [name for _, name, _, _ in parts if name is not None]
    are_plain = all(name.isidentifier() for name in names)
    return are_plain and _can_fill(dict.fromkeys(names, ""), text)


def _can_fill(examples: Mapping[str, object], text: str) -> bool:
    try:
        text.format(**examples)
    except (ValueError, LookupError, AttributeError, TypeError):
        return False
    return True


Name: TypeAlias = Annotated[str, Rule("a text that is not empty, in UTF-8", _is_name)]
FilePath: TypeAlias = Annotated[str | Path, Rule("a path", _is_path)]
#: numbers in lists or arrays of any shape; NaN is among numbers
Numbers: TypeAlias = Annotated["ArrayLike", Rule("a list of numbers", _are_numbers)]
#: a text that is filled with the columns of a row, or the fields of a record
Template: TypeAlias = Annotated[
    str, Rule("a template with fields, such as '{title} {text}'", _is_template)
]


# --- the conversion of each kind ----------------------------------------------------------------


class Mismatch(Exception):
    """A value is not what its annotation says.

    expected: the part of the annotation that the value does not meet.
    value: the wrong value, which may be an item of the argument.
    place: where the item is in the argument, such as ``['bm25']``; "" for the argument itself.
    """

    def __init__(self, expected: Any, value: object, place: str = "") -> None:
        super().__init__(expected, value, place)
        self.expected = expected
        self.value = value
        self.place = place

    def move_into(self, outer_place: str) -> "Mismatch":
        """Return the same mismatch, of an item that is at `outer_place` of a larger value."""
        return Mismatch(self.expected, self.value, f"{outer_place}{self.place}")


def _convert(value: Any, expected: Any) -> Any:
    """Return `value`, numpy's numbers as Python's, if it is what the annotation `expected` says.

    Raises:
        Mismatch: it is not.
    """
    origin = get_origin(expected)
    if origin is Annotated:
        return _convert_annotated(value, expected)
    if origin in (Union, UnionType):
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
    if not holds:
        raise Mismatch(expected, value)


def _convert_annotated(value: object, expected: Any) -> object:
    """Convert to the type first; then each rule must hold of the result."""
    base, *remarks = get_args(expected)
    try:
        converted = _convert(value, base)
    except Mismatch as mismatch:
        is_about_part = mismatch.place or mismatch.expected is not base
        if is_about_part:  # it knows better what is wrong
            raise
        raise Mismatch(expected, value) from None

    for remark in remarks:
        if isinstance(remark, Rule):
            _require(remark.holds(converted), value, expected)
    return converted


def _convert_union(value: object, expected: Any) -> object:
    """Return the value as the first alternative that accepts it."""
    wrong_items = []
    for alternative in get_args(expected):
        try:
            return _convert(value, alternative)
        except Mismatch as mismatch:
            if mismatch.place:
                wrong_items.append(mismatch)

    if wrong_items:  # a list or a dict was the right kind, but not what it holds
        raise wrong_items[0]
    raise Mismatch(expected, value)


def _convert_literal(value: object, expected: Any) -> object:
    for option in get_args(expected):
        # by the type, too: 1 equals True
        if isinstance(value, type(option)) and value == option:
            return option
    raise Mismatch(expected, value)


def _convert_whole(value: Any, expected: Any) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    _require(is_whole, value, expected)

    number = int(value)
    _require(abs(number) <= LARGEST_WHOLE, value, Storable)
    return number


def _convert_number(value: Any, expected: Any) -> float:
    if type(value) is int:  # it stays one: requests and fingerprints write 0 and 0.0 differently
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
    # numpy's own, without importing numpy; its name is bool_ or bool
    value_type = type(value)
    is_of_numpy = value_type.__module__ == "numpy" and value_type.__name__.startswith("bool")

    _require(isinstance(value, bool) or is_of_numpy, value, expected)
    return bool(value)


def _convert_path(value: Any, expected: Any) -> Path:
    _require(isinstance(value, os.PathLike), value, expected)
    try:
        return Path(value)
    except TypeError:  # a path of bytes
        raise Mismatch(expected, value) from None


def _check_mapping(value: Any, expected: Any) -> None:
    """Check a dict, and what it holds; other mappings may read each item from a disk."""
    _require(isinstance(value, Mapping), value, expected)
    if type(value) is not dict:
        return

    key_kind, item_kind = get_args(expected) or (object, object)
    for key, item in value.items():
        try:
            _convert(key, key_kind)
        except Mismatch as mismatch:
            raise Mismatch(mismatch.expected, mismatch.value, " (a key)") from None
        try:
            _convert(item, item_kind)
        except Mismatch as mismatch:
            raise mismatch.move_into(f"[{show_value(key)}]") from None


def _check_collection(value: Any, expected: Any) -> None:
    """Check that a value is a list or alike; arrays and columns of frames are lists, too."""
    kind = get_origin(expected) or expected
    is_frame = hasattr(value, "columns")
    if _is_single(value) or is_frame:
        raise Mismatch(expected, value)

    if isinstance(value, Mapping):  # a dict is a collection of its keys, but no list
        _require(kind is Collection, value, expected)
        return

    is_list = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    _require(is_list or isinstance(value, kind), value, expected)

    is_array = hasattr(value, "dtype")
    if is_array or isinstance(value, (list, tuple, set, frozenset)):
        _check_items(value, expected)


def _check_items(values: Any, expected: Any) -> None:
    """Check each item of a list, a set or an array by the types in the annotation."""
    item_kinds: Sequence[Any] = get_args(expected)
    if _is_record(expected):
        _require(len(values) == len(item_kinds), values, expected)
    elif not item_kinds:
        return
    elif _are_instances(values, item_kinds[0]):
        return
    else:
        item_kinds = [item_kinds[0]] * len(values)

    for number, (item, item_kind) in enumerate(zip(values, item_kinds)):
        try:
            _convert(item, item_kind)
        except Mismatch as mismatch:
            raise mismatch.move_into(f"[{number}]") from None


def _are_instances(values: Any, kind: object) -> bool:
    """Return whether all items are of a class by their types alone, of which there are few.

    It is the fast path for thousands of texts or records; where it says no, each item is checked.
    """
    is_plain_class = _is_checkable(kind) and not getattr(kind, "_is_protocol", False)
    if not is_plain_class or kind in CONVERTED_KINDS:
        return False
    item_types = set(map(type, values))
    return all(issubclass(item_type, kind) for item_type in item_types)  # type: ignore[arg-type]


def _is_single(value: object) -> bool:
    """Return whether a value is one item although Python may iterate over it."""
    is_number = getattr(value, "ndim", 1) == 0  # an array of numpy's without a dimension
    return is_number or isinstance(value, (str, bytes))


def _is_record(expected: Any) -> bool:
    """Return whether an annotation is a tuple with a type for each place."""
    return get_origin(expected) is tuple and Ellipsis not in get_args(expected)


def _is_checkable(kind: object) -> bool:
    """Return whether `isinstance` knows the kind: a class, but no protocol that does not."""
    if not isinstance(kind, type) or kind in (object, Any):
        return False
    is_protocol = getattr(kind, "_is_protocol", False)
    return not is_protocol or getattr(kind, "_is_runtime_protocol", False)


def _is_frame(expected: Any) -> bool:
    """Return whether only a frame was expected, or None."""
    alternatives = get_args(expected) or (expected,)
    names = [getattr(kind, "__name__", "") for kind in alternatives if kind is not NoneType]
    return names == ["DataFrame"]


# --- what an error says -------------------------------------------------------------------------


class KindName(NamedTuple):
    """What errors call one value of a type, and several."""

    singular: str
    plural: str


KIND_NAMES: dict[type | None, KindName] = {
    int: KindName("a whole number", "whole numbers"),
    float: KindName("a number", "numbers"),
    bool: KindName("True or False", "True or False"),
    str: KindName("a text", "texts"),
    Path: KindName("a path", "paths"),
    NoneType: KindName("None", "None"),
    None: KindName("None", "None"),
}


def _describe_error(mismatch: Mismatch, where: str, name: str, default: object) -> str:
    """Say which argument is wrong, what was expected, and what to do."""
    argument = f"{name}{mismatch.place}={show_value(mismatch.value)}"
    remedy = "Pass one." if default is REQUIRED else f"The default is {show_value(default)}."

    options = _list_options(mismatch.expected)
    if options and isinstance(mismatch.value, str):  # perhaps one of them, mistyped
        from ir_datasets_ext.choices import suggest_choice  # its package takes a while to import

        remedy = suggest_choice(mismatch.value, options, remedy)
    return f"{where}, {argument}: {_describe_expected(mismatch.expected)}. {remedy}"


def show_value(value: object) -> str:
    """Return a wrong value for an error: short, on one line, without secrets."""
    from ir_datasets_ext.redaction import redact  # its package takes a while to import

    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"  # type: ignore[arg-type]  # frames have a length
    try:
        long_text = _make_short_repr().repr(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return f"<{type(value).__name__} that is too long to show>"

    text = redact(" ".join(long_text.split()))
    if len(text) <= LONGEST_SHOWN_VALUE:
        return text
    return f"{text[:LONGEST_SHOWN_VALUE]}…"


@cache
def _make_short_repr() -> Repr:
    """Return what writes values as `repr` does, but only the first items of a list or a dict."""
    short_repr = Repr()
    for kind in ("list", "tuple", "dict", "set"):
        setattr(short_repr, f"max{kind}", SHOWN_ITEMS)
    # not shorter: half of a secret would not be recognised as one
    short_repr.maxstring = 10_000
    short_repr.maxother = 10_000
    return short_repr


def _describe_expected(expected: Any) -> str:
    """Say what an annotation wants: "expected a whole number or None", "choose one of a, b"."""
    options = _list_options(expected)
    if not options:
        return f"expected {_name_kind(expected)}"

    alternatives = _list_alternatives(expected)
    if NoneType in alternatives:
        options = [*options, None]
    choice = f"choose one of {', '.join(str(option) for option in options)}"

    others = [kind for kind in alternatives if kind is not NoneType and not _list_options(kind)]
    if not others:
        return choice
    other_names = [_name_kind(kind) for kind in others]
    return f"{choice}, or pass {_join(other_names)}"


def _list_alternatives(expected: Any) -> list[Any]:
    """Return the types of a union, also of one within it; or the only type."""
    if get_origin(expected) not in (Union, UnionType):
        return [expected]

    alternatives = []
    for part in get_args(expected):
        alternatives += _list_alternatives(part)
    return alternatives


def _list_options(expected: Any) -> list[object]:
    """Return the values that may be chosen from: of each `Literal`, and of `one_of`."""
    options: list[object] = []
    for alternative in _list_alternatives(expected):
        if get_origin(alternative) is Literal:
            options += get_args(alternative)
        if get_origin(alternative) is Annotated:
            for rule in _list_rules(alternative):
                options += rule.list_options()
    return options


def _list_rules(annotated: Any) -> list[Rule]:
    _, *remarks = get_args(annotated)
    return [remark for remark in remarks if isinstance(remark, Rule)]


def _name_kind(expected: Any) -> str:
    """Name what an annotation accepts: "a whole number or None"."""
    origin, parts = get_origin(expected), get_args(expected)
    if origin is Annotated:
        return " ".join(rule.meaning for rule in _list_rules(expected))
    if origin in (Union, UnionType):
        part_names = [_name_kind(part) for part in parts]
        return _join(list(dict.fromkeys(part_names)))  # each once
    if origin is Literal:
        return _join([repr(option) for option in parts])

    kind = origin or expected
    if kind in KIND_NAMES:
        return KIND_NAMES[kind].singular
    if kind in MAPPINGS:
        return "a dict"
    if _is_record(expected):
        return f"a list of {len(parts)} values"
    if kind in COLLECTIONS:
        return _name_list(parts)
    if kind in ITERABLES:
        return f"{_name_list(parts)} or another iterable"
    if kind is Callable:
        return "a function"
    return _name_class(kind)


def _name_list(parts: Sequence[Any]) -> str:
    item_kind = parts[0] if parts else object
    return f"a list of {KIND_NAMES[item_kind].plural}" if item_kind in KIND_NAMES else "a list"


def _name_class(kind: type) -> str:
    """Name a class with its article; one of another library by the library's name, too."""
    library = kind.__module__.partition(".")[0]
    our_package = __name__.partition(".")[0]
    name = kind.__name__
    if library not in ("builtins", our_package):
        name = f"{library}.{name}"

    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name}"


def _join(alternatives: list[str]) -> str:
    """Join with commas, and "or" before the last one."""
    *others, last = alternatives
    return f"{', '.join(others)} or {last}" if others else last
