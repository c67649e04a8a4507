"""Records in a file of entries: each is MessagePack, compressed with LZ4, under a key.

::

    write_records(path, [(b"7", TinyDoc("7", "Title"))], TinyDoc)
    records = PackedRecords(Segment(path, keep=True), TinyDoc, rebuild)
    list(records.get_many([b"7"]))  # [TinyDoc("7", "Title")]
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from struct import Struct

import ir_datasets

from ir_datasets_ext.store import Damaged, Segment, new_file, write_entries
from ir_datasets_ext.typed_records import Record

LOOK_UP_BATCH = 10_000  # records
ITERATION_BATCH = 64  # records
LZ4_SIZE = Struct("<I")  # of the content, before it was compressed
LARGEST_RATIO = 255  # LZ4 cannot compress better, so a larger size is made up
#: called with a damaged file's path, the error and the segment; returns that of the new file
Rebuild = Callable[[Path, Damaged, Segment], Segment]
ReadEntries = Callable[[Segment], Iterable[tuple[bytes, bytes]]]  # returns keys and values


def write_records(path: Path, records: Iterable[tuple[bytes, Record]], cls: type) -> int:
    """Write records of a class, each with a key, to a file of entries; return their number."""
    encode = Packing(cls).encode
    entries = ((key, encode(record)) for key, record in records)
    with new_file(path, "wb") as file:
        return write_entries(file, entries)


class PackedRecords:
    """The records in a file of entries, which is rebuilt if it is damaged.

    segment: of the file, open. cls: class of the records.
    rebuild: is called once an entry that is read is damaged; then all are read from the new file.
    """

    def __init__(self, segment: Segment, cls: type, rebuild: Rebuild) -> None:
        self._segment = segment
        self._packing = Packing(cls)
        self._rebuild = rebuild

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self._segment.path.parent

    def __len__(self) -> int:
        return len(self._segment)

    def get_many(self, keys: Sequence[bytes]) -> Iterator[Record]:
        """Yield the records of those keys, in the file's order, without unknown ones."""
        for start in range(0, len(keys), LOOK_UP_BATCH):
            keys_of_batch = keys[start : start + LOOK_UP_BATCH]
            yield from self._read_or_rebuild(partial(Segment.get_many, keys=keys_of_batch))

    def rows(self, numbers: Sequence[int]) -> Iterator[Record]:
        """Yield the records at these 0-based positions, ascending."""
        for start in range(0, len(numbers), ITERATION_BATCH):
            numbers_of_batch = numbers[start : start + ITERATION_BATCH]
            yield from self._read_or_rebuild(partial(Segment.entries, numbers=numbers_of_batch))

    def __iter__(self) -> Iterator[Record]:
        return self.rows(range(len(self)))

    def _read_or_rebuild(self, read_entries: ReadEntries) -> list[Record]:
        """Return the records of some entries; a damaged file is rebuilt, and read once more."""
        try:
            return self._read_records(self._segment, read_entries)
        except Damaged as error:
            self._segment = self._rebuild(self._segment.path, error, self._segment)
            return self._read_records(self._segment, read_entries)

    def _read_records(self, segment: Segment, read_entries: ReadEntries) -> list[Record]:
        """Return the records of the entries that `read_entries` gets from a segment."""
        try:
            return [self._packing.decode(value) for _, value in read_entries(segment)]
        except Damaged:
            raise
        except ValueError as error:  # what was written was no record
            raise Damaged(f"{segment.path} is damaged: {error}") from None


class Packing:
    """Convert records of a class to bytes and back.

    JSON is used for values that MessagePack lacks: lone surrogates, integers beyond 64 bits.
    """

    def __init__(self, cls: type) -> None:
        import msgspec

        self._cls = cls
        self._lz4 = ir_datasets.lazy_libs.lz4_block().block
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode: Callable[[bytes], Record] = msgspec.msgpack.Decoder(cls).decode
        self._errors = (self._lz4.LZ4BlockError, msgspec.MsgspecError, ValueError, TypeError)

    def encode(self, record: Record) -> bytes:
        """Return the bytes of a record, which `decode` reads."""
        try:
            content = self._encode(record)
        except (UnicodeEncodeError, OverflowError):
            # a text with half a surrogate pair, or an integer beyond 64 bits; `decode` knows a JSON
            # list by its first byte
            content = json.dumps(record).encode()
        return self._lz4.compress(content)

    def decode(self, compressed: bytes) -> Record:
        """Return the record of `encode`'s bytes; raise ValueError for other bytes."""
        try:
            content = self._decompress(compressed)
            is_json = content[:1] == b"["  # no array of MessagePack begins so
            return self._decode_json(content) if is_json else self._decode(content)
        except self._errors as error:
            raise ValueError(f"an entry is no {self._cls.__name__}: {error}") from None

    def _decompress(self, compressed: bytes) -> bytes:
        """Return the content; raise ValueError before a made-up size takes all memory."""
        size_bytes = compressed[: LZ4_SIZE.size]
        if len(size_bytes) < LZ4_SIZE.size:
            raise ValueError(f"{len(compressed)} bytes are not compressed")

        (size,) = LZ4_SIZE.unpack(size_bytes)
        if size > LARGEST_RATIO * len(compressed):
            raise ValueError(f"{len(compressed)} bytes cannot be {size} bytes, compressed")
        return self._lz4.decompress(compressed)

    def _decode_json(self, content: bytes) -> Record:
        """Return the record of a JSON list of its fields; JSON has lists in place of tuples."""
        values = json.loads(content)
        fields = [tuple(value) if isinstance(value, list) else value for value in values]
        return self._cls(*fields)
