"""Why a line is no row, and what follows a download: codes in tables, words in summaries."""

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

OUTCOMES = ("pair", "same", "soon", "late", "last")
PAIR, SAME, TOO_SOON, TOO_LATE, LAST = range(len(OUTCOMES))
