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
MAPPINGS = (dict, Mapping)
COLLECTIONS = (list, tuple, Sequence, Collection)  #: their items are checked
ITERABLES = (Iterable, Iterator)  #: theirs are not, because they may end after one pass


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
    return kind in "biuf" and not np.ma.is_masked(values)


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
#: a whole number that fits into the files and arrays of other libraries
STORABLE: TypeAlias = Annotated[
    int, Rule("a whole number of at most 64 bits", lambda number: abs(number) <= LARGEST_WHOLE)
]
Name: TypeAlias = Annotated[str, Rule("a text that is not empty, in UTF-8", _is_name)]
#: numbers in lists or arrays of any shape; NaN is among numbers
Numbers: TypeAlias = Annotated["ArrayLike", Rule("a list of numbers", _are_numbers)]
FilePath: TypeAlias = Annotated[str | Path, Rule("a path", _is_path)]


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


def _can_fill(examples: Mapping[str, object], text: str) -> bool:
    try:
        text.format(**examples)
    except (ValueError, LookupError, AttributeError, TypeError):
        return False
    return True


def _is_template(text: str) -> bool:
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:  # a brace without its counterpart
        return False
    examples = dict.fromkeys(names, "")
    return all(map(str.isidentifier, names)) and _can_fill(examples, text)


#: a text that is filled with the columns of a row, or the fields of a record
Template: TypeAlias = Annotated[
    str, Rule("a template with fields, such as '{title} {text}'", _is_template)
]


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


