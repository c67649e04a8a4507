"""A file of entries, key to value, that is written once and never changed.

An entry is MARK, a digest of 8 bytes, and its body: the lengths of key and value, both of them. The
digest (XXH3) is of the body, so a value under another key is not taken for its own. Entries are
in the order they were written in; behind them stand the names (XXH3 of the key, 8 bytes) and
sizes of all, and FOOT: their digest, how many they are, and what kind of file this is.
"""

import os
import struct
from contextlib import ExitStack, nullcontext
from functools import lru_cache
from hashlib import blake2b
from threading import Lock

import numpy as np

KIND, MARK = b"entries2", b"\xabent"
LENGTHS, HEAD = struct.Struct("<II"), struct.Struct("<8sII")
FOOT = struct.Struct("<16s16sQ8s")
DIGEST, LONGEST = 8, 2**32 - 1
BODY = len(MARK) + DIGEST
FIRST = BODY + LENGTHS.size  # of the key's bytes
PREAD = hasattr(os, "pread")
BLOCK, GAP = 1 << 16, 1 << 11  # bytes that are read at once, where what is asked for lies together

_lock = Lock()


def _digest(held):
    """XXH3 of bytes; loaded when it is first asked, as importing us loads no library."""
    global _digest
    from xxhash import xxh3_64_digest as _digest

    return _digest(held)


class Damaged(ValueError):
    """What is on disk is not what was written; says which file, and what to do."""


def write_entries(file, entries) -> int:
    """Write pairs of key and value, both bytes, to a binary file; return how many there were.

    Raises:
        ValueError: a key or a value of 4 GiB or more.
    """
    names, sizes, content = bytearray(), [], blake2b(digest_size=16)
    for key, value in entries:
        if max(len(key), len(value)) > LONGEST:
            raise ValueError(f"an entry of {len(value)} bytes: expected less than 4 GiB")
        body = b"".join((LENGTHS.pack(len(key), len(value)), key, value))
        digest = _digest(body)
        content.update(digest)
        file.write(MARK + digest + body)
        names += _digest(key)
        sizes.append(BODY + len(body))
    tail = bytes(names) + np.array(sizes, "<u8").tobytes()
    whole = content.digest()
    file.write(tail + FOOT.pack(whole, _index_digest(tail, whole), len(sizes), KIND))
    return len(sizes)


class Segment:
    """The entries of a file; `starts` (n + 1,) are the bytes they begin at.

    Reading moves no position in the file, so threads and forked processes may share one.

    Args:
        path: of the file.
        keep: whether it stays open, and so readable when another takes its place.

    Raises:
        Damaged: the file was cut, or its index changed. Entries are checked as they are read.
        FileNotFoundError: there is none.
    """

    def __init__(self, path, keep=False):
        self.path, self._file = path, None
        with ExitStack() as stack:
            file = stack.enter_context(open(path, "rb", buffering=0))
            self._load(file)
            if keep:
                self._file = file
                stack.pop_all()

    def _load(self, file):
        end = file.seek(0, os.SEEK_END) - FOOT.size
        foot = _read(file, max(0, end), FOOT.size)
        held = FOOT.unpack(foot) if len(foot) == FOOT.size else (b"", b"", 0, b"")
        whole, digest, count, kind = held
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

    def __len__(self):
        return len(self._names)

    def __del__(self):
        if getattr(self, "_file", None):
            self._file.close()

    def is_at(self, path):
        """Return whether the file that is kept open is the one at `path` now."""
        return os.path.samestat(os.fstat(self._file.fileno()), os.stat(path))

    def entries(self, numbers):
        """Yield keys and values of the entries that were written as `numbers`, ascending from 0."""
        numbers = np.asarray(numbers, int)
        return self._entries(self.starts[numbers], self.starts[numbers + 1])

    def get_many(self, keys, names=None, places=None):
        """Yield key and value of those of `keys`, a list, that are here; in the file's order.

        names: `names_of` the keys, where they are known. places: of the keys to be looked for.
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
            if key == keys[place]:  # else another of the same name
                yield key, value

    def _entries_of(self, key):
        """Yield what `get_many` yields of one key, in a tenth of the time."""
        name = names_of((key,))[0]
        here = slice(self._names.searchsorted(name), self._names.searchsorted(name, "right"))
        for number in self._order[here].tolist():
            found = self._entry(*self.starts[number : number + 2].tolist())
            if found[0] == key:
                yield found

    def __iter__(self):
        return self._entries(self.starts[:-1], self.starts[1:])

    def _entries(self, starts, ends):
        """Keys and values of the entries from `starts` to `ends` (m,), both ascending."""
        if len(ends) == 1:
            yield self._entry(*starts.tolist(), *ends.tolist())
            return
        here = np.arange(len(ends))
        gaps = np.append(np.flatnonzero(starts[1:] - ends[:-1] > GAP), len(ends) - 1)
        last = np.searchsorted(ends, starts + BLOCK, "right") - 1
        last = np.clip(last, here, gaps[np.searchsorted(gaps, here)])
        until = ends[last]
        held, at, upto = b"", 0, 0
        with self._opened() as file:
            for start, end, last in zip(starts.tolist(), ends.tolist(), until.tolist()):
                if end > upto:
                    held, at, upto = memoryview(_read(file, start, last - start)), start, last
                yield self._checked(held[start - at : end - at], start)

    def _entry(self, start, end):
        with self._opened() as file:
            return self._checked(_read(file, start, end - start), start)

    def _checked(self, held, start):
        found = _parsed(held)
        if found is None:
            raise self._damaged(f"the entry at byte {start} is not what was written")
        return found

    def _opened(self):
        return nullcontext(self._file) if self._file else open(self.path, "rb", buffering=0)

    def _damaged(self, what):
        return Damaged(f"{self.path} is damaged: {what}")


def _read(file, start, size):
    if PREAD:
        return os.pread(file.fileno(), size, start)
    with _lock:  # Windows
        file.seek(start)
        return file.read(size)


def salvaged(path):
    """Yield key and value of each whole entry in what is left of a file, whatever else is in it."""
    with open(path, "rb") as file:
        held = memoryview(file.read())
    at, whole = 0, held.obj
    while (at := whole.find(MARK, at)) >= 0:
        lengths = whole[at + BODY : at + FIRST]
        end = at + FIRST + sum(LENGTHS.unpack(lengths)) if len(lengths) == LENGTHS.size else 0
        found = _parsed(whole[at:end]) if at < end <= len(whole) else None
        if found is not None:
            yield found
        at = at + 1 if found is None else end


@lru_cache(maxsize=1_024)
def opened(path) -> Segment:
    """The Segment of a file whose name stands for one content ever: its index is read once."""
    return Segment(path)


def names_of(keys):
    """Return the names (n,) of keys."""
    return np.frombuffer(b"".join([_digest(key) for key in keys]), "<u8")


def foot_of(path) -> str:
    """The end of a file of entries, as hexadecimal digits: it differs where any entry does."""
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - FOOT.size))
        return file.read().hex()


def _index_digest(tail, whole):
    return blake2b(tail + whole, digest_size=16).digest()


def _parsed(held):
    """Key and value of an entry's bytes; None if they are not what was written."""
    if len(held) < FIRST:
        return None
    digest, key, value = HEAD.unpack_from(held, len(MARK))
    if FIRST + key + value != len(held) or _digest(held[BODY:]) != digest:
        return None
    return bytes(held[FIRST : FIRST + key]), bytes(held[FIRST + key :])
