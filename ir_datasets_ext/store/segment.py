"""A file of entries, key to value, that is written once and never changes.

::

    with open("file.entries", "wb") as file:
        write_entries(file, [(b"key", b"value"), (b"another", b"")])
    dict(Segment(Path("file.entries")).get_many([b"key"]))  # {b"key": b"value"}

Every entry is checked as it is read; `entry_format` says how its bytes look.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import IO, ContextManager, NamedTuple

import numpy as np

from ir_datasets_ext.store.entry_format import (
    BODY_START,
    FOOT,
    KIND,
    LENGTHS,
    MARK,
    NAME_SIZE,
    SIZE_SIZE,
    SMALLEST_ENTRY,
    Buffer,
    Entry,
    Foot,
    Numbers,
    derive_seed,
    digest_index,
    find_entry_end,
    load_xxh3,
    name_keys,
    parse_entry,
)
from ir_datasets_ext.store.plain_files import check_plain, open_plain

WIDEST_GAP = 1 << 11  # bytes between entries that are read together
LARGEST_BLOCK = 1 << 16  # bytes that are read at once
WRONG_LENGTH = "it is too long or too short"  # what is wrong with a file, in an error
CAN_READ_AT = hasattr(os, "pread")  # without moving the file's position

_seek_lock = Lock()


class Damaged(ValueError):
    """A file differs from what was written; names the file and the remedy."""


class Index(NamedTuple):
    """The names and sizes of a file's entries, as bytes, and the first byte of both."""

    names: bytes
    sizes: bytes
    start: int


def write_entries(file: IO[bytes], entries: Iterable[Entry], binding: bytes = b"") -> int:
    """Write pairs of key and value, both bytes and below 4 GiB, to a file; return their number.

    binding: what the values belong to, at most 64 bytes; see `entry_format`.
    """
    checksum_of = load_xxh3()
    seed = derive_seed(binding)
    names = bytearray()
    sizes = []
    checksums = blake2b(digest_size=16)

    for key, value in entries:
        try:
            lengths = LENGTHS.pack(len(key), len(value))
        except struct.error:  # a length that four bytes cannot hold
            raise ValueError(f"an entry of {len(value)} bytes: expected less than 4 GiB") from None

        body = lengths + key + value
        checksum = checksum_of(body, seed)
        file.write(MARK + checksum + body)

        checksums.update(checksum)
        names += checksum_of(key)
        sizes.append(BODY_START + len(body))

    index = bytes(names) + np.array(sizes, "<u8").tobytes()
    all_checksums = checksums.digest()
    index_digest = digest_index(index, all_checksums, binding)
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
        """Open the file and read its index.

        keep: whether the file stays open.
        binding: what the values belong to, as it was passed to `write_entries`.
        """
        self.path = path
        self._seed = derive_seed(binding)
        self._file = open_plain(path, buffering=0) if keep else None

        index = self._read_index(binding)
        self.starts = self._add_up_sizes(index)
        self._name_bytes = index.names  # in the order of the entries

        # entries sorted by name, so that a binary search finds those of a key
        names = np.frombuffer(index.names, "<u8")
        self._by_name = np.argsort(names, kind="stable")  # numbers of the entries
        self._sorted_names = names[self._by_name]

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
        starts = self.starts[numbers]
        ends = self.starts[numbers + 1]
        # lists, because a loop over arrays takes several times as long
        entry_starts = starts.tolist()
        entry_ends = ends.tolist()
        extents = list(zip(numbers.tolist(), entry_starts, entry_ends))

        with self._open_file() as file:
            for block in plan_blocks(starts, ends):
                block_start = entry_starts[block.start]
                block_end = entry_ends[block.stop - 1]
                content = memoryview(_read_at(file, block_start, block_end - block_start))
                for number, start, end in extents[block]:
                    entry_bytes = content[start - block_start : end - block_start]
                    yield self._parse(entry_bytes, number, start)

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

        if digest_index(content, foot.all_checksums, binding) != foot.index_digest:
            another_binding = ", or it was written for something else" if binding else ""
            raise self._make_error(f"its index is not what was written{another_binding}")

        names_end = NAME_SIZE * foot.entry_count
        return Index(content[:names_end], content[names_end:], index_start)

    def _add_up_sizes(self, index: Index) -> Numbers:
        """Return the first byte of each entry, and the end of the last one: (n + 1,)."""
        sizes = np.frombuffer(index.sizes, "<u8")
        starts = np.zeros(len(sizes) + 1, np.int64)

        if len(sizes) > 0:
            # an index with a right digest may still be forged; no size may lead out of the file,
            # because the sum of such sizes could overflow
            is_in_file = sizes.min() >= SMALLEST_ENTRY and sizes.max() <= index.start
            if not is_in_file:
                raise self._make_error(WRONG_LENGTH)
            np.cumsum(sizes.astype(np.int64), out=starts[1:])

        if starts[-1] != index.start:  # the index begins where the last entry ends
            raise self._make_error(WRONG_LENGTH)
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
            found_key, value = self._parse(content, number, start)
            if found_key == key:  # else another key of the same name
                yield found_key, value

    def _find_names(self, names: Numbers) -> tuple[Numbers, Numbers]:
        """Return the entries that have one of `names`, in the order of the entries.

        Two arrays, an item for each such entry: the position of its name in `names`, and the number
        of the entry. A name may have several entries.
        """
        # the entries of a name are a range of the sorted names; all three are (names,)
        range_starts = np.searchsorted(self._sorted_names, names)
        range_ends = np.searchsorted(self._sorted_names, names, "right")
        range_sizes = range_ends - range_starts

        # these ranges, one after the other: the start of each range, plus 0, 1, 2, …
        name_positions = np.repeat(np.arange(len(names)), range_sizes)
        entries_before = np.repeat(np.cumsum(range_sizes) - range_sizes, range_sizes)
        offsets_in_range = np.arange(len(name_positions)) - entries_before
        sorted_positions = np.repeat(range_starts, range_sizes) + offsets_in_range

        numbers = self._by_name[sorted_positions]
        order = np.argsort(numbers, kind="stable")
        return name_positions[order], numbers[order]

    def _parse(self, content: Buffer, number: int, start: int) -> Entry:
        """Return key and value of an entry; raise Damaged if another one was written there.

        content: the entry's bytes.
        number: its position among the entries, from 0.
        start: its first byte in the file, for the error.
        """
        entry = parse_entry(content, self._seed)
        if entry is None:
            raise self._make_error(f"the entry at byte {start} is not what was written")

        key = entry[0]
        name_start = NAME_SIZE * number
        indexed_name = self._name_bytes[name_start : name_start + NAME_SIZE]
        name_of = load_xxh3()
        if name_of(key) != indexed_name:
            raise self._make_error(f"the entry at byte {start} is that of another place")
        return entry

    def _open_file(self) -> ContextManager[IO[bytes]]:
        """Return a context with the open file; one that is kept stays open behind it."""
        if self._file is not None:
            return nullcontext(self._file)
        return open_plain(self.path, buffering=0)

    def _make_error(self, problem: str) -> Damaged:
        return Damaged(f"{self.path} is damaged: {problem}")


