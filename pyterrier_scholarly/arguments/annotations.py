"""Questions about annotations, and the exception that says which part of an argument is wrong."""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

REQUIRED: Any = inspect.Parameter.empty  #: the default of an argument without one

# kinds of annotations with types of items
MAPPINGS = (dict, Mapping)
COLLECTIONS = (list, tuple, Sequence, Collection)  #: their items are checked
ITERABLES = (Iterable, Iterator)  #: theirs are not, because they may end after one pass


@dataclass(eq=False)
class Mismatch(Exception):
    """A value is not what its annotation says; an error's text is made of it.

    expected: the part of the annotation that the value does not meet.
    value: the wrong value, which may be an item of the argument.
    place: where the item is in the argument, such as ``['bm25']``; "" for the argument itself.
    """

    expected: Any
    value: object
    place: str = ""


def is_union(annotation: Any) -> bool:
    """Return whether an annotation is ``A | B``, or typing's Union."""
    return get_origin(annotation) in (Union, UnionType)


def is_record(annotation: Any) -> bool:
    """Return whether an annotation is a tuple with a type for each place."""
    return get_origin(annotation) is tuple and Ellipsis not in get_args(annotation)


def is_frame_annotation(annotation: Any) -> bool:
    """Return whether an annotation allows only a data frame, or also None."""
    alternatives = get_args(annotation) or (annotation,)
    # by name, so that pandas is not imported for it
    names = [getattr(kind, "__name__", "") for kind in alternatives if kind is not NoneType]
    return names == ["DataFrame"]
