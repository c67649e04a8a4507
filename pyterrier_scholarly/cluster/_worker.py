"""What a process does with one shard: encode its texts, or find those that cannot be encoded."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..encoders import Encoder, vectors
from ._shards import Damaged, Manifest, read_shard, write_shard
from ._texts import Source

if TYPE_CHECKING:
    from pyspark import Broadcast

STATES = ("kept", "encoded", "recomputed", "failed")
BLOCK = 1_024  # texts per call of an encoder
SHOWN = 5  # failing texts of a shard that are named

Encode = Callable[[list[str]], np.ndarray]
Outcome = tuple[str, str]  # one of STATES, and why
_encoders: dict[str, Encoder] = {}


@dataclass(frozen=True)
class Job:
    """What a worker needs."""

    folder: str
    manifest: Manifest
    source: Source


def on_worker(job: Job, sent: "Broadcast", number: int) -> Outcome:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the process was forked
    return do_shard(job, number, lambda: _received(job.manifest.encoder, sent))


def _received(identity: str, sent: "Broadcast") -> Encoder:
    """Return this process's encoder; a new one replaces the last one."""
    if identity not in _encoders:
        _encoders.clear()  # one model at a time
        _encoders[identity] = pickle.loads(sent.value)
    return _encoders[identity]


def do_shard(job: Job, number: int, load: Callable[[], Encoder]) -> Outcome:
    """Encode shard `number` unless it is complete; return one of STATES, and why."""
    try:
        read_shard(job.folder, job.manifest, number)
        return "kept", ""
    except FileNotFoundError:
        state, why = "encoded", ""
    except Damaged as error:
        state, why = "recomputed", str(error)
    ids, texts = job.source.read(job.manifest.rows(number))
    encode = load().encode_documents
    try:
        embeddings = _encoded(encode, ids, texts)
    except ValueError as error:
        return "failed", str(error)
    write_shard(job.folder, job.manifest, number, ids, embeddings)
    return state, why


def _encoded(encode: Encode, ids: list[str], texts: Sequence[str]) -> np.ndarray:
    """Return vectors (n, d), or raise the ValueError that names the texts that fail."""
    if missing := [docno for docno, text in zip(ids, texts) if not isinstance(text, str)]:
        raise ValueError(f"{', '.join(missing[:SHOWN])}: no text")
    blocks = []
    for start in range(0, len(texts), BLOCK):
        part = slice(start, start + BLOCK)
        try:
            blocks.append(vectors(encode, texts[part]))
        except Exception as error:
            failing = islice(_failing(encode, list(zip(ids[part], texts[part]))), SHOWN)
            named = ", ".join(failing) or f"{ids[part][0]} to {ids[part][-1]}, but together"
            raise ValueError(f"{named}: {type(error).__name__}: {error}") from error
    return np.concatenate(blocks)


def _failing(encode: Encode, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the ids of rows whose texts fail alone, found by bisection."""
    with suppress(Exception):
        vectors(encode, [text for _, text in rows])
        return
    if len(rows) == 1:
        yield rows[0][0]
    else:
        middle = len(rows) // 2
        yield from _failing(encode, rows[:middle])
        yield from _failing(encode, rows[middle:])
