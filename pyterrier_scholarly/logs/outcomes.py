"""Why a line is no row, and what follows a download: codes in tables, words in summaries."""

from dataclasses import dataclass, field

KEPT = 0
REASONS = (
    "kept",
    "header line",
    "not UTF-8",
    "quotation mark",
    "number of fields",
    "not a JSON object",
    "no user",
    "no document",
    "blank in a document id",
    "no time",
    "time not understood",
    "time before `since`",
    "time after `until`",
    "document not in `only`",
)
(
    _,
    HEADER,
    ENCODING,
    QUOTATION,
    FIELDS,
    JSON,
    NO_USER,
    NO_DOCUMENT,
    BLANK,
    NO_TIME,
    BAD_TIME,
    EARLY,
    LATE,
    OTHER,
) = range(len(REASONS))

#: why a download and the next are no pair
UNPAIRED = {
    "same": "the same document again",
    "soon": "too soon",
    "late": "too late",
    "last": "none followed",
}
OUTCOMES = ("pair", *UNPAIRED)
PAIR, SAME, TOO_SOON, TOO_LATE, LAST = range(len(OUTCOMES))


@dataclass
class Summary:
    """Counts of one run of mining; `str` shows them.

    Attributes:
        lines: lines that are not blank (of tables: rows).
        kept: those that are downloads.
        dropped: dict from a reason to how many lines it took; they and `kept` add up to `lines`.
        columns: dict from user, time and doc to the log's column.
        outcomes: dict from what follows a download to how many: ``pair`` (kept), ``same``,
            ``soon``, ``late``, ``last``; they add up to `kept`.
        pairs: different pairs of documents among those kept.
        documents: different documents in these.
        similar, random: how many pairs were drawn.
        eligible: documents that can be queries.
        queries: how many of them were chosen.
        candidates, relevant: documents in their pools, and how many of them are relevant.
        others: random documents in the pools of ``100q-random``.
        unknown: documents that the collection has not; None without one.
    """

    lines: int
    kept: int
    dropped: dict
    columns: dict
    outcomes: dict = field(default_factory=dict)
    pairs: int = 0
    documents: int = 0
    similar: int = 0
    random: int = 0
    eligible: int = 0
    queries: int = 0
    candidates: int = 0
    relevant: int = 0
    others: int = 0
    unknown: int | None = None

    def __str__(self):
        columns = ", ".join(f"{what} {name!r}" for what, name in self.columns.items())
        said = [f"columns: {columns}", f"{self.lines:>12,} lines that are not blank"]
        said += [f"{count:>12,} dropped: {why}" for why, count in self.dropped.items()]
        said += [f"{self.kept:>12,} downloads kept"]
        said += [f"{self.outcomes[key]:>12,} not paired: {why}" for key, why in UNPAIRED.items()]
        said += [
            f"{self.outcomes['pair']:>12,} consecutive downloads, of {self.pairs:,} different "
            f"pairs of {self.documents:,} documents",
            f"{self.similar:>12,} of them drawn, and {self.random:,} random pairs",
            f"{self.eligible:>12,} documents can be queries; {self.queries:,} chosen, with "
            f"{self.candidates:,} candidates, {self.relevant:,} of them relevant, and "
            f"{self.others:,} random documents",
        ]
        if not self.eligible:
            said.append(
                "             no queries, so there is no 100q: lower `successors` or `relevant`"
            )
        if self.unknown is not None:
            said.append(f"{self.unknown:>12,} documents unknown to the collection")
        return "\n".join(said)
