"""Turn a log into a collection of ir_datasets: mine it, then write all of it or nothing."""

from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any, Literal

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.writer import write_folder

from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike, irds, text
from ..progress import progress
from . import downloads, engines, log_files, times
from .backends import ibis
from .log_mining import Mined, mined
from .mining_summary import Choices, Summary


@check_arguments
def mine_log(
    log: downloads.Log,
    name: str,
    *,
    user: log_files.Column = None,
    time: log_files.Column = None,
    doc: log_files.Column = None,
    form: str | None = None,
    time_form: str = "auto",
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    documents: object = None,
    only: downloads.Ids | None = None,
    all_pairs: bool = False,
    backend: Literal["duckdb", "pyspark"] | ibis.BaseBackend = "duckdb",
    memory: object = None,
    spill: FilePath | None = None,
    description: str | None = None,
    licence: str = "not stated (mined from a download log: its owner's terms apply)",
    overwrite: bool = False,
    verbose: bool = True,
    **choices: Any,
) -> Summary:
    """Mine a download log for a test collection, ``download-log/<name>``. ::

        mine_log("downloads.csv.gz", "ours")
        dataset = pt.get_dataset("irds:download-log/ours/100q")

    Consecutive downloads are counted: two of the same user, of different documents, more than 10
    seconds and less than an hour apart [Krstovski et al. 2016]. Documents of such pairs form the
    collection. It has three parts:

    - ``1m``: pairs of documents (`doc_id_a`, `doc_id_b`, `kind`), a million consecutive downloads
      (``similar``) and as many random pairs (``random``).
    - ``100q``: queries, which are documents with more than 100 different successors; pools of
      these; and qrels: 1 for those downloaded after it more than 10 times, else 0. Its pairs have
      the counts (`count`).
    - ``100q-random``: the same, but the 0s are replaced by random documents. The paper's
      "non-relevant documents" may mean either.

    The same log, choices and `until` give the same collection on every backend and machine.

    Args:
        log: a file or folder, several, or an Ibis table: Parquet, CSV, TSV or JSON lines (by the
            names; text also gzipped), rows in any order. A broken line costs no other line.
        name: of the collection (letters, digits, ``.``, ``_``, ``-``).
        user, time, doc: the columns of the user (or session), time and document id; None: by
            common names. Places from 0 for CSV and TSV without a header line.
        form: ``"parquet"``, ``"csv"``, ``"tsv"`` or ``"jsonl"``; None: by the files' names.
        time_form: ``"auto"``, ``"iso"``, ``"seconds"`` or ``"milliseconds"`` since 1970. Times
            without an offset are UTC.
        since, until: drop rows before and after these (datetimes, or ISO 8601 texts). `until`
            None is the moment of the call: no download lies in the future.
        documents: a dataset (``"irds:csfcube"``) with titles and texts. Without one there are only
            ids. Documents missing from it have no text.
        only: the documents to keep, as the paper keeps one journal's articles: ids in a list, set
            or Series, or the path of a text file with one per line (also .gz). Other downloads are
            dropped before successors are counted. None keeps all.
        all_pairs: write all consecutive pairs and their counts, too.
        backend: ``"duckdb"``, ``"pyspark"``, or an Ibis connection to one of them.
        memory, spill: most memory for DuckDB's data (``"700MB"``), and a folder for what does not
            fit; by default most of the machine's, and a folder in ir_datasets' home.
        description, licence: of the collection.
        overwrite: whether to replace a collection of this name.
        verbose: show progress.
        choices: numbers that differ from the paper's: ``shortest=10`` and ``longest=3600`` seconds,
            ``pairs=1_000_000``, ``queries=100``, ``successors=100``, ``relevant=10``. Two are not
            in the paper: ``linked=False`` (whether random pairs may be consecutive ones, and
            random documents neighbours of their query in the log), ``seed=0``.

    Returns:
        `Summary`: what was read, kept and dropped, and why. ``print`` shows it, and the
        collection's manifest has it.

    Raises:
        FileNotFoundError, FileExistsError: no log or file of ids, or a collection of this name.
        ValueError: missing columns, an unknown form or time, an id in `only` that is neither text
            nor whole number, a damaged .gz file, or a log without consecutive pairs (the message
            has the summary).
        OSError: nothing can be written, or the disk is full; nothing is left then.
    """
    folder = folder_of("download-log", name)
    if folder.exists() and not overwrite:
        raise FileExistsError(f"{folder} exists. Choose another name, or pass overwrite=True.")
    numbers = Choices(**choices)
    until = until if until is not None else datetime.now(timezone.utc)
    columns = {"user": user, "time": time, "doc": doc}
    reading = {
        "form": form,
        "time_form": time_form,
        "since": None if since is None else times.instant(since),
        "until": times.instant(until),
    }
    with (
        engines.open_engine(log, backend, memory, spill) as engine,
        progress("mining", 5, "step", verbose) as bar,
    ):

        def step(name: str) -> None:
            bar.describe(f"mining ({name})")
            bar.update()

        found = mined(log, engine, numbers, columns, reading, only, all_pairs, step)
        bar.describe("mining")
    summary = found.summary
    if not summary.documents:
        raise ValueError(
            f"{'the table' if hasattr(log, 'get_backend') else log}: no consecutive downloads, "
            f"nothing is written. Check the columns and what was dropped, below.\n{summary}"
        )
    texts = _texts(found, documents)
    with progress("writing the collection", verbose=verbose):
        write_folder(
            folder,
            list(texts.values()),
            found.parts(texts),
            description=description or summary.described(numbers),
            licence=licence,
            definitions={
                0: "downloaded after it, less often (100q), or drawn at random (100q-random)",
                1: "downloaded after it often",
            },
            about={"choices": asdict(numbers), "until": str(until), "summary": asdict(summary)},
            form="parquet",
            overwrite=overwrite,
        )
    return summary


def _texts(found: Mined, dataset: DatasetLike) -> dict[str, dict[str, str]]:
    """Return the documents by id, with title and text from the dataset; count those missing."""
    doc_ids = found.documents["doc_id"].to_pylist()
    if dataset is None:
        return {doc_id: {"doc_id": doc_id} for doc_id in doc_ids}
    records = irds(dataset).docs_store().get_many(doc_ids)
    found.summary.unknown = len(doc_ids) - len(records)
    return {
        doc_id: {
            "doc_id": doc_id,
            "title": getattr(records.get(doc_id), "title", ""),
            "text": text(records[doc_id]) if doc_id in records else "",
        }
        for doc_id in doc_ids
    }
