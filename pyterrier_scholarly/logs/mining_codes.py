"""The codes in the tables of a mining: why a line is dropped, and what follows a download.

A code is a small number in a table's column, and has a text for people:

    >>> Reason.NO_USER.text
    'no user'
    >>> Reason(6)
    <Reason.NO_USER: 6>

Ibis takes an enum's member for a text, so expressions have its number, ``Reason.KEPT.value``.
"""

from enum import IntEnum


class Code(IntEnum):
    """A number in a table, with a text that people read."""

    text: str

    def __new__(cls, number: int, text: str) -> "Code":
        """Make a member of its number and text; Python calls this for each line of a class."""
        code = int.__new__(cls, number)
        code._value_ = number
        code.text = text
        return code


class Reason(Code):
    """Why a line is dropped: the first reason that fits; KEPT for a download.

    The texts stand in summaries and manifests.
    """

    KEPT = 0, "kept"

    # of form
    HEADER = 1, "header line"
    ENCODING = 2, "not UTF-8"
    QUOTATION = 3, "quotation mark"
    FIELDS = 4, "number of fields"
    JSON = 5, "not a JSON object"

    # of content
    NO_USER = 6, "no user"
    NO_DOCUMENT = 7, "no document"
    BLANK = 8, "blank in a document id"
    NO_TIME = 9, "no time"
    BAD_TIME = 10, "time not understood"

    # of choice
    EARLY = 11, "time before `since`"
    LATE = 12, "time after `until`"
    OTHER_DOCUMENT = 13, "document not in `only`"


class Outcome(Code):
    """What follows a download: a PAIR, or why the next download makes no pair with it.

    `key` names it in summaries, manifests and synthetic logs.
    """

    PAIR = 0, "consecutive downloads"
    SAME = 1, "the same document again"
    SOON = 2, "too soon"
    LATE = 3, "too late"
    LAST = 4, "none followed"

    @property
    def key(self) -> str:
        """The name in small letters, such as ``pair``."""
        return self.name.lower()
