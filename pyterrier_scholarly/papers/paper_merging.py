"""Merge what a source has into the papers of a library: each paper once, changes named.

merged = merge_papers(present_records, read_source("export.bib"))
merged.records, merged.counts.added, merged.counts.remarks, merged.unread
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .paper_record import PaperRecord, Remark, UnreadRecord, complete_id
from .same_papers import SamePapers, authors_differ, normalise_title

MOST_SHOWN_REASONS = 3  # in an error
MOST_LISTED = 100


@dataclass
class MergeCounts:
    """How many papers of a source were new, and so on.

    Attributes:
        added: papers that were not in the library.
        changed: papers of the library whose record differs from before.
        unchanged: papers of the library that were equal.
        duplicates: records of a paper that came before, in the source or in the library.
        unread: what was no paper.
        remarks: what was merged, got another id, or was read otherwise than it stands.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    unread: int = 0
    remarks: tuple[Remark, ...] = field(default=(), repr=False)


@dataclass
class MergedPapers:
    """The papers of a library after merging a source into it.

    Attributes:
        records: all papers, those of the library first, in their order.
        counts: of what the source had, with remarks.
        unread: what of the source was no paper.
        duplicates: those remarks that name a record of a paper that came before.
    """

    records: list[PaperRecord]
    counts: MergeCounts
    unread: list[UnreadRecord]
    duplicates: list[Remark]


def merge_papers(
    present: Sequence[PaperRecord],
    found: Iterable[PaperRecord | UnreadRecord | Remark],
    strict: bool = False,
) -> MergedPapers:
    """Merge papers of a source into those of a library.

    `same_papers` says which records are of one paper. A record with the id of a paper in the
    library replaces it, if it is the same paper. The same paper under another id is a duplicate:
    the earlier one stays, and takes over what it lacks. Another paper with an id that is taken gets
    an id of its content. Remarks name all of it.

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
        elif isinstance(record, Remark):
            merging.remarks.append(record)
        else:
            merging.add(complete_id(record))

    if strict and merging.unread:
        raise ValueError(describe_unread(merging.unread))
    return MergedPapers(
        records=list(merging.record_of_id.values()),
        counts=merging.count(present),
        unread=merging.unread,
        duplicates=merging.duplicates,
    )


class _Merging:
    """A merge that is going on: all papers so far, and which of them the source has brought."""

    def __init__(self, present: Sequence[PaperRecord]) -> None:
        self.record_of_id = {record.paper_id: record for record in present}
        self.unread: list[UnreadRecord] = []
        self.duplicates: list[Remark] = []
        self.remarks: list[Remark] = []
        self._present_ids = set(self.record_of_id)
        self._brought_ids: set[str] = set()
        self._same_papers = SamePapers(present)

    def add(self, record: PaperRecord) -> None:
        """Merge a paper of the source into the library: replace, complete, or add.

        record: has an id.
        """
        same = self._same_papers.find(record) or self._find_by_id(record)
        if same is None:
            self._add_new(record)
            return

        paper_id, reason = same
        is_in_library = paper_id in self._present_ids and paper_id not in self._brought_ids
        # the id of the record, or the one that it got because its own was that of another paper
        is_its_id = paper_id == record.paper_id or (
            record.paper_id in self.record_of_id and paper_id in self._list_own_ids(record)
        )
        if is_in_library and is_its_id:
            self._take(record._replace(paper_id=paper_id))
            return
        called = f"{record.paper_id} is " if record.paper_id != paper_id else ""
        self.duplicates.append(
            Remark(record.place, f"{called}the same paper as {paper_id}, {reason}")
        )
        self._complete(paper_id, record)

    def _find_by_id(self, record: PaperRecord) -> tuple[str, str] | None:
        """Return the id of a record, or of its content, if a paper has it and may be the same."""
        content_id = complete_id(record._replace(paper_id="")).paper_id
        for paper_id in (record.paper_id, *self._list_own_ids(record)):
            earlier = self.record_of_id.get(paper_id)
            if earlier is None:
                continue
            if paper_id == record.paper_id != content_id:
                is_from_source = paper_id in self._brought_ids
                is_same = not _is_other_paper(record, earlier, is_from_source)
            else:  # title and year made the id, and do not make a paper equal
                is_same = earlier._replace(place="") == record._replace(paper_id=paper_id, place="")
            if is_same:
                return paper_id, "by its id"
        return None

    def _list_own_ids(self, record: PaperRecord) -> list[str]:
        """Return the ids of a record's content: as many as are taken, and one more."""
        content_id = complete_id(record._replace(paper_id="")).paper_id
        own_ids = [content_id]
        while own_ids[-1] in self.record_of_id:
            own_ids.append(f"{content_id}-{len(own_ids) + 1}")
        return own_ids

    def _add_new(self, record: PaperRecord) -> None:
        """Add a paper that no earlier record is of, under an id that no other paper has."""
        if record.paper_id in self.record_of_id:
            new_id = self._list_own_ids(record)[-1]
            reason = f"its id {record.paper_id} is that of another paper: it is called {new_id}"
            self.remarks.append(Remark(record.place, reason))
            record = record._replace(paper_id=new_id)
        self._take(record)

    def _take(self, record: PaperRecord) -> None:
        """Put a paper of the source among the papers; it replaces one with its id."""
        self.record_of_id[record.paper_id] = record
        self._brought_ids.add(record.paper_id)
        self._same_papers.add(record)

    def _complete(self, paper_id: str, duplicate: PaperRecord) -> None:
        """Give a paper what it lacks and its duplicate has."""
        earlier = self.record_of_id[paper_id]
        missing = {
            name: value for name, value in duplicate._asdict().items() if not getattr(earlier, name)
        }
        completed = earlier._replace(**missing)
        self.record_of_id[paper_id] = completed
        self._same_papers.add(completed)

    def count(self, present: Sequence[PaperRecord]) -> MergeCounts:
        """Return how many papers are new, and so on, at the end."""
        # where a record stands in its source says nothing about the paper
        final = {name: record._replace(place="") for name, record in self.record_of_id.items()}
        changed_ids = {
            earlier.paper_id
            for earlier in present
            if final[earlier.paper_id] != earlier._replace(place="")
        }
        return MergeCounts(
            added=len(self.record_of_id) - len(self._present_ids),
            changed=len(changed_ids & self._brought_ids),
            unchanged=len((self._present_ids & self._brought_ids) - changed_ids),
            duplicates=len(self.duplicates),
            unread=len(self.unread),
            remarks=(*self.duplicates, *self.remarks),
        )


