"""A file of entries, key to value, that is written once and never changes.

::

    with open("file.entries", "wb") as file:
        write_entries(file, [(b"key", b"value"), (b"another", b"")])
    dict(Segment(Path("file.entries")).get_many([b"key"]))  # {b"key": b"value"}

The file has the entries in the order of writing, then its index, then FOOT:

- An entry is MARK, a checksum of 8 bytes (XXH3) and a body: the lengths of key and value, key,
  value. The checksum is that of the body, so a value under another key is detected.
- The index has the name (XXH3 of the key, 8 bytes) and the size of each entry, in their order. So
  an entry in the place of another is detected: its key has another name.
- FOOT has a digest of all checksums, the index's own digest, the number of entries, and KIND.

A file may be *bound* to what its values belong to, such as the settings of an encoder. Then the
binding enters every checksum and the index's digest. Read with another binding, all of it is
damaged.
"""

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import IO, ContextManager, NamedTuple

import numpy as np

from ir_datasets_ext.store.plain_files import check_plain, open_plain

KIND = b"entries2"  # at the end of a file; another version of this form has another
MARK = b"\xabent"  # where an entry begins
CHECKSUM_SIZE = 8  # bytes, as below
NAME_SIZE = 8
SIZE_SIZE = 8
LENGTHS = struct.Struct("<II")  # of key and value
HEAD = struct.Struct("<8sII")  # checksum and LENGTHS
FOOT = struct.Struct("<16s16sQ8s")  # see `Foot`
BODY_START = len(MARK) + CHECKSUM_SIZE  # in an entry
KEY_START = BODY_START + LENGTHS.size
SMALLEST_ENTRY = KEY_START  # with neither key nor value
LARGEST_VALUE = 2**32  # exclusive
WIDEST_GAP = 1 << 11  # between entries that are read together
LARGEST_BLOCK = 1 << 16  # that is read at once
CAN_READ_AT = hasattr(os, "pread")  # without moving the file's position

Entry = tuple[bytes, bytes]  # key and value
Buffer = bytes | memoryview
Numbers = np.ndarray  # (n,), whole numbers
_seek_lock = Lock()


class Damaged(ValueError):
    """A file differs from what was written; names the file and the remedy."""


class Foot(NamedTuple):
    """The end of a file, as FOOT packs it."""

    all_checksums: bytes
    index_digest: bytes
    entry_count: int
    kind: bytes


class Index(NamedTuple):
    """The names and sizes of a file's entries, as bytes, and the first byte of both."""

    names: bytes
    sizes: bytes
    start: int


class Extent(NamedTuple):
    """Where an entry is in a file, in bytes; number: its position among the entries, from 0."""

    number: int
    start: int
    end: int


@dataclass
class Block:
    """Neighbouring entries that are read together, and where they are in the file, in bytes."""

    start: int
    end: int
    extents: list[Extent] = field(default_factory=list)


def write_entries(file: IO[bytes], entries: Iterable[Entry], binding: bytes = b"") -> int:
    """Write pairs of key and value, both bytes and below 4 GiB, to a file; return their number.

    binding: what the values belong to, at most 64 bytes; see the module.
    """
    checksum_of = _load_xxh3()
    seed = _derive_seed(binding)
    names = bytearray()
    sizes = []
    checksums = blake2b(digest_size=16)

    for key, value in entries:
        if max(len(key), len(value)) >= LARGEST_VALUE:
            raise ValueError(f"an entry of {len(value)} bytes: expected less than 4 GiB")

        body = b"".join((LENGTHS.pack(len(key), len(value)), key, value))
        checksum = checksum_of(body, seed)
        file.write(MARK + checksum + body)

        checksums.update(checksum)
        names += checksum_of(key)
        sizes.append(BODY_START + len(body))

    index = bytes(names) + np.array(sizes, "<u8").tobytes()
    all_checksums = checksums.digest()
    index_digest = _digest_index(index, all_checksums, binding)
    file.write(index + FOOT.pack(all_checksums, index_digest, len(sizes), KIND))
    return len(sizes)


