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
- ``str``: a text. A `Name` is not blank, too.
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

The rules and named kinds are in `rules`, the checks in `checking`, the text of an error in
`error_texts`.
"""

from ..settings import Count, Natural, NotNegative, Positive, Rule, Share
from .checking import check_arguments, check_fields, check_value
from .error_texts import show_value
from .rules import (
    FilePath,
    InnerShare,
    Name,
    Numbers,
    Repeats,
    Seed,
    ShareBelowOne,
    Storable,
    Template,
    one_of,
    template,
)

__all__ = [
    "Count",
    "FilePath",
    "InnerShare",
    "Name",
    "Natural",
    "NotNegative",
    "Numbers",
    "Positive",
    "Repeats",
    "Rule",
    "Seed",
    "Share",
    "ShareBelowOne",
    "Storable",
    "Template",
    "check_arguments",
    "check_fields",
    "check_value",
    "one_of",
    "show_value",
    "template",
]
