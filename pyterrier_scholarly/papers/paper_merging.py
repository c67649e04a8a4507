"""Merge what a source has into the papers of a library: each paper once, changes counted.

merged = merge_papers(present_records, read_source("export.bib"))
merged.records, merged.counts.added, merged.unread
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .paper_record import PaperRecord, SamePapers, UnreadRecord, complete_id

MOST_SHOWN_REASONS = 3  # in an error


@dataclass
class MergeCounts:
    """How many papers of a source were new, and so on.

    Attributes:
        added: papers that were not in the library.
        changed: papers of the library whose record differs from before.
        unchanged: papers of the library that were equal.
        duplicates: records of a paper that came before, in the source or in the library.
        unread: what was no paper.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    unread: int = 0


@dataclass
class MergedPapers:
    """The papers of a library after merging a source into it.

    Attributes:
        records: all papers, those of the library first, in their order.
        counts: of what the source had.
        unread: what of the source was no paper.
    """

    records: list[PaperRecord]
    counts: MergeCounts
    unread: list[UnreadRecord]


def merge_papers(
    present: Sequence[PaperRecord],
    found: Iterable[PaperRecord | UnreadRecord],
    strict: bool = False,
) -> MergedPapers:
    """Merge papers of a source into those of a library.

    A paper with the id of one in the library replaces it. The same paper under another id, by DOI
    or by title and year, is a duplicate: the earlier one stays, and takes over an abstract that it
    lacks.

    Args:
        present: the papers of the library.
        found: what the source has.
        strict: raise an error if something in the source is no paper.

    Raises:
        ValueError: with `strict`, something in the source is no paper; names its place.
    """
    merging = _Merging(present)
    for record in found:
        if isinstance(record, UnreadRecord):
            merging.unread.append(record)
        else:
            merging.add(complete_id(record))

    if strict and merging.unread:
        raise ValueError(describe_unread(merging.unread))
    merging.counts.unread = len(merging.unread)
    records = list(merging.record_of_id.values())
    return MergedPapers(records, merging.counts, merging.unread)


class _Merging:
    """A merge that is going on: all papers so far, and which of them the source has brought."""

    def __init__(self, present: Sequence[PaperRecord]) -> None:
        self.record_of_id = {record.paper_id: record for record in present}
        self.counts = MergeCounts()
        self.unread: list[UnreadRecord] = []
        self._present_ids = set(self.record_of_id)
        self._place_of_id: dict[str, str] = {}  # of the papers that the source has brought
        self._same_papers = SamePapers(present)

    def add(self, record: PaperRecord) -> None:
        """Merge a paper of the source into the library: replace, complete, add, or leave out.

        record: has an id.
        """
        paper_id = record.paper_id
        is_in_library = paper_id in self._present_ids
        is_first_of_source = paper_id not in self._place_of_id  # with this id
        id_of_same_paper = self._same_papers.find(record)  # by DOI, or by title and year

        if is_in_library and is_first_of_source:
            # the source's record of a paper that the library has
            self._count_replacement(record, self.record_of_id[paper_id])
            self._take(record)
        elif id_of_same_paper is not None:
            # one more record of a paper that is already taken
            self.counts.duplicates += 1
            self._complete_abstract(id_of_same_paper, record)
        elif is_first_of_source:
            # a new paper
            self.counts.added += 1
            self._take(record)
        else:
            # another paper of this source has the id, so nobody could tell the two apart
            place = self._place_of_id[paper_id]
            reason = f"its id {paper_id} is that of another paper, at {place}"
            self.unread.append(UnreadRecord(record.place, reason))

    def _take(self, record: PaperRecord) -> None:
        """Put a paper of the source among the papers; it replaces one with its id."""
        self.record_of_id[record.paper_id] = record
        self._place_of_id[record.paper_id] = record.place
        self._same_papers.add(record)

    def _count_replacement(self, record: PaperRecord, earlier: PaperRecord) -> None:
        # where a record stands in its source says nothing about the paper
        if record._replace(place="") == earlier._replace(place=""):
            self.counts.unchanged += 1
        else:
            self.counts.changed += 1

    def _complete_abstract(self, paper_id: str, duplicate: PaperRecord) -> None:
        """Give a paper the abstract of its duplicate if it has none."""
        earlier = self.record_of_id[paper_id]
        if duplicate.abstract and not earlier.abstract:
            self.record_of_id[paper_id] = earlier._replace(abstract=duplicate.abstract)


def describe_unread(unread: Sequence[UnreadRecord]) -> str:
    """Say what could not be read, and where."""
    reasons = [f"{record.place}: {record.reason}" for record in unread[:MOST_SHOWN_REASONS]]
    more_count = len(unread) - len(reasons)
    more = f"; and {more_count} more" if more_count else ""
    return (
        f"{len(unread)} records cannot be read ({'; '.join(reasons)}{more}). Correct them, or "
        "leave `strict` out to skip them."
    )
