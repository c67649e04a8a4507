"""One shard, encoded: the same on this machine and on a worker."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..encoders import vectors
from ._manifest import Manifest
from ._shards import Damaged, read_shard, write_shard
from ._texts import Source

TOGETHER = 1_024  # texts that an encoder is given at once
SHOWN = 5  # failing texts that are looked for in a shard


@dataclass(frozen=True)
class Job:
    """What a worker has to know."""

    folder: str
    manifest: Manifest
    source: Source


@dataclass(frozen=True)
class Outcome:
    """What became of a shard: "kept", "encoded", "recomputed" or "failed", and why the latter."""

    number: int
    state: str
    why: str = ""


def do_shard(job, number, encoder) -> Outcome:
    """Encode shard `number` unless it is there and whole; `encoder` is a function that gives it."""
    state, why = "encoded", ""
    try:
        read_shard(job.folder, job.manifest, number)
        return Outcome(number, "kept")
    except FileNotFoundError:
        pass
    except Damaged as error:
        state, why = "recomputed", str(error)
    ids, texts = job.source.read(job.manifest.rows(number))
    try:
        made = _encoded(encoder().encode_documents, ids, texts)
    except Failing as error:
        return Outcome(number, "failed", str(error))
    write_shard(job.folder, job.manifest, number, ids, made)
    return Outcome(number, state, why)


class Failing(ValueError):
    """Texts that cannot be encoded; names them."""


def _encoded(encode, ids, texts):
    empty = [one for one, text in zip(ids, texts) if not isinstance(text, str)]
    if empty:
        raise Failing(f"{', '.join(empty[:SHOWN])}: no text")
    made = []
    for start in range(0, len(texts), TOGETHER):
        part = slice(start, start + TOGETHER)
        try:
            made.append(vectors(encode, texts[part]))
        except Exception as error:
            found = _failing(encode, list(zip(ids[part], texts[part])))
            named = ", ".join(found[:SHOWN]) or f"{ids[part][0]} to {ids[part][-1]}, but together"
            raise Failing(f"{named}: {type(error).__name__}: {error}") from error
    return np.concatenate(made)


def _failing(encode, rows) -> list:
    """Ids of the first rows whose texts fail alone, found by halves."""
    found, left = [], [rows]
    while left and len(found) < SHOWN:
        part = left.pop()
        with suppress(Exception):
            vectors(encode, [text for _, text in part])
            continue
        if len(part) == 1:
            found.append(part[0][0])
        else:
            middle = len(part) // 2
            left += [part[middle:], part[:middle]]
    return found
