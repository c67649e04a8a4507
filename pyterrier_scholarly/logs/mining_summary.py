"""The numbers of a mining: what it goes by, why it drops or pairs downloads, what it counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..arguments import Natural, NotNegative, Seed, check_fields
from .log_files import Column

LONGEST = 10**12  #: seconds; in microseconds still a number of 64 bits

REASONS = (
    "kept", "header line", "not UTF-8", "quotation mark", "number of fields", "not a JSON object",
    "no user", "no document", "blank in a document id", "no time", "time not understood",
    "time before `since`", "time after `until`", "document not in `only`",
)  # fmt: skip
"""Why a line is dropped, by its code."""
(
    KEPT, HEADER, ENCODING, QUOTATION, FIELDS, JSON, NO_USER, NO_DOCUMENT, BLANK, NO_TIME,
    BAD_TIME, EARLY, LATE, OTHER,
) = range(len(REASONS))  # fmt: skip

#: why a download and the next one are no pair
UNPAIRED = {
    "same": "the same document again",
    "soon": "too soon",
    "late": "too late",
    "last": "none followed",
}
OUTCOMES = ("pair", *UNPAIRED)
"""What follows a download, by its code."""
PAIR, SAME, TOO_SOON, TOO_LATE, LAST = range(len(OUTCOMES))


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
        if not self.shortest < self.longest <= LONGEST:
            raise ValueError(
                f"shortest={self.shortest}, longest={self.longest}: expected seconds from 0 to "
                f"{LONGEST}, the first less than the second."
            )


@dataclass(repr=False)
class Summary:
    """Counts of one run of mining; `print` and a notebook show them.

    Attributes:
        lines: lines that are not blank (of tables: rows).
        kept: lines that are downloads.
        dropped: dict from a reason to the number of lines; they and `kept` add up to `lines`.
        columns: dict from user, time and doc to the log's column.
        outcomes: dict from what follows a download to the number of downloads: ``pair`` (kept),
            ``same``, ``soon``, ``late``, ``last``; they add up to `kept`.
        pairs: different pairs of documents among those kept.
        documents: different documents in these pairs.
        similar, random: drawn pairs.
        eligible: documents that can be queries.
        queries: chosen queries.
        candidates, relevant: documents in their pools, and the relevant ones among them.
        others: random documents in the pools of ``100q-random``.
        unknown: documents missing from the collection; None if no collection was given.
    """

    lines: int
    kept: int
    dropped: dict[str, int]
    columns: Mapping[str, Column]
    outcomes: dict[str, int]
    pairs: int
    documents: int
    similar: int
    random: int
    eligible: int
    queries: int
    candidates: int
    relevant: int
    others: int
    unknown: int | None = None

    def described(self, choices: Choices) -> str:
        """Describe the collection in a sentence."""
        return (
            f"Mined from a download log: {self.outcomes['pair']:,} consecutive downloads of "
            f"{self.documents:,} documents, more than {choices.shortest:g} and less than "
            f"{choices.longest:g} seconds apart."
        )

    def __repr__(self) -> str:
        no_queries = f"\n{'':12} no queries, so there is no 100q: lower `successors` or `relevant`"
        counts = [
            (self.lines, "lines that are not blank"),
            *((count, f"dropped: {reason}") for reason, count in self.dropped.items()),
            (self.kept, "downloads kept"),
            *((self.outcomes[key], f"not paired: {why}") for key, why in UNPAIRED.items()),
            (
                self.outcomes["pair"],
                f"consecutive downloads, of {self.pairs:,} different pairs of {self.documents:,} "
                "documents",
            ),
            (self.similar, f"of them drawn, and {self.random:,} random pairs"),
            (
                self.eligible,
                f"documents can be queries; {self.queries:,} chosen, with {self.candidates:,} "
                f"candidates, {self.relevant:,} of them relevant, and {self.others:,} random "
                f"documents{'' if self.eligible else no_queries}",
            ),
        ]
        if self.unknown is not None:
            counts.append((self.unknown, "documents unknown to the collection"))
        columns = ", ".join(f"{what} {name!r}" for what, name in self.columns.items())
        return "\n".join([f"columns: {columns}", *(f"{n:>12,} {text}" for n, text in counts)])
