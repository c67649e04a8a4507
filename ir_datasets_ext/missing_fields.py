"""Records with a field that the files at hand have no value of, in any record.

::

    Refusing = make_refusing_class(TinyDoc, "full_text", "papers.jsonl has no full text")
    document = Refusing("7", "Title", "")
    document.title      # "Title"
    document.full_text  # raises MissingContent: papers.jsonl has no full text

An empty value would look like that of a record without one, and lead to wrong figures. So the
field raises where it is read; all else of the collection is served.
"""

from collections.abc import Callable, Iterable
from typing import NoReturn

from ir_datasets_ext.typed_records import MissingContent, Record


def make_refusing_class(cls: type[Record], field: str, problem: str) -> type[Record]:
    """Return a subclass of `cls`, a class of named tuples, that refuses to give out one field.

    MissingContent is raised where the field is read by its name or position, and by whatever reads
    the whole record: iteration (so also unpacking, ``_asdict()`` and ``_replace()``) and slices
    that have it.

    problem: the error's message.
    """
    field_count = len(cls._fields)
    refused_position = cls._fields.index(field)

    def read_field(record: Record) -> NoReturn:
        raise MissingContent(problem)

    def iterate(record: Record) -> NoReturn:
        raise MissingContent(problem)

    def get_item(record: Record, key: int | slice) -> object:
        if _reads_position(key, refused_position, field_count):
            raise MissingContent(problem)
        return tuple.__getitem__(record, key)

    def reduce(record: Record) -> tuple[Callable, tuple]:
        # pickle does not find the class in a module, so `_restore` makes the class again
        values = tuple(tuple.__iter__(record))  # not by our `__iter__`, which refuses
        return _restore, (cls, field, problem, values)

    members = {
        "__slots__": (),
        "__doc__": cls.__doc__,
        field: property(read_field),
        "__getitem__": get_item,
        "__iter__": iterate,
        "__reduce__": reduce,
    }
    return type(cls.__name__, (cls,), members)


def _reads_position(key: int | slice, position: int, field_count: int) -> bool:
    """Return whether ``record[key]`` reads the field at `position` of a record of so many fields.

    Raises IndexError for a key outside the record.
    """
    # a range of all positions takes slices and negative numbers as a record does, and returns
    # which positions they mean
    all_positions = range(field_count)
    if isinstance(key, slice):
        return position in all_positions[key]
    return position == all_positions[key]


def _restore(cls: type[Record], field: str, problem: str, values: Iterable) -> Record:
    """Return a record again; pickle calls this."""
    return make_refusing_class(cls, field, problem)._make(values)
