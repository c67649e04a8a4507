"""The bytes of a file of entries, key to value: how they look, and how they are checked.

::

    seed = derive_seed(binding=b"")
    parse_entry(entry_bytes, seed)  # (b"key", b"value"), or None if these are not what was written

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

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

KIND = b"entries2"  # at the end of a file; another version of this form has another
MARK = b"\xabent"  # where an entry begins
CHECKSUM_SIZE = 8  # bytes, as below
NAME_SIZE = 8
SIZE_SIZE = 8
LENGTHS = struct.Struct("<II")  # of key and value, in bytes: each below 4 GiB
HEAD = struct.Struct("<8sII")  # checksum and LENGTHS
FOOT = struct.Struct("<16s16sQ8s")  # see `Foot`
BODY_START = len(MARK) + CHECKSUM_SIZE  # in an entry
KEY_START = BODY_START + LENGTHS.size
SMALLEST_ENTRY = KEY_START  # with neither key nor value

Entry = tuple[bytes, bytes]  # key and value
Buffer = bytes | memoryview
Numbers = np.ndarray  # (n,), whole numbers


class Foot(NamedTuple):
    """The end of a file, as FOOT packs it."""

    all_checksums: bytes
    index_digest: bytes
    entry_count: int
    kind: bytes


def parse_entry(content: Buffer, seed: int) -> Entry | None:
    """Return key and value of an entry's bytes; None if they are not what was written."""
    if len(content) < SMALLEST_ENTRY:
        return None

    checksum, key_length, value_length = HEAD.unpack_from(content, len(MARK))
    value_start = KEY_START + key_length
    if value_start + value_length != len(content):
        return None
    if load_xxh3()(content[BODY_START:], seed) != checksum:
        return None
    return bytes(content[KEY_START:value_start]), bytes(content[value_start:])


def find_entry_end(content: bytes, start: int) -> int:
    """Return where the entry at `start` ends, by its lengths; `start` if it is cut off."""
    lengths = content[start + BODY_START : start + KEY_START]
    if len(lengths) < LENGTHS.size:
        return start

    key_length, value_length = LENGTHS.unpack(lengths)
    end = start + KEY_START + key_length + value_length
    return end if end <= len(content) else start


def name_keys(keys: Iterable[bytes]) -> Numbers:
    """Return the names (n,) of keys."""
    name_of = load_xxh3()
    return np.frombuffer(b"".join([name_of(key) for key in keys]), "<u8")


def digest_index(index: bytes, all_checksums: bytes, binding: bytes) -> bytes:
    """Return the digest of an index, which depends on all checksums and on the binding."""
    return blake2b(index + all_checksums, digest_size=16, key=binding).digest()


@lru_cache(maxsize=1_024)
def derive_seed(binding: bytes) -> int:
    """Return the seed of checksums, 64 bits; 0, XXH3's own, without a binding."""
    if not binding:
        return 0
    return int.from_bytes(blake2b(binding, digest_size=8).digest(), "little")


@lru_cache(maxsize=1)
def load_xxh3() -> Callable[..., bytes]:
    """Return XXH3's function of bytes and seed; imports load no library, so the first call does."""
    from xxhash import xxh3_64_digest

    return xxh3_64_digest
