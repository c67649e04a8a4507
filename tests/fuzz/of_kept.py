"""Change a record of releases, collections, replies and trainings on disk, and read them.

The damage kit writes and reads them. Digests and sizes are removed or recomputed, so that a
changed record reaches the check of types.
"""

import io
import json
import os
import shutil
import zipfile
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import pyarrow
from pyarrow import parquet

from ir_datasets_ext.store import Entries, claim, fingerprint
from pyterrier_scholarly.chat import Replies, Reply
from pyterrier_scholarly.training import TrainingSettings
from tests.damage.kinds import KINDS
from tests.fuzz.values import bent, odd

NAMES = ("doris-mae json", "litsearch parquet", "s2orc zip", "made jsonl", "made parquet")
VOUCHED = {"digest", "sha256", "bytes", "page_sha256"}
REPLY = Reply("text", "stop", "model", "f", {"prompt_tokens": 1}, "2026-01-01").to_dict()
SETTINGS = {"batch_size": 4, "learning_rate": 1e-3, "loss": "triplet", "precision": "fp32"}


@lru_cache
def _whole(name):
    """A kind of the damage kit, and the folder of its files."""
    kind = next(kind for kind in KINDS if kind.name == name)
    folder = Path(name.replace(" ", "-")).absolute()
    folder.mkdir()
    with patch.dict(os.environ):
        kind.write(folder)
    for path in folder.rglob("collection.json"):
        path.write_text(json.dumps(_unvouched(json.loads(path.read_text()))))
    return kind, folder


def _unvouched(value):
    if isinstance(value, dict):
        return {key: _unvouched(held) for key, held in value.items() if key not in VOUCHED}
    return value


def draw_file(random):
    """Draw the name of a kind, the path of one of its files, and changed bytes."""
    name = random.choice(NAMES)
    kind, folder = _whole(name)
    paths = [path for path in kind.paths(folder) if path.suffix in FORMS]
    path = random.choice(paths)
    return name, str(path.relative_to(folder)), FORMS[path.suffix](random, path.read_bytes())


def use_file(drawn):
    """Read everything with the changed file."""
    name, path, held = drawn
    kind, folder = _whole(name)
    before = (folder / path).read_bytes()
    (folder / path).write_bytes(held)
    try:
        with patch.dict(os.environ):
            kind.read(folder)
    finally:
        (folder / path).write_bytes(before)


def _object(random, held):
    return json.dumps(bent(random, json.loads(held))).encode()


def _lines(random, held):
    lines = held.splitlines()
    place = random.randrange(len(lines))
    lines[place] = _object(random, lines[place])
    return b"\n".join(lines)


def _zipped(random, held):
    with zipfile.ZipFile(io.BytesIO(held)) as file:
        (name,) = file.namelist()
        lines = _lines(random, file.read(name))
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w") as file:
        file.writestr(zipfile.ZipInfo(name), lines)
    return new.getvalue()


def _table(random, held):
    """Write rows, as far as Arrow can store them: one type per column."""
    rows = parquet.read_table(io.BytesIO(held)).to_pylist()
    while True:
        try:
            table = pyarrow.Table.from_pylist(bent(random, rows))
            new = io.BytesIO()
            parquet.write_table(table, new)
            return new.getvalue()
        except (
            pyarrow.ArrowException,
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
            OverflowError,
        ):
            continue


FORMS = {".json": _object, ".jsonl": _lines, ".zip": _zipped, ".parquet": _table}


def draw_reply(random):
    """Draw the value of a key in a store of replies."""
    return json.dumps(bent(random, REPLY)).encode()


def use_reply(held):
    """Read this value, and all values."""
    shutil.rmtree("kept", ignore_errors=True)
    Entries("kept").put_many({b"0" * 64: held})
    Replies("kept").get("0" * 64)
    Replies("kept").export_jsonl("kept.jsonl")


def draw_settings(random):
    """Draw settings of a training, and those of its folder."""
    if random.random() < 0.5:
        return {**SETTINGS, random.choice(list(SETTINGS)): odd(random)}, SETTINGS
    return SETTINGS, bent(random, SETTINGS)


def use_settings(drawn):
    """Claim a folder with other settings, and store the new ones."""
    given, known = drawn
    folder = Path("training")
    folder.mkdir(exist_ok=True)
    held = {"about": known, "files": {}, "digest": fingerprint([known, {}])}
    (folder / "manifest.json").write_text(json.dumps(held))
    TrainingSettings(**given)
    claim(folder, SETTINGS)
