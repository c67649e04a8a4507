"""Encode texts into shards: on this machine, or by Spark's workers.

    summary = encode_shards("papers.parquet", encoder, "vectors")
    print(summary.encoded, summary.kept)

Both ways write the same shards.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.atomic import explain_write_errors, locked

from ..arguments import Count, FilePath, Name, check_arguments
from ..encoders import Encoder, EncoderLike, as_encoder
from ..fingerprint import Unidentified, fingerprint
from ..folders import MANIFEST, claim
from ..progress import counted
from ..spark_sessions import start_spark
from ._shards import Manifest
from ._texts import Columns, open_source
from ._worker import Job, ShardOutcome, ShardState, encode_on_worker, encode_shard

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_SHOWN_FAILURES = 5  # shards whose failing texts an error names
FOLDER_REMEDY = "Shards are written there: pass a writable folder on a disk with room."


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
    columns: Columns = None,
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
    with _open_job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        shard_numbers = range(job.manifest.shards)
        outcomes = []
        for number in counted(shard_numbers, "encoding", "shard", verbose=verbose):
            # a shard that is complete on disk is kept, and does not ask for the encoder
            outcomes.append(encode_shard(job, number, lambda: encoder))
        return _summarise(job, outcomes)


@check_arguments
def encode_on_spark(
    texts: object,
    encoder: EncoderLike,
    folder: FilePath,
    *,
    shard_size: Count = 10_000,
    columns: Columns = None,
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
    with _open_job(texts, encoder, folder, shard_size, columns, encoder_name) as job:
        # Spark's own way to send code and objects; none of it is written to our disk
        pickled_encoder = context.broadcast(cloudpickle.dumps(encoder))
        try:
            shard_count = job.manifest.shards
            tasks = max(shard_count, 1)  # Spark needs one, even for no shards
            numbers = context.parallelize(range(shard_count), tasks)
            outcomes = numbers.map(lambda number: encode_on_worker(job, pickled_encoder, number))
            return _summarise(job, outcomes.collect())
        finally:
            pickled_encoder.destroy()


@contextmanager
def _open_job(
    texts: object,
    encoder: Encoder,
    folder: FilePath,
    shard_size: Count,
    columns: Columns,
    encoder_name: Name | None,
) -> Iterator[Job]:
    """Yield the job, and lock the folder against other processes (where locks work)."""
    identity = encoder_name or _identify(encoder)
    path = Path(folder).absolute()
    with (
        locked(path / MANIFEST, FOLDER_REMEDY),
        explain_write_errors(path, FOLDER_REMEDY),
    ):
        # a folder of something else raises here, so that its texts are not replaced
        with open_source(texts, path, columns) as source:
            manifest = Manifest(
                encoder=identity,
                source=source.identity,
                texts=source.count,
                shard_size=shard_size,
                shown=f"{encoder!r:.300}",
            )
            claim(path, asdict(manifest), remarks=["shown"])
        yield Job(str(path), manifest, source)


def _identify(encoder: Encoder) -> str:
    """Return the encoder's fingerprint; ValueError if it cannot be identified."""
    try:
        return fingerprint(encoder)
    except Unidentified as error:
        raise ValueError(
            f'{error} Or pass encoder_name="…", and another name for another encoder.'
        ) from None


def _summarise(job: Job, outcomes: Sequence[ShardOutcome]) -> ShardSummary:
    """Count the outcomes; warn of damaged shards.

    Raises:
        ValueError: texts cannot be encoded.
    """
    counts = Counter(outcome.state for outcome in outcomes)
    for outcome in outcomes:
        if outcome.state is ShardState.RECOMPUTED:
            # level 4 is the caller of the public function, which a decorator calls
            warnings.warn(f"A damaged shard was recomputed: {outcome.reason}.", stacklevel=4)

    failures = [outcome.reason for outcome in outcomes if outcome.state is ShardState.FAILED]
    if failures:
        raise ValueError(
            f"Texts that cannot be encoded, in {len(failures)} of {len(outcomes)} shards: "
            f"{'; '.join(failures[:MOST_SHOWN_FAILURES])}. The other shards are done. Correct "
            "these texts, or drop them."
        )
    return ShardSummary(
        job.folder,
        job.manifest.texts,
        encoded=counts[ShardState.ENCODED],
        recomputed=counts[ShardState.RECOMPUTED],
        kept=counts[ShardState.KEPT],
    )
