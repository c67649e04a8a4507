"""A large JSON file with one object, whose lists are read one entry at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ir_datasets_ext.typed_records import Json, read_items

BLOCK = 1 << 16  # bytes
LONGEST = 64  # bytes of the longest key, with quotes, colon and blanks


class JsonFile:
    """A JSON file with one object; a ValueError has file and remedy if it is truncated."""

    def __init__(self, path: Path) -> None:
        self.path, self._read = path, 0  # bytes that the parser has read
        self._within = (0, 0)  # first and last byte of a list that was read: no key is in there

    def entries(self, key: str, start: int = 0) -> Iterator[Json]:
        """Yield the entries of the list under `key`, one at a time.

        start: first byte to read, which `offsets` returns for this key or an earlier one. From 0,
            the syntax of the whole file is checked by the time the last entry is yielded.
        """
        first = last = 0
        for entry in read_items(self.path, self._blocks(start), f"{key}.item"):
            last = self._read
            first = first or last
            yield entry
        if last:
            self._within = (first, last - BLOCK)

    def value(self, key: str, start: int = 0) -> Json:
        """Return the whole value under `key`, or None; for small values."""
        return next(read_items(self.path, self._blocks(start), key), None)

    def offsets(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the first byte of each of `keys`, without missing ones.

        A search is a tenth of the work of parsing; a list that `entries` has read is skipped. The
        first match that reads like the key of a list or an object counts. So inner objects must not
        have keys of these names.
        """
        missing, offsets = set(keys), dict[str, int]()
        with self.path.open("rb") as file:
            while missing and (block := file.read(BLOCK)):
                at = file.tell() - len(block)
                block += file.read(LONGEST)  # a key may cross the border
                here = {key: place for key in missing if (place := _find(block, key)) is not None}
                offsets.update((key, at + place) for key, place in here.items())
                missing -= here.keys()
                at += BLOCK
                first, last = self._within
                file.seek(last if first <= at < last else at)
        return offsets

    def _blocks(self, start: int) -> Iterator[bytes]:
        if start:
            yield b"{"
        with self.path.open("rb") as file:
            file.seek(start)
            while block := file.read(BLOCK):
                self._read = file.tell()
                yield block


def _find(text: bytes, key: str) -> int | None:
    """Return the position of ``"key": [`` or ``"key": {`` in `text`, with or without blanks."""
    quoted, at = f'"{key}"'.encode(), -1
    while (at := text.find(quoted, at + 1)) >= 0:
        after = text[at + len(quoted) : at + LONGEST].lstrip()
        if after[:1] == b":" and after[1:].lstrip()[:1] in (b"[", b"{"):
            return at
    return None
