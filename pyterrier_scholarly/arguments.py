"""Check arguments and settings by their annotations, which say what is expected.

    >>> @check_arguments
    ... def count_words(text: str, shortest: Count = 3) -> int:
    ...     return sum(len(word) >= shortest for word in text.split())
    >>> count_words("a walk", shortest=0)
    Traceback (most recent call last):
    ValueError: count_words, shortest=0: expected a whole number of at least 1. The default is 3.

So a function's first line may trust its arguments, as a transformer trusts a frame after
`frames.check`. What an annotation means here:

- ``int``: a whole number of at most 64 bits; not 1.0, "1" or True.
- ``float``: a finite number, perhaps a whole one; not NaN, "1" or True.
- ``bool``: true or false; not 0, 1 or "no".
- ``Literal``: one of its values.
- ``Annotated`` with a `Rule`, such as `Count`: a value of the type that also meets the rule. With
  ``one_of(…)``, a text that is one of the keys of a dict.
- ``Mapping``, ``Sequence``, ``tuple`` and alike: the items of Python's own dicts and lists, and of
  arrays, are checked, too. Others may read each item from a disk. A text is no list of texts.
- another class: its instances. An optional argument may be None, and each may be its default.
- everything else is not checked: ``object``, protocols, annotations in quotation marks.

Numbers, booleans and texts of other libraries, and Fractions and Decimals, become Python's own, so
that settings are compared, printed and stored alike. A wrong frame raises TypeError, as in
`frames.check`; everything else raises ValueError.

Why not msgspec, which reads our files: it knows neither numpy's numbers nor unions of classes, and
takes NaN for a number. Checkers of types, such as beartype, take a text for a list of texts.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from enum import Enum
from functools import cache, partial, wraps
from itertools import count, repeat
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

from .choices import find_similar
from .redaction import redact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

REQUIRED: Any = inspect.Parameter.empty  #: the default of an argument without one
LARGEST_WHOLE = 2**63 - 1  # that fits into the files and arrays of other libraries
LONGEST_SHOWN_VALUE = 80  # characters of a wrong value
SHOWN_ITEMS = 4  # of a wrong list or dict

MAPPINGS = (dict, Mapping)
COLLECTIONS = (list, tuple, set, frozenset, Sequence, Collection)
ITERABLES = (Iterable, Iterator)  #: their items are not checked: they may end after one pass
#: what errors call a value of a type
KIND_NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "None",
    Callable: "a function",
    **dict.fromkeys(MAPPINGS, "a dict"),
}
#: what they call several values
PLURALS = {int: "whole numbers", float: "numbers", str: "texts"}


class Rule(NamedTuple):
    """What a value must meet besides its type: ``Annotated[int, Rule("an even number", is_even)]``.

    Attributes:
        meaning: what is expected, for the error: a noun with its article.
        holds: function from a value of the right type to whether it meets the rule. The default
            accepts all: such a rule only says better what is meant.
        list_options: function that returns all values that meet the rule; none if they cannot be
            listed. A function, because a rule needs a hash, which a dict of options lacks.
    """

    meaning: str
    holds: Callable[[Any], bool] = lambda value: True
    list_options: Callable[[], Sequence[str]] = tuple

    def __repr__(self) -> str:
        return self.meaning


class Misfit(NamedTuple):
    """A value that is not what its annotation says.

    place: where it is in the argument, such as ``['bm25']``; "" for the argument itself.
    """

    value: object
    expected: Any
    place: str = ""


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
        value = check_field(settings_name, field, getattr(settings, field.name))
        # the only way to set a field of a frozen dataclass
        object.__setattr__(settings, field.name, value)


def check_field(where: str, field: Field[Any], value: object) -> Any:
    """Return the value for a field of a dataclass, numpy's numbers as Python's; see `check_value`.

    where: the class's name.
    """
    default = REQUIRED if field.default is MISSING else field.default
    return check_value(where, field.name, value, field.type, default)


def check_value(where: str, name: str, value: object, expected: Any, default: object) -> Any:
    """Return the value of one argument, numpy's numbers as Python's; see `check_arguments`.

    where: the function's or the class's name. expected: the annotation.
    default: REQUIRED if there is none.
    """
    value = to_python(value)
    # a default is never wrong: people leave None out of ``names: list = None``
    misfit = None if value is default else find_misfit(value, expected)
    if misfit is None:
        return value

    # by name, so that pandas is not imported for it
    names_of_kinds = {getattr(kind, "__name__", "") for kind in _list_kinds(misfit.expected)}
    is_frame_expected = names_of_kinds - {"NoneType"} == {"DataFrame"}
    remedy = "Pass one." if default is REQUIRED else f"The default is {show_value(default)}."
    message = (
        f"{where}, {name}{misfit.place}={show_value(misfit.value)}: expected "
        f"{_describe_expected(misfit)} {remedy}"
    )
    raise TypeError(message) if is_frame_expected else ValueError(message)


def to_python(value: Any) -> Any:
    """Return a number, boolean or text of another library as Python's; anything else as it is."""
    # of numpy or PyTorch, also an array without dimensions; by its fields, as both import slowly
    is_of_array = getattr(value, "ndim", None) == 0 and hasattr(value, "item")
    if is_of_array and not hasattr(value, "mask"):  # a masked number would become 0
        value = value.item()
    if isinstance(value, (bool, str, Enum)):  # a member of an IntEnum is Integral, too
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, (Real, Decimal)):
        return float(value)
    return value


