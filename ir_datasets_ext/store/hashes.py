"""Hashes of files and of bytes, as hex digits.

::

    file_hash("papers.jsonl", "md5")  # "7020deb4e65969dde2345e5062672cb0"
    file_hash("papers.jsonl", "md5")  # again, without reading the file, until it changes
    content_hash(b"", "git-blob")     # "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

An algorithm is a name of hashlib's, or "git-blob", git's id of a content: the sha1 of
``b"blob <size in bytes>\\0"`` and the content.
"""

import hashlib
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import IO

from ir_datasets_ext.store.plain_files import Identity, identity_of, open_plain

HASH_BLOCK = 1 << 18  # bytes that are read at a time
MOST_HASHES = 512  # that a process remembers

_remembered_hashes: OrderedDict[tuple[str, Identity], str] = OrderedDict()  # latest used last


def file_hash(path: str | Path, algorithm: str) -> str:
    """Return the hash of a file, computed once per process until the file changes.

    Raises NoPlainFile for a folder, a device and the like.
    """
    with open_plain(path) as file:
        identity = identity_of(file.fileno())
        key = (algorithm, identity)
        digest = _remembered_hashes.get(key)
        if digest is not None:
            with suppress(KeyError):  # another thread dropped it
                _remembered_hashes.move_to_end(key)
            return digest

        digest = _hash_open_file(file, algorithm, identity.size)
        is_unchanged = identity_of(file.fileno()) == identity
        if identity.is_settled() and is_unchanged:
            _remember_hash(key, digest)
    return digest


def content_hash(content: bytes, algorithm: str) -> str:
    """Return the hash of bytes."""
    state = _start_hash(algorithm, len(content))
    state.update(content)
    return state.hexdigest()


def _hash_open_file(file: IO[bytes], algorithm: str, size: int) -> str:
    state = _start_hash(algorithm, size)
    block = file.read(HASH_BLOCK)
    while block:
        state.update(block)
        block = file.read(HASH_BLOCK)
    return state.hexdigest()


def _start_hash(algorithm: str, size: int) -> "hashlib._Hash":
    if algorithm == "git-blob":
        return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    return hashlib.new(algorithm, usedforsecurity=False)


def _remember_hash(key: tuple[str, Identity], digest: str) -> None:
    """Remember a hash, and forget those that were not used for the longest time."""
    _remembered_hashes[key] = digest
    while len(_remembered_hashes) > MOST_HASHES:
        with suppress(KeyError):  # another thread emptied it
            _remembered_hashes.popitem(last=False)
