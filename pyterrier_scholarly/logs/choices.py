"""The numbers that mining goes by, and the forms of times."""

from dataclasses import dataclass, field, fields

#: what times may be said to be
TIME_FORMS = ("auto", "iso", "seconds", "milliseconds")
SECOND = 1_000_000  #: microseconds
MOST = 2**63 - 1  #: what engines can count to
LONGEST = 10**12  #: seconds, in microseconds still fewer than `MOST`


def _choice(default, said):
    return field(default=default, metadata={"help": said})


@dataclass(frozen=True)
class Choices:
    """The numbers that mining goes by; see `mine_log`.

    Defaults are the paper's, but for `linked` and `seed`, of which it says nothing.
    """

    shortest: float = _choice(10, "seconds between the two downloads of a pair: more than this")
    longest: float = _choice(3600, "and less than this")
    pairs: int = _choice(1_000_000, "consecutive downloads to draw, and as many random pairs")
    linked: bool = _choice(False, "let random pairs be of documents downloaded consecutively, too")
    queries: int = _choice(100, "query documents to choose")
    successors: int = _choice(100, "different documents after a query document: more than this")
    relevant: int = _choice(10, "relevant is what was downloaded after it more often than this")
    seed: int = _choice(0, "of all that is drawn")

    def __post_init__(self):
        for own in fields(self):
            value, kinds = getattr(self, own.name), (int, float) if own.type is float else own.type
            if not isinstance(value, kinds) or isinstance(value, bool) != (own.type is bool):
                raise ValueError(
                    f"{own.name}={value!r:.60}: expected a value of type {own.type.__name__}"
                )
        for name in ("pairs", "queries", "successors", "relevant"):
            if not 0 <= getattr(self, name) <= MOST:
                raise ValueError(
                    f"{name}={getattr(self, name)}: expected a number from 0 to {MOST}."
                )
        if not 0 <= self.shortest < self.longest <= LONGEST:
            raise ValueError(
                f"shortest={self.shortest}, longest={self.longest}: expected seconds from 0 to "
                f"{LONGEST}, the first less than the second."
            )
