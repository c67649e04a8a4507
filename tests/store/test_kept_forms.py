"""What earlier versions kept on disk is still found: files and keys have the documented form.

The bytes are put together here, from the description in `segment.py`, by other code than ours.
"""

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import NamedTuple

import lz4.block
import msgspec
import numpy as np
import pytest
from xxhash import xxh3_64_digest

from ir_datasets_ext.docstore import DocumentStore
from ir_datasets_ext.packed_records import PackedRecords
from ir_datasets_ext.store import Entries, Segment, fingerprint, read_folder, write_entries

KEPT = {b"key": b"value", b"": b"empty", b"another": bytes(range(256))}


def file_of_entries(entries, binding=b""):
    """The bytes of a file of entries, in the order of writing."""
    seed = 0
    if binding:
        seed = int.from_bytes(hashlib.blake2b(binding, digest_size=8).digest(), "little")
    content, names, sizes, checksums = b"", b"", b"", b""
    for key, value in entries.items():
        body = struct.pack("<II", len(key), len(value)) + key + value
        checksum = xxh3_64_digest(body, seed)
        entry = b"\xabent" + checksum + body
        content += entry
        names += xxh3_64_digest(key)
        sizes += struct.pack("<Q", len(entry))
        checksums += checksum
    index = names + sizes
    of_checksums = hashlib.blake2b(checksums, digest_size=16).digest()
    of_index = hashlib.blake2b(index + of_checksums, digest_size=16, key=binding).digest()
    return content + index + of_checksums + of_index + struct.pack("<Q", len(entries)) + b"entries2"


@pytest.mark.parametrize("binding", [b"", b"an encoder's settings"])
def test_entries_of_earlier_versions_are_found(tmp_path, binding):
    """A folder with a file in the documented form has its entries, by key and in their order."""
    path = tmp_path / "00000007-0123456789abcdef.entries"
    path.write_bytes(file_of_entries(KEPT, binding))
    entries = Entries(tmp_path, binding=binding)
    assert entries.get_many([b"another", b"unknown", b"key"]) == {
        b"another": KEPT[b"another"],
        b"key": b"value",
    }
    assert list(entries) == list(KEPT.items())
    entries.put_many({b"new": b"1"})
    assert [file.name[:9] for file in entries.files()] == ["00000007-", "00000008-"]


@pytest.mark.parametrize("binding", [b"", b"an encoder's settings"])
def test_entries_are_written_in_that_form(tmp_path, binding):
    """Byte by byte, so that an earlier version finds what this one writes."""
    with open(tmp_path / "file", "wb") as file:
        write_entries(file, KEPT.items(), binding)
    assert (tmp_path / "file").read_bytes() == file_of_entries(KEPT, binding)


def test_folders_of_earlier_versions_are_read(tmp_path):
    """A manifest has `about`, the files' sizes and hashes, and a sha256 of both as JSON."""
    (tmp_path / "a.txt").write_bytes(b"content")
    entries = file_of_entries(KEPT)
    (tmp_path / "b.entries").write_bytes(entries)
    files = {
        "a.txt": {"bytes": 7, "sha256": hashlib.sha256(b"content").hexdigest()},
        "b.entries": {"bytes": len(entries), "end": entries[-48:].hex()},
    }
    about = {"made by": "me"}
    canonical = json.dumps([about, files], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    manifest = {"about": about, "files": files, "digest": digest}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest, indent=1))
    assert read_folder(tmp_path) == about


class Paper(NamedTuple):
    """A document."""

    doc_id: str
    title: str
    labels: tuple[str, ...] = ()


def test_documents_of_earlier_versions_are_found(tmp_path):
    """An array of MessagePack, or of JSON, compressed by LZ4 behind its size."""
    entries = {
        b"7": msgspec.msgpack.encode(["7", "Seven", ["a"]]),
        b"8": b'["8", "half: \\ud83d", ["a", "b"]]',
    }
    compressed = {
        key: struct.pack("<I", len(content)) + lz4.block.compress(content, store_size=False)
        for key, content in entries.items()
    }
    path = tmp_path / "docs.entries"
    path.write_bytes(file_of_entries(compressed))
    store = DocumentStore(PackedRecords(Segment(path, keep=True), Paper, None), Paper)
    assert store.get("7") == Paper("7", "Seven", ("a",))
    assert store.get("8") == Paper("8", "half: \ud83d", ("a", "b"))


@dataclass
class Settings:
    """A dataclass, whose fingerprint begins with its module and name."""

    value: object


class Point(NamedTuple):
    """A named tuple, which is no plain list."""

    x: int


TAG = r"\u0000"
HASH_OF_1 = hashlib.sha256(b"1").hexdigest()
NUMBERS = np.array([1, 2], dtype="<i8")
HASH_OF_NUMBERS = hashlib.sha256(b"\1" + bytes(7) + b"\2" + bytes(7)).hexdigest()


@pytest.mark.parametrize(
    ("value", "description"),
    [
        ({"b": 1, "a": [None, True, 2.5]}, '{"a":[null,true,2.5],"b":1}'),
        ({1: "a", "1": "b"}, f'["{TAG}dict",[["1","b"],[1,"a"]]]'),
        ({"b", "a"}, f'["{TAG}set","a","b"]'),
        (b"1", f'["{TAG}bytes","{HASH_OF_1}"]'),
        (int, f'["{TAG}builtins.int"]'),
        (range(3), f'["{TAG}builtins.range","range(0, 3)"]'),
        (Settings("x"), f'["{TAG}{__name__}.Settings",{{"value":"x"}}]'),
        (Point(1), f'["{TAG}{__name__}.Point",1]'),
        (NUMBERS, f'["{TAG}array",[2],"int64","{HASH_OF_NUMBERS}"]'),
        (
            np.array(["a", None], dtype=object),
            f'["{TAG}array",[2],"object",["a",null]]',
        ),
    ],
)
def test_keys_of_earlier_versions_are_found(value, description):
    """A fingerprint is the sha256 of a description in canonical JSON."""
    assert fingerprint(value) == hashlib.sha256(description.encode()).hexdigest()


def test_the_key_of_a_path(tmp_path):
    """It has the files with their sizes and times of change."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"content")
    time = file.stat().st_mtime_ns
    description = f'["{TAG}path","{tmp_path}",[["{file}",7,{time}]]]'
    assert fingerprint(tmp_path) == hashlib.sha256(description.encode()).hexdigest()