def open_segment(path: Path, binding: bytes = b"") -> Segment:
    """Return the Segment of a file; its index is read once per process, until it is replaced."""
    check_plain(path)
    status = path.stat()  # without times: whoever reads the file sets them
    return _open_segment(path, binding, status.st_ino, status.st_size)


def salvage(path: Path, binding: bytes = b"") -> Iterator[Entry]:
    """Yield key and value of each whole entry in a damaged file, wherever it is."""
    content = path.read_bytes()
    seed = derive_seed(binding)

    start = content.find(MARK)
    while start >= 0:
        end = find_entry_end(content, start)
        entry = parse_entry(content[start:end], seed)
        if entry is not None:
            yield entry

        # a mark that begins no whole entry may be a part of a value
        next_possible = start + 1 if entry is None else end
        start = content.find(MARK, next_possible)


def read_end(path: Path) -> str:
    """Return the foot of a file of entries, as hexadecimal digits.

    Its digests depend on every entry, so another file has another foot.
    """
    with open_plain(path) as file:
        size = file.seek(0, os.SEEK_END)
        foot_start = max(0, size - FOOT.size)  # a truncated file may be shorter than a foot
        file.seek(foot_start)
        return file.read().hex()


def plan_blocks(starts: Numbers, ends: Numbers) -> Iterator[slice]:
    """Divide entries into blocks of neighbours; the bytes of a block are read by one call.

    A block ends at a gap of more than WIDEST_GAP bytes, which would be read for nothing; a smaller
    one is read, which takes less time than another call. A block has at most LARGEST_BLOCK bytes,
    except for a single larger entry.

    starts, ends: first byte of each entry in the file, and the byte behind it: (n,), ascending; an
        entry may be there repeatedly.

    Yields slices of positions among these n entries.
    """
    gap_sizes = starts[1:] - ends[:-1]
    positions_after_gap = np.flatnonzero(gap_sizes > WIDEST_GAP) + 1
    stops = [*positions_after_gap.tolist(), len(starts)]  # no block goes beyond one of these

    first = 0
    for stop in stops:
        while first < stop:
            next_first = first + 1
            if stop - first > 1:  # else, as in most look-ups, a search would take the most time
                # a larger first entry is read whole; if it is there repeatedly, its repetitions
                # end at the same byte and come with it
                last_byte = max(starts[first] + LARGEST_BLOCK, ends[first])
                entry_count = int(ends[first:stop].searchsorted(last_byte, "right"))
                next_first = first + entry_count
            yield slice(first, next_first)
            first = next_first


@lru_cache(maxsize=1_024)
def _open_segment(path: Path, binding: bytes, inode: int, size: int) -> Segment:
    # inode and size are only part of the cache's key
    return Segment(path, binding=binding)


def _read_at(file: IO[bytes], start: int, size: int) -> bytes:
    if CAN_READ_AT:
        return os.pread(file.fileno(), size, start)
    with _seek_lock:  # Windows
        file.seek(start)
        return file.read(size)
