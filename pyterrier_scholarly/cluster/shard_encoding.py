"""Encode texts into shards: on this machine, or by Spark's workers."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.store import Unidentified, claim, fingerprint
from ir_datasets_ext.store.atomic_files import lock_folder

from ..arguments import Count, FilePath, Name, check_arguments
from ..encoders import Encoder, EncoderLike, as_encoder
from ..progress import counted
from ..spark_sessions import start_spark
from . import _shards, _texts, _worker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class ShardSummary:
    """The counts of an encoding: texts, and shards encoded, recomputed after damage, or kept."""

    folder: str
    texts: int
    encoded: int
    recomputed: int
    kept: int


@check_arguments
def encode_shards(
    texts: object,
    encoder: EncoderLike,
    folder: FilePath,
    *,
    shard_size: Count = 10_000,
    columns: _texts.Columns = None,
    encoder_name: Name | None = None,
    verbose: bool = True,
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
        numbers = counted(range(job.manifest.shards), "encoding", "shard", verbose=verbose)
        return _summary(job, [_worker.do_shard(job, number, lambda: encoder) for number in numbers])


@check_arguments
def encode_on_spark(
    texts: object,
    encoder: EncoderLike,
    folder: FilePath,
    *,
    shard_size: Count = 10_000,
    columns: _texts.Columns = None,
    encoder_name: Name | None = None,
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
    context = (session or start_spark("encode_on_spark")).sparkContext
    from pyspark import cloudpickle

    encoder = as_encoder(encoder)
    with _job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        shards = job.manifest.shards
        # Spark's own way to send code and objects; none of it is written to our disk
        sent = context.broadcast(cloudpickle.dumps(encoder))
        try:
            numbers = context.parallelize(range(shards), max(shards, 1))
            return _summary(job, numbers.map(lambda n: _worker.on_worker(job, sent, n)).collect())
        finally:
            sent.destroy()


@contextmanager
def _job(
    texts: object,
    encoder: Encoder,
    folder: FilePath,
    shard_size: Count,
    columns: _texts.Columns,
    encoder_name: Name | None,
) -> Iterator[_worker.Job]:
    """Yield the _worker.Job, and lock the folder against other processes (where locks work)."""
    try:
        identity = encoder_name or fingerprint(encoder)
    except Unidentified as error:
        raise ValueError(
            f'{error} Or pass encoder_name="…", and another name for another encoder.'
        ) from None
    path, shown = Path(folder).absolute(), f"{encoder!r:.300}"
    with lock_folder(path, "Shards are written there: pass a writable folder on a disk with room."):
        with _texts.source_of(texts, path, columns) as source:
            manifest = _shards.Manifest(identity, source.identity, source.count, shard_size, shown)
            claim(path, asdict(manifest), remarks=["shown"])
        yield _worker.Job(str(path), manifest, source)


def _summary(job: _worker.Job, outcomes: Sequence[_worker.Outcome]) -> ShardSummary:
    reasons = {s: [why for state, why in outcomes if state == s] for s in _worker.STATES}
    for why in reasons["recomputed"]:
        warnings.warn(f"A damaged shard was recomputed: {why}.", stacklevel=4)
    if failed := reasons.pop("failed"):
        raise ValueError(
            f"Texts that cannot be encoded, in {len(failed)} of {len(outcomes)} shards: "
            f"{'; '.join(failed[:5])}. The other shards are done. Correct these texts, or drop "
            "them."
        )
    return ShardSummary(
        job.folder,
        job.manifest.texts,
        **{state: len(shards) for state, shards in reasons.items()},
    )
