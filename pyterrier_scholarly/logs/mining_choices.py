"""The numbers that mining goes by, with the paper's as defaults.

    Choices(pairs=1000, successors=30, relevant=5)

The command line has an option for each, with the help that stands here.
"""

from dataclasses import dataclass, field

from ..arguments import Natural, NotNegative, Seed, check_fields

LONGEST_GAP = 10**12  # seconds; in microseconds still a number of 64 bits


def _help(text: str) -> dict[str, str]:
    """Return the metadata from which the command line takes the help of an option."""
    return {"help": text}


@dataclass(frozen=True)
class Choices:
    """The numbers that mining goes by; see `mine_log`.

    Defaults are the paper's, except `linked` and `seed`, which it does not mention.
    """

    shortest: NotNegative = field(
        default=10, metadata=_help("seconds between the two downloads of a pair: more than this")
    )
    longest: NotNegative = field(default=3600, metadata=_help("and less than this"))
    pairs: Natural = field(
        default=1_000_000, metadata=_help("consecutive downloads to draw, and as many random pairs")
    )
    linked: bool = field(
        default=False,
        metadata=_help("let random pairs be of documents downloaded consecutively, too"),
    )
    queries: Natural = field(default=100, metadata=_help("query documents to choose"))
    successors: Natural = field(
        default=100, metadata=_help("different documents after a query document: more than this")
    )
    relevant: Natural = field(
        default=10, metadata=_help("relevant is what was downloaded after it more often than this")
    )
    seed: Seed = field(default=0, metadata=_help("of all draws"))

    def __post_init__(self) -> None:
        check_fields(self, "mine_log")
        if not self.shortest < self.longest <= LONGEST_GAP:
            raise ValueError(
                f"shortest={self.shortest}, longest={self.longest}: expected seconds from 0 to "
                f"{LONGEST_GAP}, the first less than the second."
            )
