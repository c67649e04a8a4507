"""The exception that says which part of an argument is wrong; an error's text is made of it."""

from typing import Any


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
