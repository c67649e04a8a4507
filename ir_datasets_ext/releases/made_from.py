"""What the records of a dataset's part are made from, and that the files have it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ir_datasets_ext.releases.release_files import Release
from ir_datasets_ext.typed_records import DELETE, MissingContent


@dataclass(frozen=True)
class MadeFrom:
    """What the records of a dataset's part are made from.

    dataset_id: for errors. keys: of the release's files.
    content: what these files must have for it, for errors, such as "candidate pools".
    """

    release: Release
    dataset_id: str
    keys: tuple[str, ...]
    content: str

    def require_some(self, kind: str, read: Callable[[], Iterable]) -> Iterator:
        """Yield the records that `read` returns; raise MissingContent if there are none.

        No part of a release is empty. So the files present lack what this part is made from.
        """
        is_empty = True
        for record in read():
            is_empty = False
            yield record

        if is_empty:
            files = ", ".join(str(self.release.place(key)) for key in self.keys)
            raise MissingContent(
                f"{files}: expected {self.content}, from which {kind} of {self.dataset_id} are "
                f"made, got none. {DELETE}"
            )

    def count(self, read: Callable[[], Iterable]) -> int | None:
        """Return how many records `read` returns; None if one of the files is missing."""
        files = self.release.files(*self.keys)
        if not all(file.present() for file in files):
            return None
        return sum(1 for _ in read())
