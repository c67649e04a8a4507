"""Merge what a source has into the papers of a library: each paper once, changes counted.

merged = merge_papers(present_records, read_source("export.bib"))
merged.records, merged.counts.added, merged.unread
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
    counts: MergeCounts = field(default_factory=MergeCounts)
    unread: list[UnreadRecord] = field(default_factory=list)


def merge_papers(
    present: Sequence[PaperRecord],
    found: Iterable[PaperRecord | UnreadRecord],
    strict: bool = False,
) -> MergedPapers:
    """Merge papers of a source into those of a library.

    A paper with the id of one in the library replaces it. The same paper under another id, by DOI
    or by title and year, is a duplicate: the earlier one stays, and takes over an abstract that it
    lacks.

    Raises:
        ValueError: with `strict`, something in the source is no paper; names its place.
    """
    record_of_id = {record.paper_id: record for record in present}
    present_ids = set(record_of_id)
    place_of_id: dict[str, str] = {}  # of the papers of this source
    same_papers = SamePapers(present)
    merged = MergedPapers([])
    counts = merged.counts

    for record in found:
        if isinstance(record, UnreadRecord):
            merged.unread.append(record)
            continue

        record = complete_id(record)
        paper_id = record.paper_id
        id_of_same_paper = same_papers.find(record)

        if paper_id in present_ids and paper_id not in place_of_id:
            is_equal = _without_place(record) == _without_place(record_of_id[paper_id])
            counts.unchanged += is_equal
            counts.changed += not is_equal
            record_of_id[paper_id] = record
            place_of_id[paper_id] = record.place
            same_papers.add(record)
        elif id_of_same_paper is not None:
            counts.duplicates += 1
            earlier = record_of_id[id_of_same_paper]
            if record.abstract and not earlier.abstract:
                record_of_id[id_of_same_paper] = earlier._replace(abstract=record.abstract)
        elif paper_id in place_of_id:
            reason = f"its id {paper_id} is that of another paper, at {place_of_id[paper_id]}"
            merged.unread.append(UnreadRecord(record.place, reason))
        else:
            counts.added += 1
            record_of_id[paper_id] = record
            place_of_id[paper_id] = record.place
            same_papers.add(record)

    if strict and merged.unread:
        raise ValueError(describe_unread(merged.unread))
    counts.unread = len(merged.unread)
    merged.records = list(record_of_id.values())
    return merged


def describe_unread(unread: Sequence[UnreadRecord]) -> str:
    """Say what could not be read, and where."""
    reasons = [f"{record.place}: {record.reason}" for record in unread[:MOST_SHOWN_REASONS]]
    more_count = len(unread) - len(reasons)
    more = f"; and {more_count} more" if more_count else ""
    return (
        f"{len(unread)} records cannot be read ({'; '.join(reasons)}{more}). Correct them, or "
        "leave `strict` out to skip them."
    )


def _without_place(record: PaperRecord) -> PaperRecord:
    return record._replace(place="")
