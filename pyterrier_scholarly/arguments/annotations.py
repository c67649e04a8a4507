"""Questions about annotations, which the conversion and the text of an error both ask."""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

REQUIRED: Any = inspect.Parameter.empty  #: the default of an argument without one

# kinds of annotations with types of items
MAPPINGS = (dict, Mapping)
COLLECTIONS = (list, tuple, Sequence, Collection)  #: their items are checked
ITERABLES = (Iterable, Iterator)  #: theirs are not, because they may end after one pass


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