# --- what fits an annotation ----------------------------------------------------------------------


def find_misfit(value: Any, expected: Any) -> Misfit | None:
    """Return the value, or the item of it, that is not what an annotation says; None if all fit.

    >>> find_misfit(["a", 5], list[str] | None)
    Misfit(value=5, expected=<class 'str'>, place='[1]')
    """
    closest_misfit = Misfit(value, expected)
    for kind in _list_kinds(expected):
        misfit = _find_misfit_of_kind(value, kind)
        if misfit is None:
            return None

        # a list or a dict of the right kind, but not what it holds; or a number that is too large
        is_almost_right = misfit.place or misfit.expected is Storable
        if is_almost_right:
            closest_misfit = misfit
    return closest_misfit


def _list_kinds(expected: Any) -> list[Any]:
    """Return the types of a union, also of one within it; or the only type."""
    if get_origin(expected) not in (Union, UnionType):
        return [expected]
    return [kind for part in get_args(expected) for kind in _list_kinds(part)]


def _find_misfit_of_kind(value: Any, kind: Any) -> Misfit | None:
    """Return what `find_misfit` does, for an annotation that is no union."""
    kind_class: Any = get_origin(kind) or kind  # the `list` of ``list[str]``
    if kind_class is Annotated:
        return _find_misfit_of_rules(value, kind)
    if kind_class in MAPPINGS:
        return _find_misfit_in_dict(value, kind)
    if kind_class in COLLECTIONS:
        return _find_misfit_in_list(value, kind)
    if kind_class in (int, float) and isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return Misfit(value, Storable)

    if kind_class is Literal:
        # by the type, too: 1.0 equals 1
        fits = any(isinstance(value, type(one)) and value == one for one in get_args(kind))
    elif kind_class is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif kind_class is float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = is_number and isfinite(value)
    elif kind_class in ITERABLES:
        fits = isinstance(value, kind_class) and not isinstance(value, (str, bytes))
    else:
        try:
            fits = isinstance(value, kind_class)
        except TypeError:  # a protocol or an annotation in quotation marks: Python cannot tell
            fits = True
    return None if fits else Misfit(value, kind)


def _find_misfit_of_rules(value: Any, kind: Any) -> Misfit | None:
    """Return what `find_misfit` does, for ``Annotated[type, Rule(…)]``."""
    value_type, *metadata = get_args(kind)
    misfit = find_misfit(value, value_type)
    if misfit is not None:
        is_about_whole_value = misfit.expected is value_type and not misfit.place
        # as "7" for a `Count`: the error names the rules, too
        return Misfit(value, kind) if is_about_whole_value else misfit

    rules = [part for part in metadata if isinstance(part, Rule)]  # others may add theirs
    return None if all(rule.holds(value) for rule in rules) else Misfit(value, kind)


