"""Change a library: merge a source into it, or leave out papers, and publish the new state.

with writing(folder):
    writer = LibraryWriter(folder, encoder)
    counts = writer.merge_source("export.bib", earlier=None, strict=False)
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..encoders import EncoderLike, as_passage_encoder
from ..progress import progress
from .build_settings import BuildSettings
from .library_folder import CurrentState, publish, read_current
from .library_state import LibraryState
from .long_work import ask_at_terminal
from .paper_ids import describe_missing_paper
from .paper_merging import MergeCounts, MergedPapers, merge_papers
from .paper_record import PaperRecord
from .sources import Source, read_source
from .state_building import build_state


@dataclass
class LibraryWriter:
    """Write the states of a library, which this process has locked.

    Attributes:
        folder: of the library.
        encoder: what it is built with; None for words.
        verbose: show progress, and the plan of long work.
        confirm: called with the plan of very long work; returns whether to go on.
    """

    folder: Path
    encoder: EncoderLike | None
    verbose: bool = True
    confirm: Callable[[str], bool] = ask_at_terminal

    def merge_source(
        self, source: Source, earlier: LibraryState | None, strict: bool
    ) -> MergeCounts:
        """Add a source's papers to the library, publish its new state, and count what was new.

        Args:
            source: see `read_source`.
            earlier: the library's state; None if it is new.
            strict: raise an error for the first record that cannot be read.

        Raises:
            ValueError: the library would have no paper; with `strict`, a record cannot be read.
        """
        library_records: list[PaperRecord] = []
        if earlier is None:
            # the state is named once it is built, see `_publish_records`
            description = CurrentState(state="", encoder=_name_encoder(self.encoder))
        else:
            description = read_current(self.folder)
            library_records = [document.to_record() for document in earlier.documents]

        with progress("reading", verbose=self.verbose):
            merged = merge_papers(library_records, read_source(source), strict)
        if not merged.records:
            raise ValueError(_describe_nothing_read(merged))

        # remarks are of all sources, each once; unread records are those of the last one
        known = {tuple(remark) for remark in description.remarks}
        description.duplicates += sum(remark not in known for remark in merged.duplicates)
        new_remarks = [remark for remark in merged.counts.remarks if remark not in known]
        description.remarks += [list(remark) for remark in new_remarks]
        description.unread = [list(record) for record in merged.unread]
        self._publish_records(merged.records, earlier, description)
        return merged.counts

    def remove_papers(self, ids: Collection[str], earlier: LibraryState) -> None:
        """Remove papers from the library, and publish the new state.

        Raises:
            ValueError: the library has no such paper, or would be empty.
        """
        for paper_id in sorted(ids):
            if paper_id not in earlier.row_of_id:
                raise ValueError(describe_missing_paper(paper_id, earlier.doc_ids))

        kept_records = [
            document.to_record() for document in earlier.documents if document.doc_id not in ids
        ]
        if not kept_records:
            raise ValueError("The library would be empty: remove its folder instead.")
        self._publish_records(kept_records, earlier, read_current(self.folder))

    def _publish_records(
        self,
        records: Sequence[PaperRecord],
        earlier: LibraryState | None,
        description: CurrentState,
    ) -> None:
        """Build the state of these records, and make it the current one.

        description: of the library with these records; the new state's name is added here.
        """
        encoder = None
        if self.encoder is not None:
            encoder = as_passage_encoder(self.encoder)
        settings = BuildSettings(encoder, self.verbose, self.confirm)
        state_folder = build_state(records, self.folder, settings, earlier)
        description.state = state_folder.name
        publish(self.folder, description)


def _name_encoder(encoder: EncoderLike | None) -> str | None:
    """Return how a library names its encoder, see `CurrentState`."""
    if encoder is None or isinstance(encoder, str):
        return encoder
    return ""


def _describe_nothing_read(merged: MergedPapers) -> str:
    """Return the message of an error about a source without any paper."""
    if not merged.unread:
        return "No paper can be read: the source: it is empty."
    first = merged.unread[0]
    return f"No paper can be read: {first.place}: {first.reason}."
