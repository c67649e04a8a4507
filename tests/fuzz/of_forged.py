"""Try files that somebody made up, with right digests: manifests, arrays, embeddings."""

import io
import json
import os
import shutil
import zipfile
from functools import lru_cache
from itertools import count
from pathlib import Path

import numpy as np

from ir_datasets_ext.store import claim, fingerprint, new_folder, write_entries
from ir_datasets_ext.store.folders import write_manifest
from pyterrier_scholarly import TfIdfModel
from pyterrier_scholarly.encoders import VectorCache
from pyterrier_scholarly.encoders.cache import FORMAT, digest_of
from tests.fuzz.values import bent, garbled, odd_json

NAMES = (
    "a.txt",
    "../a.txt",
    "/etc/hostname",
    "/dev/zero",
    "inner/../../a",
    "",
    ".",
    "a\0b",
    "C:\\a",
)
NAMES += ("inner", "./a.txt", "a.txt/", "inner//b.txt", "link", "pipe", "nowhere", "é" * 300)
MEASURES = ("bytes", "sha256", "end", "inode", "")
TEXTS = ["trees grow leaves", "leaves fall", "queues wait", "jobs wait in queues"]
SHAPES = ((10**14,), (2**62, 2**62), (0,), (), (-1,), (3, 0), (4, 4), (1,) * 40)
TYPES = ("<f8", "<f4", "<i4", "<i8", "<c16", "|O", "<U9", "|b1", "<M8[s]", "|V0", ">f8", "<f2")
SETTINGS = {"encoder": "fuzz"}
_numbers = count()  # of folders: what was read is remembered by its path


def draw_manifest(random):
    """Draw the content of a manifest: names of files, and what it says of them."""
    content = {"about": {"seed": 1}, "files": {"a.txt": {"bytes": 7, "sha256": "0" * 64}}}
    for _ in range(random.randint(1, 3)):
        measures = {random.choice(MEASURES): random.choice((7, 0, -1, "0" * 64, 1e300, None, []))}
        content["files"][random.choice(NAMES)] = measures
    return bent(random, content) if random.random() < 0.5 else content


def use_manifest(content):
    """Claim a folder with this manifest, whose digest is right."""
    folder = Path("forged")
    shutil.rmtree(folder, ignore_errors=True)
    with new_folder(folder, {}) as new:
        (new / "inner").mkdir()
        (new / "a.txt").write_text("content")
    (folder / "link").symlink_to("/etc")
    (folder / "nowhere").symlink_to("gone")
    os.mkfifo(folder / "pipe")
    content = dict(content) if isinstance(content, dict) else {"about": content}
    content["digest"] = fingerprint([content.get("about"), content.get("files")])
    (folder / "manifest.json").write_text(json.dumps(content))
    claim(folder, {"seed": 1})


@lru_cache
def _model():
    """The folder of a valid model."""
    model = TfIdfModel(TEXTS, min_count=1, most_frequent=0, min_length=1)
    return model.save("model").path


def draw_arrays(random):
    """Draw the name of an array, and the bytes of its file, with or without a right header."""
    name = random.choice(("data", "indices", "indptr", "idf"))
    with zipfile.ZipFile(_model() / "arrays.npz") as archive:
        held = archive.read(f"{name}.npy")
    if random.random() < 0.3:
        return name, garbled(random, held)
    header = {"descr": "<f8", "fortran_order": False, "shape": (4,)}
    header["shape"] = random.choice(SHAPES)
    header["descr"] = random.choice(TYPES)
    if random.random() < 0.2:
        header[random.choice(list(header))] = odd_json(random)
    text = repr(header).encode()
    start = b"\x93NUMPY\x01\x00" + min(len(text), 2**16 - 1).to_bytes(2, "little") + text
    return name, start + random.choice((b"", held[-32:], bytes(32), b"\xff" * 32))


def use_arrays(drawn):
    """Read the model with this array, for which a manifest vouches; compute its scores."""
    changed, held = drawn
    folder = Path(f"model-{next(_numbers)}")
    shutil.copytree(_model(), folder)
    try:
        with zipfile.ZipFile(_model() / "arrays.npz") as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(folder / "arrays.npz", "w") as archive:
            for name, content in (files | {f"{changed}.npy": held}).items():
                archive.writestr(name, content)
        write_manifest(folder, {})
        model = TfIdfModel(str(folder))
        scores = model.scores(*np.array(model.documents)[np.indices((4, 4)).reshape(2, -1)])
        assert np.isfinite(scores).all(), "a score that is no number"
    finally:
        shutil.rmtree(folder)


def draw_embeddings(random):
    """Draw the stored bytes of three texts' embeddings."""
    return [_embedding(random) for _ in range(3)]


def _embedding(random):
    if random.random() < 0.2:
        return random.randbytes(random.randrange(40))
    width = random.choice((0, 1, 2, 3, 2**31, 2**32 - 1))
    numbers = [random.choice((0.5, float("nan"), float("inf"), -1e38)) for _ in range(4)]
    numbers = numbers[: random.choice((0, 3, 4))]
    return width.to_bytes(4, "little") + np.array(numbers, "<f4").tobytes()


def use_embeddings(values):
    """Find them in a cache, with right checksums; what is found must be rows of numbers."""
    shutil.rmtree("cache", ignore_errors=True)
    identity = fingerprint([FORMAT, SETTINGS])
    folder = Path("cache", identity[:32])
    folder.mkdir(parents=True)
    texts = [f"text {number}" for number in range(len(values))]
    entries = zip(map(digest_of, texts), values)
    file = io.BytesIO()
    write_entries(file, entries, bytes.fromhex(identity))
    (folder / "00000001-0.entries").write_bytes(file.getvalue())
    found = VectorCache("cache").get_many(SETTINGS, texts)
    for array in found.values():
        assert array.ndim == 2 and array.size and np.isfinite(array).all(), "no embedding"