def _is_other_paper(record: PaperRecord, earlier: PaperRecord, is_from_source: bool) -> bool:
    """Return whether two records with one id are of two papers.

    is_from_source: both are of one source, where the second does not correct the first.
    """
    if record.doi and earlier.doi:
        return record.doi != earlier.doi
    titles = {normalise_title(record.title), normalise_title(earlier.title)}
    if titles == {""}:
        return record.abstract != earlier.abstract
    if "" in titles:
        return False
    if len(titles) == 1:
        return authors_differ(record.authors, earlier.authors)

    # another title is a correction if authors and year say that it is the same paper
    has_authors = bool(record.authors and earlier.authors)
    has_equal_year = record.year == earlier.year
    is_corrected = has_authors and not authors_differ(record.authors, earlier.authors)
    return is_from_source or not is_corrected or not has_equal_year


def describe_unread(unread: Sequence[UnreadRecord]) -> str:
    """Say what could not be read, and where."""
    reasons = [f"{record.place}: {record.reason}" for record in unread[:MOST_SHOWN_REASONS]]
    more_count = len(unread) - len(reasons)
    more = f"; and {more_count} more" if more_count else ""
    return (
        f"{len(unread)} records cannot be read ({'; '.join(reasons)}{more}). Correct them, or "
        "leave `strict` out to skip them."
    )


def list_remarks(remarks: Sequence[Remark | UnreadRecord]) -> list[str]:
    """Return a line for each remark, of the first MOST_LISTED."""
    lines = [f"  {remark.place}: {remark.reason}" for remark in remarks[:MOST_LISTED]]
    if len(remarks) > MOST_LISTED:
        lines.append(f"  … and {len(remarks) - MOST_LISTED:,} more")
    return lines