def check_arguments(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Make a function check its arguments when it is called; a decorator.

    Raises:
        ValueError: (of the function) an argument is not what its annotation says; names function,
            argument, value, what was expected, and the default.
        TypeError: (of the function) an argument that must be a frame is none.
    """
    signature_of = cache(inspect.signature)  # at the first call: it is slow, and few are called

    @wraps(function)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        signature = signature_of(function)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # an argument is missing or unknown: Python's own error names it
            return function(*args, **kwargs)

        where = function.__qualname__.removesuffix(".__init__")
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            is_single = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if is_single and parameter.annotation is not parameter.empty:
                bound.arguments[name] = check_value(
                    where, name, value, parameter.annotation, parameter.default
                )
        return function(*bound.args, **bound.kwargs)

    return checked


def check_fields(settings: Any, where: str = "") -> None:
    """Check the fields of a dataclass, even of a frozen one, and convert numpy's numbers.

    where: what errors call the settings; default: the name of the class.
    """
    where = where or type(settings).__name__
    for field in fields(settings):
        value = getattr(settings, field.name)
        default = REQUIRED if field.default is MISSING else field.default
        checked = check_value(where, field.name, value, field.type, default)
        if checked is not value:
            object.__setattr__(settings, field.name, checked)


def check_value(where: str, name: str, value: object, expected: Any, default: object) -> Any:
    """Return the value of one argument, numpy's numbers as Python's; see `check_arguments`.

    where: the function's or the class's name. expected: the annotation.
    default: REQUIRED if there is none.
    """
    try:
        return convert(value, expected)
    except Mismatch as mismatch:
        wrong = mismatch

    error_class = TypeError if _is_frame(wrong.expected) else ValueError
    argument = f"{name}{wrong.place}={show_value(wrong.value)}"
    remedy = "Pass one." if default is REQUIRED else f"The default is {show_value(default)}."
    raise error_class(
        f"{where}, {argument}: {describe(wrong.expected)}. {_suggest_option(wrong, remedy)}"
    )


def convert(value: Any, expected: Any) -> Any:
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

    plain = origin or expected
    if plain in CONVERTERS:
        return CONVERTERS[plain](value, expected)
    if plain in MAPPINGS:
        _check_mapping(value, expected)
    elif plain in COLLECTIONS:
        _check_items(value, expected)
    elif plain in ITERABLES:
        _require(isinstance(value, plain) and not _is_single(value), value, expected)
    elif plain is Callable:
        _require(callable(value), value, expected)
    elif _is_checkable(plain):
        _require(isinstance(value, plain), value, expected)
    return value


def _require(holds: bool, value: object, expected: Any) -> None:
    if not holds:
        raise Mismatch(expected, value)


def _convert_annotated(value: object, expected: Any) -> object:
    """Check the type first, then what each rule says of it."""
    base, *remarks = get_args(expected)
    try:
        converted = convert(value, base)
    except Mismatch as mismatch:
        if mismatch.place or mismatch.expected is not base:  # it knows better what is wrong
            raise
        raise Mismatch(expected, value) from None

    rules = [remark for remark in remarks if isinstance(remark, Rule)]
    _require(all(rule.holds(converted) for rule in rules), value, expected)
    return converted


def _convert_union(value: object, expected: Any) -> object:
    """Return the value as the first alternative that accepts it."""
    wrong_items = []
    for alternative in get_args(expected):
        try:
            return convert(value, alternative)
        except Mismatch as mismatch:
            if mismatch.place:
                wrong_items.append(mismatch)

    if wrong_items:  # a list or a dict was the right kind, but not what it holds
        raise wrong_items[0]
    raise Mismatch(expected, value)


def _convert_literal(value: object, expected: Any) -> object:
    for option in get_args(expected):
        if isinstance(value, type(option)) and value == option:
            return option
    raise Mismatch(expected, value)


def _convert_whole(value: Any, expected: Any) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    _require(is_whole, value, expected)
    _require(abs(int(value)) <= LARGEST_WHOLE, value, STORABLE)
    return int(value)


def _convert_number(value: Any, expected: Any) -> float:
    if type(value) is int:  # requests and fingerprints write 0 and 0.0 differently
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
    kind = type(value)
    # numpy's own, without importing numpy; its name is bool_ or bool
    is_of_numpy = kind.__module__ == "numpy" and kind.__name__.startswith("bool")
    _require(isinstance(value, bool) or is_of_numpy, value, expected)
    return bool(value)


def _convert_text(value: Any, expected: Any) -> str:
    _require(isinstance(value, str), value, expected)
    return value


def _convert_path(value: Any, expected: Any) -> Path:
    _require(isinstance(value, os.PathLike), value, expected)
    try:
        return Path(value)
    except TypeError:  # a path of bytes
        raise Mismatch(expected, value) from None


def _convert_none(value: object, expected: Any) -> None:
    _require(value is None, value, expected)


#: type -> the function that accepts its values
CONVERTERS: dict[type | None, Callable[[Any, Any], object]] = {
    int: _convert_whole,
    float: _convert_number,
    bool: _convert_truth,
    str: _convert_text,
    Path: _convert_path,
    NoneType: _convert_none,
    None: _convert_none,
}


def _check_mapping(value: Any, expected: Any) -> None:
    _require(isinstance(value, Mapping), value, expected)
    if type(value) is not dict:
        return

    key_kind, item_kind = get_args(expected) or (object, object)
    for key, item in value.items():
        try:
            convert(key, key_kind)
        except Mismatch as mismatch:
            mismatch.place = " (a key)"
            raise
        try:
            convert(item, item_kind)
        except Mismatch as mismatch:
            mismatch.place = f"[{show_value(key)}]{mismatch.place}"
            raise


def _check_items(value: Any, expected: Any) -> None:
    """Check the items of a list; arrays and columns of frames are lists, too."""
    kind = get_origin(expected) or expected
    is_list = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    if _is_single(value) or hasattr(value, "columns"):
        raise Mismatch(expected, value)
    if isinstance(value, Mapping):  # a dict is a collection of its keys, but no list
        _require(kind is Collection, value, expected)
        return
    _require(is_list or isinstance(value, kind), value, expected)
    if not isinstance(value, (list, tuple, set, frozenset)) and not hasattr(value, "dtype"):
        return

    kinds = get_args(expected) or (object, Ellipsis)
    if _is_record(expected):
        _require(len(value) == len(kinds), value, expected)
    else:
        kinds = (kinds[0],) * len(value)

    for number, (item, kind) in enumerate(zip(value, kinds)):
        try:
            convert(item, kind)
        except Mismatch as mismatch:
            mismatch.place = f"[{number}]{mismatch.place}"
            raise


def _is_single(value: object) -> bool:
    """Return whether a value is one item although Python iterates over it."""
    is_number = getattr(value, "ndim", 1) == 0  # an array of numpy's without a dimension
    return is_number or isinstance(value, (str, bytes))


def _is_record(expected: Any) -> bool:
    """Return whether an annotation is a tuple with a type for each place."""
    kinds = get_args(expected)
    return get_origin(expected) is tuple and Ellipsis not in kinds


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


#: type -> what errors call one, and several of its values
NAMES: dict[type | None, tuple[str, str]] = {
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("True or False", "True or False"),
    str: ("a text", "texts"),
    Path: ("a path", "paths"),
    NoneType: ("None", "None"),
    None: ("None", "None"),
}


def describe(expected: Any) -> str:
    """Say what an annotation wants: "expected a whole number or None", "choose one of a, b"."""
    alternatives = _alternatives(expected)
    options = _options(expected)
    if not options:
        return f"expected {_name(expected)}"

    if NoneType in alternatives:
        options = [*options, None]
    others = [kind for kind in alternatives if kind is not NoneType and not _options(kind)]
    choice = f"choose one of {', '.join(map(str, options))}"
    return f"{choice}, or pass {_join(list(map(_name, others)))}" if others else choice


def _alternatives(expected: Any) -> tuple[Any, ...]:
    """Return the types of a union, also of one within it; or the only type."""
    if get_origin(expected) not in (Union, UnionType):
        return (expected,)
    return tuple(kind for part in get_args(expected) for kind in _alternatives(part))


def _options(expected: Any) -> list[object]:
    """Return the values that may be chosen from: of each `Literal`, and of `one_of`."""
    options: list[object] = []
    for alternative in _alternatives(expected):
        if get_origin(alternative) is Literal:
            options += get_args(alternative)
        if get_origin(alternative) is Annotated:
            rules = [remark for remark in get_args(alternative)[1:] if isinstance(remark, Rule)]
            options += [option for rule in rules for option in rule.list_options()]
    return options


def _name(expected: Any) -> str:
    """Name what an annotation accepts: "a whole number or None"."""
    origin, parts = get_origin(expected), get_args(expected)
    if origin is Annotated:
        return " ".join(rule.meaning for rule in parts[1:] if isinstance(rule, Rule))
    if origin in (Union, UnionType):
        return _join(list(dict.fromkeys(map(_name, parts))))
    if origin is Literal:
        return _join([repr(option) for option in parts])

    plain = origin or expected
    if plain in NAMES:
        return NAMES[plain][0]
    if plain in MAPPINGS:
        return "a dict"
    if _is_record(expected):
        return f"a list of {len(parts)} values"
    if plain in COLLECTIONS:
        return _describe_list(parts)
    if plain in ITERABLES:
        return f"{_describe_list(parts)} or another iterable"
    if plain is Callable:
        return "a function"
    return _describe_class(plain)


def _describe_list(parts: Sequence[Any]) -> str:
    item = parts[0] if parts else object
    return f"a list of {NAMES[item][1]}" if item in NAMES else "a list"


def _describe_class(kind: type) -> str:
    library = kind.__module__.partition(".")[0]
    is_known = library in ("builtins", __name__.partition(".")[0])
    name = kind.__name__ if is_known else f"{library}.{kind.__name__}"
    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name}"


def _join(alternatives: list[str]) -> str:
    """Join with commas, and "or" before the last one."""
    *others, last = alternatives
    return f"{', '.join(others)} or {last}" if others else last


def _suggest_option(wrong: Mismatch, remedy: str) -> str:
    """Return the end of an error: the option that a mistyped text may mean, and the remedy."""
    options = _options(wrong.expected)
    if not options or not isinstance(wrong.value, str):
        return remedy
    from ir_datasets_ext.choices import suggest_choice  # its package takes a while to import

    return suggest_choice(wrong.value, options, remedy)


_in_one_line = Repr()
_in_one_line.maxlist = _in_one_line.maxtuple = _in_one_line.maxdict = _in_one_line.maxset = 4
# not shorter: half of a secret would not be recognised as one
_in_one_line.maxstring = _in_one_line.maxother = 10_000


def show_value(value: object) -> str:
    """Return a wrong value for an error: short, on one line, without secrets."""
    from ir_datasets_ext.redaction import redact  # its package takes a while to import

    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"  # type: ignore[arg-type]  # frames have a length
    try:
        text = redact(" ".join(_in_one_line.repr(value).split()))
    except ValueError:  # Python writes no whole number of thousands of digits
        return f"<{type(value).__name__} that is too long to show>"
    if len(text) <= LONGEST_SHOWN_VALUE:
        return text
    return f"{text[:LONGEST_SHOWN_VALUE]}…"
