"""Read parts of a JSON file of several hundred megabytes, without loading the whole."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from ir_datasets_ext.records import first_line, refused

BLOCK = 1 << 16  # bytes
LONGEST = 64  # bytes of the longest key, with quotes, colon and blanks


class JsonFile:
    """A JSON file with one object.

    A ValueError names the file and the remedy if it is truncated or corrupted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0  # bytes that the parser has read
        self._within = (0, 0)  # first and last byte of a list that was read: no key is in there

    def entries(self, key: str, start: int = 0) -> Iterator[Any]:
        """Yield the entries of the list under `key`, one at a time.

        start: first byte to read, which `offsets` returns for this key or an earlier one. From 0,
            the syntax of the whole file is checked by the time the last entry is yielded.
        """
        first = last = 0
        with self.path.open("rb") as file:
            for entry in self._items(file, f"{key}.item", start):
                last = self._read
                first = first or last
                yield entry
        if last:
            self._within = (first, last - BLOCK)

    def value(self, key: str, start: int = 0) -> Any:
        """Return the whole value under `key`, or None; for small values."""
        with self.path.open("rb") as file:
            return next(self._items(file, key, start), None)

    def offsets(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the first byte of each of `keys`, without missing ones.

        A search is a tenth of the work of parsing; a list that `entries` has read is skipped. The
        first match that reads like the key of a list or an object counts. So inner objects must not
        have keys of these names.
        """
        missing, found = set(keys), dict[str, int]()
        with self.path.open("rb") as file:
            while missing and (block := file.read(BLOCK)):
                at = file.tell() - len(block)
                block += file.read(LONGEST)  # a key may cross the border
                here = {key: place for key in missing if (place := _find(block, key)) is not None}
                found.update((key, at + place) for key, place in here.items())
                missing -= here.keys()
                at += BLOCK
                first, last = self._within
                file.seek(last if first <= at < last else at)
        return found

    def _items(self, file: IO[bytes], prefix: str, start: int) -> Iterator[Any]:
        import ijson  # it streams, fastest with its yajl2_c backend

        try:
            blocks = ijson.from_iter(self._blocks(file, start))
            yield from ijson.items(blocks, prefix, use_float=True)
        except ijson.JSONError as error:
            what = f"expected JSON, which may be truncated: {first_line(error)}"
            raise refused(self.path, "", "", what) from error

    def _blocks(self, file: IO[bytes], start: int) -> Iterator[bytes]:
        if start:
            yield b"{"
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
