"""A file of entries, key to value, that is written once and never changes.

An entry is MARK, a digest of 8 bytes, and its body: the lengths of key and value, key, value. The
digest (XXH3) is that of the body, so a value under another key is detected. Entries are in the
order of writing. After them come the names (XXH3 of the key, 8 bytes) and sizes of all, and FOOT:
their digest, their number, and the kind of file.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import IO, ContextManager

import numpy as np

KIND, MARK = b"entries2", b"\xabent"
LENGTHS, HEAD = struct.Struct("<II"), struct.Struct("<8sII")
FOOT = struct.Struct("<16s16sQ8s")
BODY = len(MARK) + 8  # first byte after the digest
FIRST = BODY + LENGTHS.size  # of the key's bytes
PREAD = hasattr(os, "pread")
BLOCK, GAP = 1 << 16, 1 << 11  # bytes: entries closer than GAP are read together, up to BLOCK

Entry = tuple[bytes, bytes]  # key and value
Buffer = bytes | memoryview
Numbers = np.ndarray  # (n,), whole
_lock = Lock()


def _digest(content: Buffer) -> bytes:
    """Return the XXH3 of bytes; loaded at the first call, because imports load no library."""
    global _digest
    from xxhash import xxh3_64_digest as _digest

    return _digest(content)


class Damaged(ValueError):
    """A file differs from what was written; names the file and the remedy."""


def write_entries(file: IO[bytes], entries: Iterable[Entry]) -> int:
    """Write pairs of key and value, both bytes and below 4 GiB, to a file; return their number."""
    names, sizes, content = bytearray(), [], blake2b(digest_size=16)
    for key, value in entries:
        if max(len(key), len(value)) >= 2**32:
            raise ValueError(f"an entry of {len(value)} bytes: expected less than 4 GiB")
        body = b"".join((LENGTHS.pack(len(key), len(value)), key, value))
        digest = _digest(body)
        content.update(digest)
        file.write(MARK + digest + body)
        names += _digest(key)
        sizes.append(BODY + len(body))
    tail, whole = bytes(names) + np.array(sizes, "<u8").tobytes(), content.digest()
    file.write(tail + FOOT.pack(whole, _index_digest(tail, whole), len(sizes), KIND))
    return len(sizes)


class Segment:
    """The entries of a file; `starts` (n + 1,) are their first bytes.

    Reading moves no position in the file, so threads and forked processes may share a Segment.
    With `keep` it stays open, and so readable after another file has replaced it. Raises Damaged
    if the file is truncated, or its index changed. Entries are checked as they are read.
    """

    def __init__(self, path: Path, keep: bool = False) -> None:
        self.path = path
        self._file = open(path, "rb", buffering=0) if keep else None
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END) - FOOT.size
            foot = _read(file, max(0, end), FOOT.size)
            whole, digest, count, kind = FOOT.unpack(foot.ljust(FOOT.size))
            tail = _read(file, end - 16 * count, 16 * count) if 16 * count <= end else b""
        if kind != KIND or _index_digest(tail, whole) != digest:
            raise self._damaged("its index is not what was written")
        names = np.frombuffer(tail, "<u8", count)
        self._order = np.argsort(names, kind="stable")
        self._names = names[self._order]
        self.starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.frombuffer(tail, "<i8", count, 8 * count), out=self.starts[1:])
        if self.starts[-1] != end - len(tail):
            raise self._damaged("it is too long or too short")

    def __len__(self) -> int:
        return len(self._names)

    def __del__(self) -> None:
        if file := getattr(self, "_file", None):
            file.close()

    def is_at(self, path: Path) -> bool:
        """Return whether the open file is the one at `path` now."""
        assert self._file is not None, "keep=True"
        return os.path.samestat(os.fstat(self._file.fileno()), os.stat(path))

    def entries(self, numbers: Sequence[int] | Numbers) -> Iterator[Entry]:
        """Yield keys and values of the entries with these 0-based numbers, ascending."""
        numbers = np.asarray(numbers, int)
        return self._entries(self.starts[numbers], self.starts[numbers + 1])

    def get_many(
        self, keys: Sequence[bytes], names: Numbers | None = None, places: Numbers | None = None
    ) -> Iterator[Entry]:
        """Yield key and value of each of `keys` that this file has, in the file's order.

        names: `names_of` the keys, if known. places: positions of keys to look up; all by default.
        """
        if len(keys) == 1 and places is None:
            yield from self._entries_of(keys[0])
            return
        names = names_of(keys) if names is None else names
        asked = np.arange(len(keys)) if places is None else places
        first = np.searchsorted(self._names, names[asked])
        first[first == len(self)] = 0
        here = self._names[first] == names[asked] if len(self) else first != first
        asked, first = asked[here], first[here]
        counts = np.searchsorted(self._names, names[asked], "right") - first  # of that name
        nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        numbers = self._order[np.repeat(first, counts) + nth]
        sort = np.argsort(numbers, kind="stable")
        numbers, asked = numbers[sort], np.repeat(asked, counts)[sort]
        for place, (key, value) in zip(asked.tolist(), self.entries(numbers)):
            if key == keys[place]:  # else another key of the same name
                yield key, value

    def _entries_of(self, key: bytes) -> Iterator[Entry]:
        """Yield the entries of one key in a tenth of the time of `get_many`."""
        name = names_of((key,))[0]
        here = slice(self._names.searchsorted(name), self._names.searchsorted(name, "right"))
        for number in self._order[here].tolist():
            entry = self._entry(*self.starts[number : number + 2].tolist())
            if entry[0] == key:
                yield entry

    def __iter__(self) -> Iterator[Entry]:
        return self._entries(self.starts[:-1], self.starts[1:])

    def _entries(self, starts: Numbers, ends: Numbers) -> Iterator[Entry]:
        """Yield keys and values of the entries from `starts` to `ends` (m,), both ascending."""
        if len(ends) == 1:
            yield self._entry(*starts.tolist(), *ends.tolist())
            return
        here = np.arange(len(ends))
        gaps = np.append(np.flatnonzero(starts[1:] - ends[:-1] > GAP), len(ends) - 1)
        last = np.searchsorted(ends, starts + BLOCK, "right") - 1
        last = np.clip(last, here, gaps[np.searchsorted(gaps, here)])
        until = ends[last]
        block, at, upto = memoryview(b""), 0, 0
        with self._opened() as file:
            for start, end, last in zip(starts.tolist(), ends.tolist(), until.tolist()):
                if end > upto:
                    block, at, upto = memoryview(_read(file, start, last - start)), start, last
                yield self._checked(block[start - at : end - at], start)

    def _entry(self, start: int, end: int) -> Entry:
        with self._opened() as file:
            return self._checked(_read(file, start, end - start), start)

    def _checked(self, content: Buffer, start: int) -> Entry:
        if entry := _parsed(content):
            return entry
        raise self._damaged(f"the entry at byte {start} is not what was written")

    def _opened(self) -> ContextManager[IO[bytes]]:
        return nullcontext(self._file) if self._file else open(self.path, "rb", buffering=0)

    def _damaged(self, what: str) -> Damaged:
        return Damaged(f"{self.path} is damaged: {what}")


def _read(file: IO[bytes], start: int, size: int) -> bytes:
    if PREAD:
        return os.pread(file.fileno(), size, start)
    with _lock:  # Windows
        file.seek(start)
        return file.read(size)


def salvaged(path: Path) -> Iterator[Entry]:
    """Yield key and value of each whole entry in a damaged file."""
    content, at = path.read_bytes(), 0
    while (at := content.find(MARK, at)) >= 0:
        lengths = content[at + BODY : at + FIRST]
        end = at + FIRST + sum(LENGTHS.unpack(lengths)) if len(lengths) == LENGTHS.size else 0
        entry = _parsed(content[at:end]) if at < end <= len(content) else None
        if entry:
            yield entry
        at = end if entry else at + 1


@lru_cache(maxsize=1_024)
def opened(path: Path) -> Segment:
    """Return the Segment of a file whose name never stands for another content; read once."""
    return Segment(path)


def names_of(keys: Iterable[bytes]) -> np.ndarray:
    """Return the names (n,) of keys."""
    return np.frombuffer(b"".join([_digest(key) for key in keys]), "<u8")


def foot_of(path: Path) -> str:
    """Return the end of a file of entries, as hexadecimal digits; it depends on every entry."""
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - FOOT.size))
        return file.read().hex()


def _index_digest(tail: bytes, whole: bytes) -> bytes:
    return blake2b(tail + whole, digest_size=16).digest()


def _parsed(content: Buffer) -> Entry | None:
    """Return key and value of an entry's bytes; None if they are not what was written."""
    if len(content) < FIRST:
        return None
    digest, key, value = HEAD.unpack_from(content, len(MARK))
    if FIRST + key + value != len(content) or _digest(content[BODY:]) != digest:
        return None
    return bytes(content[FIRST : FIRST + key]), bytes(content[FIRST + key :])