class Segment:
    """The entries of a file; `starts` (n + 1,) are their first bytes.

    Reading moves no position in the file, so threads and forked processes may share a Segment.
    With `keep` it stays open, and so readable after another file has replaced it. Entries are
    checked as they are read.

    Raises Damaged if the file is truncated, if its index changed, or if it has another `binding`.
    Raises NoPlainFile if `path` is a folder, a device or the like.
    """

    def __init__(self, path: Path, keep: bool = False, binding: bytes = b"") -> None:
        self.path = path
        self._seed = _derive_seed(binding)
        self._file = open_plain(path, buffering=0) if keep else None

        index = self._read_index(binding)
        self._name_bytes = index.names  # in the order of the entries
        names = np.frombuffer(index.names, "<u8")
        self._by_name = np.argsort(names, kind="stable")  # numbers of entries, sorted by name
        self._sorted_names = names[self._by_name]
        self.starts = self._add_up_sizes(index)

    def __len__(self) -> int:
        return len(self._by_name)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()

    def is_at(self, path: Path) -> bool:
        """Return whether the open file is the one at `path` now; for a Segment with `keep`."""
        assert self._file is not None, "keep=True"
        status_of_open_file = os.fstat(self._file.fileno())
        return os.path.samestat(status_of_open_file, os.stat(path))

    def entries(self, numbers: Sequence[int] | Numbers) -> Iterator[Entry]:
        """Yield keys and values of the entries with these 0-based numbers, ascending."""
        numbers = np.asarray(numbers, int)
        starts = self.starts[numbers].tolist()
        ends = self.starts[numbers + 1].tolist()
        extents = map(Extent, numbers.tolist(), starts, ends)

        with self._open_file() as file:
            for block in plan_blocks(extents):
                content = memoryview(_read_at(file, block.start, block.end - block.start))
                for extent in block.extents:
                    entry_bytes = content[extent.start - block.start : extent.end - block.start]
                    yield self._parse(entry_bytes, extent)

    def get_many(self, keys: Sequence[bytes], names: Numbers | None = None) -> Iterator[Entry]:
        """Yield key and value of each of `keys` that this file has, in the file's order.

        names: of the keys, see `name_keys`; for callers who read many files.
        """
        if len(keys) == 1:
            yield from self._get_one(keys[0])
            return

        if names is None:
            names = name_keys(keys)
        key_positions, numbers = self._find_names(names)
        for position, (key, value) in zip(key_positions.tolist(), self.entries(numbers)):
            if key == keys[position]:  # else another key of the same name
                yield key, value

    def __iter__(self) -> Iterator[Entry]:
        return self.entries(np.arange(len(self)))

    def _read_index(self, binding: bytes) -> Index:
        """Return the index; raise Damaged unless it is what was written with this binding."""
        with self._open_file() as file:
            file_size = file.seek(0, os.SEEK_END)
            index_end = file_size - FOOT.size
            foot_bytes = _read_at(file, max(0, index_end), FOOT.size)
            foot = Foot(*FOOT.unpack(foot_bytes.ljust(FOOT.size)))

            index_size = (NAME_SIZE + SIZE_SIZE) * foot.entry_count
            if foot.kind != KIND or index_size > index_end:
                raise self._make_error("its end is missing or not what was written")
            index_start = index_end - index_size
            content = _read_at(file, index_start, index_size)

        if _digest_index(content, foot.all_checksums, binding) != foot.index_digest:
            another_binding = ", or it was written for something else" if binding else ""
            raise self._make_error(f"its index is not what was written{another_binding}")

        names_end = NAME_SIZE * foot.entry_count
        return Index(content[:names_end], content[names_end:], index_start)

    def _add_up_sizes(self, index: Index) -> Numbers:
        """Return the first byte of each entry, and the end of the last one: (n + 1,)."""
        sizes = np.frombuffer(index.sizes, "<u8")
        starts = np.zeros(len(sizes) + 1, np.int64)

        # an index with a right digest may still be forged: no size leads out of the file, so the
        # sum of sizes cannot overflow
        is_possible = True
        if len(sizes):
            is_possible = sizes.min() >= SMALLEST_ENTRY and sizes.max() <= index.start
        if is_possible:
            np.cumsum(sizes.astype(np.int64), out=starts[1:])
        if not is_possible or starts[-1] != index.start:
            raise self._make_error("it is too long or too short")
        return starts

    def _get_one(self, key: bytes) -> Iterator[Entry]:
        """Yield the entries of one key, in a tenth of the time that many keys take."""
        name = name_keys((key,))[0]
        first = self._sorted_names.searchsorted(name)
        last = self._sorted_names.searchsorted(name, "right")
        for number in self._by_name[first:last].tolist():
            start, end = self.starts[number : number + 2].tolist()
            with self._open_file() as file:
                content = _read_at(file, start, end - start)
            found_key, value = self._parse(content, Extent(number, start, end))
            if found_key == key:  # else another key of the same name
                yield found_key, value

    def _find_names(self, names: Numbers) -> tuple[Numbers, Numbers]:
        """Return where entries have one of `names`: positions there, and numbers of entries.

        Both are in the order of the entries. A name may have several entries.
        """
        # a name's entries are first..last of the sorted names; both are (names,)
        first = np.searchsorted(self._sorted_names, names)
        last = np.searchsorted(self._sorted_names, names, "right")
        counts = last - first

        # these ranges, one after the other: the first of each range, plus 0, 1, 2, …
        positions = np.repeat(np.arange(len(names)), counts)
        entries_before = np.repeat(np.cumsum(counts) - counts, counts)
        offsets_in_range = np.arange(len(positions)) - entries_before
        sorted_positions = np.repeat(first, counts) + offsets_in_range

        numbers = self._by_name[sorted_positions]
        order = np.argsort(numbers, kind="stable")
        return positions[order], numbers[order]

    def _parse(self, content: Buffer, extent: Extent) -> Entry:
        """Return key and value of an entry's bytes; raise Damaged if they are wrong there."""
        entry = _parse_entry(content, self._seed)
        if entry is None:
            raise self._make_error(f"the entry at byte {extent.start} is not what was written")

        key, _ = entry
        name_start = NAME_SIZE * extent.number
        indexed_name = self._name_bytes[name_start : name_start + NAME_SIZE]
        name_of = _load_xxh3()
        if name_of(key) != indexed_name:
            raise self._make_error(f"the entry at byte {extent.start} is that of another place")
        return entry

    def _open_file(self) -> ContextManager[IO[bytes]]:
        """Return a context with the open file; one that is kept stays open behind it."""
        if self._file is not None:
            return nullcontext(self._file)
        return open_plain(self.path, buffering=0)

    def _make_error(self, problem: str) -> Damaged:
        return Damaged(f"{self.path} is damaged: {problem}")


