"""Vectors of texts, in shards: on this machine, or by the workers of Spark."""

import os
import pickle
import warnings
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pyterrier as pt

from ir_datasets_ext.store import Unidentified, claim, fingerprint
from ir_datasets_ext.store.files import alone

from ..encoders import as_encoder
from ..logs.engines import spark_session
from ._job import Job, do_shard
from ._shards import Manifest
from ._texts import source_of

REMEDY = "Shards are kept there: give a folder with room that you can write to."
STATES = ("kept", "encoded", "recomputed", "failed")
_encoders = {}


@dataclass(frozen=True)
class ShardSummary:
    """What an encoding did: so many texts, and shards that were made, made again, or there."""

    folder: str
    texts: int
    encoded: int
    recomputed: int
    kept: int


def encode_shards(
    texts, encoder, folder, *, shard_size=10_000, columns=None, encoder_name=None, verbose=False
) -> ShardSummary:
    """Encode texts into a folder of numbered shards; called again, it goes on where it was.

    A shard is a Parquet file of `shard_size` ids (`docno`) and vectors (`doc_vec`), the last may be
    smaller. Which texts it has is fixed by their order. It has its name only when it is whole, and
    its content is hashed: one that is damaged is said (a warning) and made again.

    Args:
        texts: Parquet files (a path, a folder or a list of paths), which are read in place, best
            in row groups of some thousand; or a frame, an iterable of (id, text), of dicts or of
            documents, or a dict, which are first written into the folder.
        encoder: an `Encoder`, or what `as_encoder` takes (a model's name); its documents' side.
        folder: a new one, or one of the same texts and encoder.
        columns: names of id and text; without, `docno`, `doc_id` or `id`, and `text`.
        encoder_name: what tells the encoder from others, for functions; others tell by themselves.
        verbose: show progress.

    Raises:
        ValueError: texts that cannot be encoded (named by id; shards without one are done), a
            folder of other texts or of another encoder, no columns of texts.
    """
    encoder = as_encoder(encoder)
    with _job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        numbers = pt.tqdm(range(job.manifest.shards), unit="shard", disable=not verbose)
        return _summary(job, [do_shard(job, number, lambda: encoder) for number in numbers])


def encode_on_spark(
    texts, encoder, folder, *, shard_size=10_000, columns=None, encoder_name=None, session=None
) -> ShardSummary:
    """`encode_shards` by the workers of Spark, one shard a task.

    Folder and Parquet files must be seen by all machines under the same path. The encoder is sent
    to each worker once and kept there, so that a model is loaded once per worker process
    (``spark.python.worker.reuse``, Spark's default). A named model is not sent but loaded there.

    Args:
        session: a SparkSession; None for the one of this process, a local one where there is none.

    Raises:
        ImportError: the extra `spark` is not installed.
        ValueError: as `encode_shards`.
    """
    context = (session or spark_session("encode_on_spark")).sparkContext
    from pyspark import cloudpickle

    encoder = as_encoder(encoder)
    with _job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        shards = job.manifest.shards
        # Spark's own way to send code and objects; nothing of it stays on a disk of ours
        sent = context.broadcast(cloudpickle.dumps(encoder))
        try:
            numbers = context.parallelize(range(shards), max(shards, 1))
            return _summary(job, numbers.map(partial(_on_worker, job, sent)).collect())
        finally:
            sent.destroy()


@contextmanager
def _job(texts, encoder, folder, shard_size, columns, encoder_name):
    """The Job, while no other process has the folder (on file systems with locks)."""
    if shard_size < 1:
        raise ValueError(f"shard_size={shard_size}: it must be 1 at least.")
    try:
        identity = encoder_name or fingerprint(encoder)
    except Unidentified as error:
        raise ValueError(f'{error} Or give encoder_name="…", which changes with it.') from None
    folder = Path(folder).absolute()

    def of(source):
        of_texts = source.identity, source.count, shard_size
        manifest = Manifest(identity, *of_texts, shown=f"{encoder!r:.300}")
        claim(folder, asdict(manifest), remarks=["shown"])
        return Job(str(folder), manifest, source)

    with alone(folder, REMEDY):
        yield source_of(texts, folder, columns, of)


def _on_worker(job, sent, number):
    """On a worker: what became of a shard."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the process was forked
    return do_shard(job, number, partial(_encoder, job.manifest.encoder, sent))


def _encoder(identity, sent):
    """The encoder of this process, made of what was sent when it is not the last one's."""
    if identity not in _encoders:
        _encoders.clear()  # one model at a time
        _encoders[identity] = pickle.loads(sent.value)
    return _encoders[identity]


def _summary(job, outcomes):
    of = {state: [why for own, why in outcomes if own == state] for state in STATES}
    for why in of["recomputed"]:
        warnings.warn(f"A damaged shard was made again: {why}.", stacklevel=3)
    if of["failed"]:
        raise ValueError(
            f"Texts that cannot be encoded, in {len(of['failed'])} of {len(outcomes)} shards: "
            f"{'; '.join(of['failed'][:5])}. The other shards are done: mend these texts, or leave "
            "them out."
        )
    counts = {state: len(of[state]) for state in STATES if state != "failed"}
    return ShardSummary(job.folder, job.manifest.texts, **counts)
