"""One shard, encoded: the same on this machine and on a worker."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..encoders import vectors
from ._shards import Damaged, Manifest, read_shard, write_shard
from ._texts import Source

TOGETHER = 1_024  # texts that an encoder is given at once
SHOWN = 5  # failing texts that are looked for in a shard


@dataclass(frozen=True)
class Job:
    """What a worker has to know."""

    folder: str
    manifest: Manifest
    source: Source


def do_shard(job, number, encoder):
    """Encode shard `number` unless it is there and whole; `encoder` is a function that gives it.

    Returns:
        What became of it ("kept", "encoded", "recomputed" or "failed"), and why of the last two.
    """
    state, why = "encoded", ""
    try:
        read_shard(job.folder, job.manifest, number)
        return "kept", ""
    except FileNotFoundError:
        pass
    except Damaged as error:
        state, why = "recomputed", str(error)
    ids, texts = job.source.read(job.manifest.rows(number))
    try:
        made = _encoded(encoder().encode_documents, ids, texts)
    except Failing as error:
        return "failed", str(error)
    write_shard(job.folder, job.manifest, number, ids, made)
    return state, why


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
            found = islice(_failing(encode, list(zip(ids[part], texts[part]))), SHOWN)
            named = ", ".join(found) or f"{ids[part][0]} to {ids[part][-1]}, but together"
            raise Failing(f"{named}: {type(error).__name__}: {error}") from error
    return np.concatenate(made)


def _failing(encode, rows):
    """Yield the ids of rows whose texts fail alone, found by halves."""
    with suppress(Exception):
        vectors(encode, [text for _, text in rows])
        return
    if len(rows) == 1:
        yield rows[0][0]
        return
    middle = len(rows) // 2
    for half in (rows[:middle], rows[middle:]):
        yield from _failing(encode, half)