def plan_blocks(extents: Iterable[Extent]) -> Iterator[Block]:
    """Divide entries, in ascending order, into blocks of neighbours; a block is read by one call.

    No gap of more than WIDEST_GAP bytes is read, because all of it would be read for nothing. A
    block has at most LARGEST_BLOCK bytes, except for a single larger entry.
    """
    block: Block | None = None
    for extent in extents:
        if block is not None:
            is_near = extent.start - block.end <= WIDEST_GAP
            is_small = extent.end - block.start <= LARGEST_BLOCK
            is_repeated = extent.end <= block.end  # the same entry, asked for twice
            if not (is_repeated or (is_near and is_small)):
                yield block
                block = None

        if block is None:
            block = Block(extent.start, extent.end)
        block.extents.append(extent)
        block.end = max(block.end, extent.end)

    if block is not None:
        yield block


def salvage(path: Path, binding: bytes = b"") -> Iterator[Entry]:
    """Yield key and value of each whole entry in a damaged file, wherever it is."""
    content = path.read_bytes()
    seed = _derive_seed(binding)

    start = content.find(MARK)
    while start >= 0:
        end = _find_end(content, start)
        entry = _parse_entry(content[start:end], seed)
        if entry is not None:
            yield entry

        # a mark that begins no whole entry may be a part of a value
        next_possible = start + 1 if entry is None else end
        start = content.find(MARK, next_possible)


def _find_end(content: bytes, start: int) -> int:
    """Return where the entry at `start` ends, by its lengths; `start` if it is cut off."""
    lengths = content[start + BODY_START : start + KEY_START]
    if len(lengths) < LENGTHS.size:
        return start

    key_length, value_length = LENGTHS.unpack(lengths)
    end = start + KEY_START + key_length + value_length
    return end if end <= len(content) else start


def open_segment(path: Path, binding: bytes = b"") -> Segment:
    """Return the Segment of a file; its index is read once per process, until it is replaced."""
    check_plain(path)
    status = path.stat()  # without times: whoever reads the file sets them
    return _open_segment(path, binding, status.st_ino, status.st_size)


@lru_cache(maxsize=1_024)
def _open_segment(path: Path, binding: bytes, inode: int, size: int) -> Segment:
    # inode and size are only part of the cache's key
    return Segment(path, binding=binding)


def name_keys(keys: Iterable[bytes]) -> Numbers:
    """Return the names (n,) of keys."""
    name_of = _load_xxh3()
    return np.frombuffer(b"".join([name_of(key) for key in keys]), "<u8")


def read_end(path: Path) -> str:
    """Return the end of a file of entries, as hexadecimal digits; it depends on every entry."""
    with open_plain(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - FOOT.size))
        return file.read().hex()


def _parse_entry(content: Buffer, seed: int) -> Entry | None:
    """Return key and value of an entry's bytes; None if they are not what was written."""
    if len(content) < SMALLEST_ENTRY:
        return None

    checksum, key_length, value_length = HEAD.unpack_from(content, len(MARK))
    if KEY_START + key_length + value_length != len(content):
        return None
    if _load_xxh3()(content[BODY_START:], seed) != checksum:
        return None
    value_start = KEY_START + key_length
    return bytes(content[KEY_START:value_start]), bytes(content[value_start:])


def _read_at(file: IO[bytes], start: int, size: int) -> bytes:
    if CAN_READ_AT:
        return os.pread(file.fileno(), size, start)
    with _seek_lock:  # Windows
        file.seek(start)
        return file.read(size)


def _digest_index(index: bytes, all_checksums: bytes, binding: bytes) -> bytes:
    return blake2b(index + all_checksums, digest_size=16, key=binding).digest()


@lru_cache(maxsize=1_024)
def _derive_seed(binding: bytes) -> int:
    """Return the seed of checksums, 64 bits; 0, XXH3's own, without a binding."""
    if not binding:
        return 0
    return int.from_bytes(blake2b(binding, digest_size=8).digest(), "little")


@lru_cache(maxsize=1)
def _load_xxh3() -> Callable[..., bytes]:
    """Return XXH3's function of bytes and seed; imports load no library, so the first call does."""
    from xxhash import xxh3_64_digest

    return xxh3_64_digest
