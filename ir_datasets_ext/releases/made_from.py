"""What the records of a dataset are made from, and the error if the files lack it.

::

    pools = MadeFrom(release, "csfcube", ("pool",), "pools of query papers")
    for source in pools.require_some("pool_sources", read_pool):
        ...   # MissingContent if read_pool() is empty
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ir_datasets_ext.releases.release_files import Release
from ir_datasets_ext.typed_records import DELETE, MissingContent


@dataclass(frozen=True)
class MadeFrom:
    """Which files the records of a dataset are made from, and what of these.

    release: which has the files.
    dataset_id: for errors.
    keys: of the files in the release.
    content: what of the files it is, for errors, such as "candidate pools".
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
