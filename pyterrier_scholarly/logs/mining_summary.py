"""What a mining read, kept, dropped and drew, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from .log_columns import Column
from .mining_choices import Choices
from .mining_codes import Outcome


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

    def describe(self, choices: Choices) -> str:
        """Describe the collection in a sentence."""
        return (
            f"Mined from a download log: {self.outcomes[Outcome.PAIR.key]:,} consecutive downloads "
            f"of {self.documents:,} documents, more than {choices.shortest:g} and less than "
            f"{choices.longest:g} seconds apart."
        )

    def __repr__(self) -> str:
        column_names = [f"{role} {column!r}" for role, column in self.columns.items()]
        lines = [
            f"columns: {', '.join(column_names)}",
            *self._list_line_counts(),
            *self._list_outcome_counts(),
            *self._list_draw_counts(),
        ]
        if self.unknown is not None:
            lines.append(_show_count(self.unknown, "documents unknown to the collection"))
        return "\n".join(lines)

    def _list_line_counts(self) -> list[str]:
        """Return a line of text for each count of lines."""
        return [
            _show_count(self.lines, "lines that are not blank"),
            *[_show_count(count, f"dropped: {reason}") for reason, count in self.dropped.items()],
            _show_count(self.kept, "downloads kept"),
        ]

    def _list_outcome_counts(self) -> list[str]:
        """Return a line of text for each outcome; the pairs are the last."""
        unpaired = [outcome for outcome in Outcome if outcome is not Outcome.PAIR]
        unpaired_lines = [
            _show_count(self.outcomes[outcome.key], f"not paired: {outcome.text}")
            for outcome in unpaired
        ]
        pair_line = _show_count(
            self.outcomes[Outcome.PAIR.key],
            f"{Outcome.PAIR.text}, of {self.pairs:,} different pairs of {self.documents:,} "
            "documents",
        )
        return [*unpaired_lines, pair_line]

    def _list_draw_counts(self) -> list[str]:
        """Return lines of text with the numbers of drawn pairs and queries."""
        lines = [
            _show_count(self.similar, f"of them drawn, and {self.random:,} random pairs"),
            _show_count(
                self.eligible,
                f"documents can be queries; {self.queries:,} chosen, with {self.candidates:,} "
                f"candidates, {self.relevant:,} of them relevant, and {self.others:,} random "
                "documents",
            ),
        ]
        if not self.eligible:
            no_count = " " * 12
            remedy = "no queries, so there is no 100q: lower `successors` or `relevant`"
            lines.append(f"{no_count} {remedy}")
        return lines


def _show_count(count: int, text: str) -> str:
    """Return one line of the summary; the counts are aligned."""
    return f"{count:>12,} {text}"
