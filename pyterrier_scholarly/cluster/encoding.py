"""Encode texts into shards: on this machine, or by Spark's workers."""

import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyterrier as pt

from ir_datasets_ext.store import Unidentified, claim, fingerprint
from ir_datasets_ext.store.files import alone

from ..encoders import Encoder, as_encoder, vectors
from ..logs.engines import spark_session
from ._shards import Damaged, Folder, Manifest, read_shard, write_shard
from ._texts import Columns, Source, source_of

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

REMEDY = "Shards are written there: pass a writable folder on a disk with room."
STATES = ("kept", "encoded", "recomputed", "failed")
BLOCK = 1_024  # texts per call of an encoder
SHOWN = 5  # failing texts of a shard that are named

Encode = Callable[[list[str]], np.ndarray]
Outcome = tuple[str, str]  # one of STATES, and why
_encoders: dict[str, Encoder] = {}


@dataclass(frozen=True)
class ShardSummary:
    """The counts of an encoding: texts, and shards encoded, recomputed after damage, or kept."""

    folder: str
    texts: int
    encoded: int
    recomputed: int
    kept: int


@dataclass(frozen=True)
class Job:
    """What a worker needs."""

    folder: str
    manifest: Manifest
    source: Source


def encode_shards(
    texts: Any,
    encoder: Any,
    folder: Folder,
    *,
    shard_size: int = 10_000,
    columns: Columns = None,
    encoder_name: str | None = None,
    verbose: bool = False,
) -> ShardSummary:
    """Encode texts into a folder of numbered shards; a second call resumes.

    A shard is a Parquet file of `shard_size` ids (`docno`) and vectors (`doc_vec`); the last may be
    smaller. The order of the texts decides on their shards. A shard appears under its name only
    when it is complete. Its content is hashed; a damaged one is recomputed, with a warning.

    Args:
        texts: Parquet files (a path, a folder or a list of paths), read in place, best in row
            groups of some thousand; or a frame, an iterable of (id, text), dicts or documents, or a
            dict, which are first written into the folder.
        encoder: an `Encoder`, or what `as_encoder` takes (a model's name); its documents' side.
        folder: a new one, or one of the same texts and encoder.
        columns: names of id and text; default: `docno`, `doc_id` or `id`, and `text`.
        encoder_name: identifies a function; other encoders are identified by their settings.
        verbose: show progress.

    Raises:
        ValueError: texts that cannot be encoded (named by id; the other shards are done), a folder
            of other texts or of another encoder, missing columns.
    """
    encoder = as_encoder(encoder)
    with _job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        numbers = pt.tqdm(range(job.manifest.shards), unit="shard", disable=not verbose)
        return _summary(job, [_do_shard(job, number, lambda: encoder) for number in numbers])


def encode_on_spark(
    texts: Any,
    encoder: Any,
    folder: Folder,
    *,
    shard_size: int = 10_000,
    columns: Columns = None,
    encoder_name: str | None = None,
    session: "SparkSession | None" = None,
) -> ShardSummary:
    """Encode like `encode_shards`, by Spark's workers, one shard per task.

    All machines must see the folder and the Parquet files under the same path. The encoder is sent
    to each worker once, so that each worker process loads a model once
    (``spark.python.worker.reuse``, Spark's default). Of a named model only the name is sent.

    Args:
        session: a SparkSession; None for this process's, or a new local one.

    Raises:
        ImportError: the extra `spark` is not installed.
        ValueError: as `encode_shards`.
    """
    context = (session or spark_session("encode_on_spark")).sparkContext
    from pyspark import cloudpickle

    encoder = as_encoder(encoder)
    with _job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        shards = job.manifest.shards
        # Spark's own way to send code and objects; none of it is written to our disk
        sent = context.broadcast(cloudpickle.dumps(encoder))
        try:
            numbers = context.parallelize(range(shards), max(shards, 1))
            return _summary(job, numbers.map(partial(_on_worker, job, sent)).collect())
        finally:
            sent.destroy()


