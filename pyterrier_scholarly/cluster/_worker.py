"""What a process does with one shard: encode its texts, or find those that cannot be encoded.

    outcome = encode_shard(job, number=0, load=lambda: encoder)
    print(outcome.state, outcome.reason)

A shard that is complete is kept; the encoder is loaded only if one is not.
"""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..encoders import Encoder, vectors
from ._shards import Damaged, Manifest, Shard, read_shard, write_shard
from ._texts import Source, Texts

if TYPE_CHECKING:
    from pyspark import Broadcast

TEXTS_AT_ONCE = 1_024  # per call of an encoder
MOST_NAMED_TEXTS = 5  # failing texts of a shard

#: identity -> this process's encoder: Spark keeps its worker processes, and each loads a model once
_loaded_encoders: dict[str, Encoder] = {}


class ShardState(Enum):
    """What became of a shard."""

    KEPT = "kept"  # it was complete
    ENCODED = "encoded"
    RECOMPUTED = "recomputed"  # it was damaged
    FAILED = "failed"  # texts cannot be encoded


class ShardOutcome(NamedTuple):
    """What became of a shard, and why it was recomputed or failed (else empty)."""

    state: ShardState
    reason: str = ""


@dataclass(frozen=True)
class Job:
    """What a worker needs: the folder of shards, how they are divided, and the texts."""

    folder: str
    manifest: Manifest
    source: Source


def encode_on_worker(job: Job, pickled_encoder: "Broadcast", number: int) -> ShardOutcome:
    """Encode shard `number` in a process of Spark."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the process was forked
    return encode_shard(job, number, lambda: _load(job.manifest.encoder, pickled_encoder))


def encode_shard(job: Job, number: int, load: Callable[[], Encoder]) -> ShardOutcome:
    """Encode shard `number` unless it is complete.

    load: called for the encoder only if it is needed.
    """
    outcome = _check_shard(job, number)
    if outcome.state is ShardState.KEPT:
        return outcome

    rows = job.source.read(job.manifest.rows(number))
    encoder = load()
    try:
        embeddings = _encode_texts(encoder, rows)
    except ValueError as error:
        return ShardOutcome(ShardState.FAILED, str(error))

    write_shard(job.folder, job.manifest, number, Shard(rows.ids, embeddings))
    return outcome


def _load(identity: str, pickled_encoder: "Broadcast") -> Encoder:
    """Return this process's encoder; a new one replaces the last one."""
    if identity not in _loaded_encoders:
        _loaded_encoders.clear()  # one model at a time
        _loaded_encoders[identity] = pickle.loads(pickled_encoder.value)
    return _loaded_encoders[identity]


def _check_shard(job: Job, number: int) -> ShardOutcome:
    """Return what the outcome will be if the shard is encoded now; KEPT if it need not be."""
    try:
        read_shard(job.folder, job.manifest, number)
    except FileNotFoundError:
        return ShardOutcome(ShardState.ENCODED)
    except Damaged as error:
        return ShardOutcome(ShardState.RECOMPUTED, str(error))
    return ShardOutcome(ShardState.KEPT)


def _encode_texts(encoder: Encoder, rows: Texts) -> np.ndarray:
    """Return vectors (n, d).

    Raises:
        ValueError: texts cannot be encoded; names some of them by their ids.
    """
    missing_ids = [docno for docno, text in zip(rows.ids, rows.texts) if not isinstance(text, str)]
    if missing_ids:
        raise ValueError(f"{', '.join(missing_ids[:MOST_NAMED_TEXTS])}: no text")

    blocks = []
    for start in range(0, len(rows.texts), TEXTS_AT_ONCE):
        part = slice(start, start + TEXTS_AT_ONCE)
        block_rows = Texts(rows.ids[part], rows.texts[part])
        try:
            block = vectors(encoder, block_rows.texts)
        except Exception as error:  # of any encoder
            failing = _name_failing(encoder, block_rows)
            raise ValueError(f"{failing}: {type(error).__name__}: {error}") from error
        blocks.append(block)
    return np.concatenate(blocks)


def _name_failing(encoder: Encoder, rows: Texts) -> str:
    """Name the texts of a failing block for an error: the ids of the first that fail alone.

    If each text can be encoded alone, they fail only together: then the message has the first id
    and the last one.
    """
    ids_failing_alone = _find_failing(encoder, rows.ids, rows.texts)
    named_ids = list(islice(ids_failing_alone, MOST_NAMED_TEXTS))
    if not named_ids:
        return f"{rows.ids[0]} to {rows.ids[-1]}, but together"
    return ", ".join(named_ids)


def _find_failing(encoder: Encoder, ids: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    """Yield the ids of texts that fail alone, found by bisection."""
    if not _is_failing(encoder, texts):
        return
    if len(ids) == 1:
        yield ids[0]
        return

    middle = len(ids) // 2
    yield from _find_failing(encoder, ids[:middle], texts[:middle])
    yield from _find_failing(encoder, ids[middle:], texts[middle:])


def _is_failing(encoder: Encoder, texts: Sequence[str]) -> bool:
    """Return whether the encoder fails on these texts, together."""
    try:
        vectors(encoder, texts)
    except Exception:  # of any encoder
        return True
    return False