def _find_misfit_in_dict(value: Any, kind: Any) -> Misfit | None:
    """Return what `find_misfit` does, for a dict, with or without types of keys and items."""
    if not isinstance(value, Mapping):
        return Misfit(value, kind)
    if type(value) is not dict or not get_args(kind):  # others may read each item from a disk
        return None

    key_type, item_type = get_args(kind)
    for key in value:
        misfit = find_misfit(to_python(key), key_type)
        if misfit is not None:
            return misfit._replace(place=f" (a key){misfit.place}")
    return _find_first_misfit((key, item, item_type) for key, item in value.items())


def _find_misfit_in_list(value: Any, kind: Any) -> Misfit | None:
    """Return what `find_misfit` does, for a list or alike, with or without types of items.

    A list is what has a length and is indexed, such as a tuple, an array, or a column of a frame;
    but no text, no frame, and no dict.
    """
    kind_class = get_origin(kind) or kind
    # a dict is a collection of its keys, but no list or set of them
    is_wrong_mapping = isinstance(value, Mapping) and kind_class is not Collection
    is_single = isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) == 0
    is_frame = hasattr(value, "columns")
    is_like_list = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    is_set = isinstance(value, Set) and kind_class in (set, frozenset)
    is_list = is_like_list or is_set or isinstance(value, kind_class)
    if is_wrong_mapping or is_single or is_frame or not is_list:
        return Misfit(value, kind)

    # items of other classes may be read from a disk one by one
    is_in_memory = hasattr(value, "dtype") or isinstance(value, (list, tuple, set, frozenset))
    item_types: Iterable[Any] = get_args(kind)
    if not is_in_memory or not item_types:
        return None

    if _is_record(kind):
        if len(value) != len(get_args(kind)):
            return Misfit(value, kind)
    else:  # one type for all items; a second one is the ``...`` of a tuple
        item_type = get_args(kind)[0]
        if item_type is str and all(isinstance(item, str) for item in value):
            return None  # the fast path for thousands of texts
        item_types = repeat(item_type)

    return _find_first_misfit(zip(count(), value, item_types))


def _find_first_misfit(typed_items: Iterable[tuple[object, Any, Any]]) -> Misfit | None:
    """Return the first item that is not what its annotation says, with its place.

    typed_items: of each item its number or key, the item, and its annotation.
    """
    for number_or_key, item, item_type in typed_items:
        misfit = find_misfit(to_python(item), item_type)
        if misfit is not None:
            # only now, because showing a key takes far longer than checking an item
            place = f"[{show_value(number_or_key)}]"
            return misfit._replace(place=place + misfit.place)
    return None


def _is_record(kind: Any) -> bool:
    """Return whether an annotation is a tuple with a type for each place."""
    return get_origin(kind) is tuple and Ellipsis not in get_args(kind)


# --- the text of an error -------------------------------------------------------------------------