@contextmanager
def _job(
    texts: Any,
    encoder: Encoder,
    folder: Folder,
    shard_size: int,
    columns: Columns,
    encoder_name: str | None,
) -> Iterator[Job]:
    """Yield the Job, and lock the folder against other processes (where locks work)."""
    if shard_size < 1:
        raise ValueError(f"shard_size={shard_size}: expected at least 1.")
    try:
        identity = encoder_name or fingerprint(encoder)
    except Unidentified as error:
        raise ValueError(
            f'{error} Or pass encoder_name="…", and another name for another encoder.'
        ) from None
    path = Path(folder).absolute()

    def accept(source: Source) -> Job:
        shown = f"{encoder!r:.300}"
        manifest = Manifest(identity, source.identity, source.count, shard_size, shown)
        claim(path, asdict(manifest), remarks=["shown"])
        return Job(str(path), manifest, source)

    with alone(path, REMEDY):
        yield source_of(texts, path, columns, accept)


def _on_worker(job: Job, sent: "Broadcast", number: int) -> Outcome:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the process was forked
    return _do_shard(job, number, partial(_received, job.manifest.encoder, sent))


def _received(identity: str, sent: "Broadcast") -> Encoder:
    """Return this process's encoder; a new one replaces the last one."""
    if identity not in _encoders:
        _encoders.clear()  # one model at a time
        _encoders[identity] = pickle.loads(sent.value)
    return _encoders[identity]


def _do_shard(job: Job, number: int, load: Callable[[], Encoder]) -> Outcome:
    """Encode shard `number` unless it is complete; return one of STATES, and why."""
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
        embeddings = _encoded(load().encode_documents, ids, texts)
    except Failing as error:
        return "failed", str(error)
    write_shard(job.folder, job.manifest, number, ids, embeddings)
    return state, why


class Failing(ValueError):
    """Texts that cannot be encoded; names them."""


def _encoded(encode: Encode, ids: list[str], texts: Sequence[str]) -> np.ndarray:
    missing = [docno for docno, text in zip(ids, texts) if not isinstance(text, str)]
    if missing:
        raise Failing(f"{', '.join(missing[:SHOWN])}: no text")
    blocks = []
    for start in range(0, len(texts), BLOCK):
        part = slice(start, start + BLOCK)
        try:
            blocks.append(vectors(encode, texts[part]))
        except Exception as error:
            failing = islice(_failing(encode, list(zip(ids[part], texts[part]))), SHOWN)
            named = ", ".join(failing) or f"{ids[part][0]} to {ids[part][-1]}, but together"
            raise Failing(f"{named}: {type(error).__name__}: {error}") from error
    return np.concatenate(blocks)


def _failing(encode: Encode, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the ids of rows whose texts fail alone, found by bisection."""
    with suppress(Exception):
        vectors(encode, [text for _, text in rows])
        return
    if len(rows) == 1:
        yield rows[0][0]
        return
    middle = len(rows) // 2
    for half in (rows[:middle], rows[middle:]):
        yield from _failing(encode, half)


def _summary(job: Job, outcomes: Sequence[Outcome]) -> ShardSummary:
    reasons = {state: [why for other, why in outcomes if other == state] for state in STATES}
    for why in reasons["recomputed"]:
        warnings.warn(f"A damaged shard was recomputed: {why}.", stacklevel=3)
    failed = reasons.pop("failed")
    if failed:
        raise ValueError(
            f"Texts that cannot be encoded, in {len(failed)} of {len(outcomes)} shards: "
            f"{'; '.join(failed[:5])}. The other shards are done. Correct these texts, or drop "
            "them."
        )
    counts = {state: len(shards) for state, shards in reasons.items()}
    return ShardSummary(job.folder, job.manifest.texts, **counts)
