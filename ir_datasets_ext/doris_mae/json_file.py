"""A large JSON file with one object, whose lists are read one entry at a time.

::

    file = JsonFile(Path("DORIS-MAE_dataset_v1.json"))
    for paper in file.entries("Corpus"):
        ...
    starts = file.find_keys(["Query", "Annotation"])  # {"Query": 26, "Annotation": 9120}
    queries = file.read_value("Query", starts["Query"])

Positions are bytes of the file, from 0.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ir_datasets_ext.typed_records import Json, read_items

BLOCK = 1 << 16  # bytes that are read at once
LONGEST_KEY = 64  # bytes, with quotes, colon and blanks


class ByteRange(NamedTuple):
    """A part of the file: from `start` to the byte before `end`."""

    start: int
    end: int


class JsonFile:
    """A JSON file with one object; a ValueError has file and remedy if it is truncated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bytes_read = 0  # how far `_read_blocks` has read, for the parser
        self._range_without_keys = ByteRange(0, 0)  # within a list that `entries` has read

    def entries(self, key: str, start: int = 0) -> Iterator[Json]:
        """Yield the entries of the list under `key`, one at a time.

        start: first byte to read, which `find_keys` returns for this key or an earlier one. From 0,
            the syntax of the whole file is checked by the time the last entry is yielded.
        """
        # how far was read when the first entry came, and when the last one came: the parser has a
        # whole block, so an entry ends somewhere in the block that was read last
        end_of_first_block: int | None = None
        end_of_last_block = 0
        for entry in read_items(self.path, self._read_blocks(start), f"{key}.item"):
            if end_of_first_block is None:
                end_of_first_block = self._bytes_read
            # before the entry is yielded: behind the last one, the parser reads to the file's end
            end_of_last_block = self._bytes_read
            yield entry

        if end_of_first_block is not None:
            # all between the block of the first entry and that of the last is surely in the list
            start_of_last_block = end_of_last_block - BLOCK
            self._range_without_keys = ByteRange(end_of_first_block, start_of_last_block)

    def read_value(self, key: str, start: int = 0) -> Json:
        """Return the whole value under `key`, or None; for small values."""
        return next(read_items(self.path, self._read_blocks(start), key), None)

    def find_keys(self, keys: Iterable[str]) -> dict[str, int]:
        """Return where each of `keys` begins, in bytes, without missing ones.

        A search is a tenth of the work of parsing; a list that `entries` has read is skipped. The
        first match that reads like the key of a list or an object counts. So inner objects must not
        have keys of these names.
        """
        missing_keys = set(keys)
        first_bytes: dict[str, int] = {}
        position = 0  # of the block
        with self.path.open("rb") as file:
            while missing_keys:
                file.seek(position)
                # a key may begin in this block and end in the next one
                block = file.read(BLOCK + LONGEST_KEY)
                if not block:
                    break

                for key in list(missing_keys):
                    position_in_block = _find_key(block, key)
                    if position_in_block is not None:
                        first_bytes[key] = position + position_in_block
                        missing_keys.remove(key)

                position += BLOCK
                skipped = self._range_without_keys
                if skipped.start <= position < skipped.end:
                    position = skipped.end
        return first_bytes

    def _read_blocks(self, start: int) -> Iterator[bytes]:
        """Yield the file's bytes from `start` to its end, block by block, as a JSON object.

        start: 0, or the first byte of one of the object's keys.
        """
        is_behind_opening_brace = start > 0
        if is_behind_opening_brace:  # the parser needs one, or keys are no JSON
            yield b"{"

        with self.path.open("rb") as file:
            file.seek(start)
            block = file.read(BLOCK)
            while block:
                self._bytes_read = file.tell()  # `entries` reads it between two blocks
                yield block
                block = file.read(BLOCK)


def _find_key(text: bytes, key: str) -> int | None:
    """Return the position of ``"key": [`` or ``"key": {`` in `text`, with or without blanks."""
    quoted_key = f'"{key}"'.encode()
    position = text.find(quoted_key)
    while position >= 0:
        key_end = position + len(quoted_key)
        rest = text[key_end : position + LONGEST_KEY].lstrip()
        if rest.startswith(b":") and rest[1:].lstrip().startswith((b"[", b"{")):
            return position
        position = text.find(quoted_key, position + 1)  # this one was no key but a value
    return None
