"""Rules that a value meets besides its type, and the named kinds of arguments made of them.

    >>> Even = Annotated[int, Rule("an even number", lambda number: number % 2 == 0)]

`Count`, `Seed`, `FilePath` and the others below are such types, ready for an annotation.
"""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from ..settings import LARGEST_WHOLE, Rule

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


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


# --- kinds of numbers -------------------------------------------------------------------------

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

#: a share that leaves something over
ShareBelowOne: TypeAlias = Annotated[
    float, Rule("a number of at least 0, below 1", lambda number: 0 <= number < 1)
]
#: a share that is neither nothing nor the whole, such as a level of confidence
InnerShare: TypeAlias = Annotated[
    float, Rule("a number between 0 and 1", lambda number: 0 < number < 1)
]


# --- kinds of texts, paths and lists: the questions, then the kinds ----------------------------


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