def show_value(value: object) -> str:
    """Return a wrong value for an error: short, on one line, without secrets.

    An argument in the wrong place may hold a key, as ``OpenAIChat("gpt-4o", options="sk-…")``.
    """
    if hasattr(value, "columns"):
        return f"<frame of {len(value)} rows>"  # type: ignore[arg-type]  # frames have a length

    short_repr = Repr()  # works as `repr` does, but shows a list's first items only
    short_repr.maxlist = short_repr.maxtuple = short_repr.maxdict = short_repr.maxset = SHOWN_ITEMS
    # not shorter: half of a secret would not be recognised as one
    short_repr.maxstring = short_repr.maxother = 10_000
    try:
        long_text = short_repr.repr(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return f"<{type(value).__name__} that is too long to show>"

    text = redact(" ".join(long_text.split()))
    if len(text) <= LONGEST_SHOWN_VALUE:
        return text
    return f"{text[:LONGEST_SHOWN_VALUE]}…"


def _describe_expected(misfit: Misfit) -> str:
    """Say what an annotation wants, as the end of a sentence, and which option is perhaps meant.

    "a whole number or None.", "one of 'max', 'mean'; did you mean 'mean'?"
    """
    options = []
    descriptions = []
    for kind in _list_kinds(misfit.expected):
        options_of_kind = _list_options(kind)
        options += options_of_kind
        if not options_of_kind:
            descriptions.append(_name_kind(kind))

    if options:  # they come first, because the value is most likely one of them, mistyped
        shown_options = ", ".join(map(repr, options))
        descriptions.insert(0, f"one of {shown_options}")
    *others, last = dict.fromkeys(descriptions)  # each once
    expected = f"{', '.join(others)} or {last}" if others else last

    if isinstance(misfit.value, str):
        similar_options = find_similar(misfit.value, map(str, options))
        if similar_options:
            return f"{expected}; did you mean {similar_options[0]!r}?"
    return f"{expected}."


def _list_options(kind: Any) -> list[object]:
    """Return the values that may be chosen from: of a `Literal`, or of `one_of`."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [option for rule in _list_rules(kind) for option in rule.list_options()]


def _list_rules(kind: Any) -> list[Rule]:
    """Return the rules of ``Annotated[type, Rule(…)]``; none of another annotation."""
    return [part for part in get_args(kind) if isinstance(part, Rule)]


def _name_kind(kind: Any) -> str:
    """Name what an annotation accepts, which is no union: "a whole number", "a list of texts"."""
    rules = _list_rules(kind)
    if rules:
        return " ".join(rule.meaning for rule in rules)
    if get_origin(kind) is Annotated:  # with what other libraries read
        return _name_kind(get_args(kind)[0])

    kind_class = get_origin(kind) or kind
    if kind_class in KIND_NAMES:
        return KIND_NAMES[kind_class]
    if _is_record(kind):
        return f"a list of {len(get_args(kind))} values"
    if kind_class in (*COLLECTIONS, *ITERABLES):
        item_type = next(iter(get_args(kind)), object)
        list_name = f"a list of {PLURALS[item_type]}" if item_type in PLURALS else "a list"
        return list_name if kind_class in COLLECTIONS else f"{list_name} or another iterable"

    library = kind_class.__module__.partition(".")[0]
    our_package = __name__.partition(".")[0]
    name = kind_class.__name__
    if library not in ("builtins", our_package):
        name = f"{library}.{name}"
    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name}"


# --- kinds of arguments: those of one rule, then those whose rule is a function -------------------


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
Positive: TypeAlias = Annotated[float, Rule("a number above 0", lambda number: number > 0)]
NotNegative: TypeAlias = Annotated[
    float, Rule("a number of at least 0", lambda number: number >= 0)
]
#: how often something is repeated; a limit, because a number with a zero too many never ends
Repeats: TypeAlias = Annotated[
    int, Rule("a whole number from 1 to 1,000,000", lambda number: 1 <= number <= 1_000_000)
]
#: of a generator of random numbers; those of all libraries accept these
Seed: TypeAlias = Annotated[
    int, Rule("a whole number from 0 to 2^32 - 1", lambda number: 0 <= number < 2**32)
]
Storable: TypeAlias = Annotated[int, Rule("a whole number of at most 64 bits")]
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


def _is_not_blank(text: str | Path) -> bool:
    return bool(str(text).strip())


def _are_numbers(values: Any) -> bool:
    """Return whether numpy makes an array of numbers of the values."""
    import numpy as np  # whoever has an array has imported it

    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        return False
    if array.size == 0:
        return True  # a frame without rows has columns of objects

    is_numeric = array.dtype.kind in "biuf"  # truth, signed and unsigned whole numbers, floats
    return is_numeric and not np.ma.is_masked(values)


def _is_template(text: str) -> bool:
    """Return whether a text can be filled in by `str.format`, with texts for its fields."""
    try:
        # a part is the text before a field, the field's name (None behind the last one), its format
        field_names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:  # a brace without its counterpart
        return False

    are_plain_names = all(name.isidentifier() for name in field_names)
    return are_plain_names and _can_fill(dict.fromkeys(field_names, ""), text)


def _can_fill(examples: Mapping[str, object], text: str) -> bool:
    """Return whether a text can be filled in with these values."""
    try:
        text.format(**examples)
    except (ValueError, LookupError, AttributeError, TypeError):
        return False
    return True


Name: TypeAlias = Annotated[str, Rule("a text that is not empty", _is_not_blank)]
FilePath: TypeAlias = Annotated[str | Path, Rule("a path", _is_not_blank)]
#: numbers in lists or arrays of any shape; NaN is among numbers
Numbers: TypeAlias = Annotated["ArrayLike", Rule("a list of numbers", _are_numbers)]
#: a text that is filled with the columns of a row, or the fields of a record
Template: TypeAlias = Annotated[
    str, Rule("a template with fields, such as '{title} {text}'", _is_template)
]
