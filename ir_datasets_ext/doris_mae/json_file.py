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
        # bytes inside a list that `entries` has read to its end: `find_keys` skips them
        self._range_without_keys = ByteRange(0, 0)

    def entries(self, key: str, start: int = 0) -> Iterator[Json]:
        """Yield the entries of the list under `key`, one at a time.

        start: first byte to read, which `find_keys` returns for this key or an earlier one. From 0,
            the syntax of the whole file is checked by the time the last entry is yielded.
        """
        # The parser gets whole blocks, so it does not say where an entry is. But an entry ends in
        # the block that was read last when it comes. In a list of five entries in four blocks
        #
        #     | "Corpus": [e1, e | 2, e3, | e4, e | 5], "Query": |
        #                        ^                ^
        # the bytes between the two marks are surely in the list. They begin where the block of the
        # first entry's end stops, and stop where the block of the last entry's end begins.
        blocks = BlockReader(self.path, start)
        end_of_first_block: int | None = None
        end_of_last_block = 0
        for entry in read_items(self.path, iter(blocks), f"{key}.item"):
            if end_of_first_block is None:
                end_of_first_block = blocks.end_of_block
            # before the entry is yielded: behind the last one, the parser reads to the file's end
            end_of_last_block = blocks.end_of_block
            yield entry

        if end_of_first_block is not None:
            start_of_last_block = end_of_last_block - BLOCK
            self._range_without_keys = ByteRange(end_of_first_block, start_of_last_block)

    def read_value(self, key: str, start: int = 0) -> Json:
        """Return the whole value under `key`, or None; for small values."""
        blocks = BlockReader(self.path, start)
        return next(read_items(self.path, iter(blocks), key), None)

    def find_keys(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the position of the first byte of each of `keys`, without missing ones.

        A search is a tenth of the work of parsing; a list that `entries` has read is skipped. The
        first match that reads like the key of a list or an object counts. So inner objects must not
        have keys of these names.
        """
        missing_keys = set(keys)
        first_bytes: dict[str, int] = {}
        block_start = 0
        with self.path.open("rb") as file:
            while missing_keys:
                file.seek(block_start)
                # more than a block: a key may begin in this block and end in the next one
                text = file.read(BLOCK + LONGEST_KEY)
                if not text:  # behind the end of the file
                    break

                for key, position_in_text in _find_keys(text, missing_keys).items():
                    first_bytes[key] = block_start + position_in_text
                    missing_keys.remove(key)  # so that a later match does not count
                block_start = self._find_next_block(block_start)
        return first_bytes

    def _find_next_block(self, block_start: int) -> int:
        """Return where `find_keys` searches next: behind the block, or behind a list without keys.

        block_start: first byte of the block that was searched.
        """
        next_start = block_start + BLOCK
        skipped = self._range_without_keys
        if skipped.start <= next_start < skipped.end:
            return skipped.end
        return next_start


class BlockReader:
    """The file's bytes from `start` to its end, block by block, as a JSON object.

    start: 0, or the first byte of one of the object's keys.
    end_of_block: the position behind the block that was yielded last.
    """

    def __init__(self, path: Path, start: int) -> None:
        self._path = path
        self._start = start
        self.end_of_block = start

    def __iter__(self) -> Iterator[bytes]:
        is_behind_opening_brace = self._start > 0
        if is_behind_opening_brace:
            yield b"{"  # which the file has before `start`; without it, a parser takes no keys

        with self._path.open("rb") as file:
            file.seek(self._start)
            block = file.read(BLOCK)
            while block:
                self.end_of_block = file.tell()
                yield block
                block = file.read(BLOCK)


def _find_keys(text: bytes, keys: Iterable[str]) -> dict[str, int]:
    """Return the position in `text` of each key that it has."""
    positions = {key: _find_key(text, key) for key in keys}
    return {key: position for key, position in positions.items() if position is not None}


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
