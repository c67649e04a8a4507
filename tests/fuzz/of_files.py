"""Try files: records of a release, manifest and rows of a collection, download logs."""

import json
import shutil
from functools import lru_cache
from pathlib import Path

import ir_datasets

from ir_datasets_ext.csfcube import (
    MINI_FILES,
    read_annotations,
    read_docs,
    read_pools,
    read_query_rows,
    read_splits,
)
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.logs import mine_log
from tests.fuzz.values import bent, garbled, odd

READ = {
    "docs": lambda path: list(read_docs(path)),
    "queries": read_query_rows,
    "splits": read_splits,
    "pool": read_pools,
    "annotations/method": read_annotations,
}
PAIR = {"query_id": "1", "doc_id": "a"}
LOG = b"user,time,doc\n" + b"".join(
    f"u{number % 3},2020-03-08T02:{number:02}:{number:02}Z,d{number % 4}\n".encode()
    for number in range(40)
)


def draw_record(random):
    """Draw a file of a release with a changed record or a few changed letters."""
    key = random.choice(list(READ))
    held = MINI_FILES[key].place().read_bytes()
    if key == "docs":
        held = b"\n".join(random.sample(held.splitlines(), 2))
    if random.random() < 0.5 or key == "queries":
        return key, garbled(random, held)
    records = held.splitlines() if key == "docs" else [held]
    records = [bent(random, json.loads(record)) for record in records]
    return key, "\n".join(map(json.dumps, records)).encode()


def use_record(drawn):
    """Read the file."""
    key, held = drawn
    file = Path("record")
    file.write_bytes(held)
    READ[key](file)


@lru_cache
def _whole():
    """Return the folder of a valid collection."""
    docs = [{"doc_id": doc_id, "title": "One", "sentences": ["x", "y"]} for doc_id in "ab"]
    tables = {"queries": [{"query_id": "1", "query": "trees"}], "qrels": [{**PAIR, "relevance": 1}]}
    about = {"description": "Made up.", "licence": "CC0"}
    return write_collection("whole", docs, **tables, pools=[PAIR], **about)


def draw_manifest(random):
    """Draw the bytes of a manifest."""
    held = (_whole() / "collection.json").read_bytes()
    if random.random() < 0.5:
        return garbled(random, held)
    return json.dumps(bent(random, json.loads(held))).encode()


def use_manifest(held):
    """Read the collection of the manifest."""
    folder = _whole().with_name("bent")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_whole(), folder)
    (folder / "collection.json").write_bytes(held)
    dataset = ir_datasets.load("made/bent")
    list(dataset.docs_iter())
    for has, rows in (("has_queries", "queries_iter"), ("has_qrels", "qrels_iter")):
        if getattr(dataset, has)():
            list(getattr(dataset, rows)())


def draw_rows(random):
    """Draw the arguments for writing a collection."""
    given = {
        "where": "written",
        "docs": [{"doc_id": "a", "title": "One", "sentences": ["x", "y"], "year": 2020}],
        "queries": [{"query_id": "1", "query": "trees"}],
        "qrels": [{**PAIR, "relevance": 1}],
        "description": "Made up.",
        "licence": "CC0",
        "about": {"seed": 1},
    }
    key = random.choice(["docs", "queries", "qrels", "description", "licence", "about", "where"])
    given[key] = bent(random, given[key], odd)
    if key == "where" and not isinstance(given[key], str):
        given[key] = "written"
    return given


def use_rows(given):
    """Write the collection, and read it again."""
    name = given["where"]
    if "/" in name or "\\" in name or name in (".", ".."):
        name = "written"  # a path could be anywhere
    folder = write_collection(**{**given, "where": name}, overwrite=True)
    try:
        assert list(ir_datasets.load(f"made/{folder.name}").docs_iter())
    finally:
        shutil.rmtree(folder)


def draw_log(random):
    """Draw the bytes of a log, and the settings to read it."""
    choices = {"shortest": 1, "queries": 1, "successors": 1, "relevant": 1, "pairs": 2}
    more = {"since": None, "until": None, "user": None, "memory": None}
    if random.random() < 0.5:
        key = random.choice([*more, *choices])
        (more if key in more else choices)[key] = odd(random)
    return garbled(random, LOG) if random.random() < 0.5 else LOG, {**choices, **more}


def use_log(drawn):
    """Mine the log."""
    held, options = drawn
    Path("log.csv").write_bytes(held)
    mine_log("log.csv", "mined", overwrite=True, verbose=False, **options)
