"""Turn a log into a collection of ir_datasets: mine it, then write all of it or nothing.

    summary = mine_log("downloads.csv.gz", "ours")
    dataset = ir_datasets.load("download-log/ours/100q")

A collection has parts of pairs (``1m``) and of queries (``100q``, ``100q-random``).
"""

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.writing import write_folder

from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike, irds, text
from ..progress import progress
from .document_ids import Ids
from .downloads import Log, Reading
from .engine_choice import open_engine
from .instants import parse_instant
from .log_columns import Column, LogColumns
from .log_engine import ibis
from .log_mining import STEPS, Mined, mine_downloads
from .mined_parts import Documents, list_parts
from .mining_choices import Choices
from .mining_summary import Summary

LICENCE = "not stated (mined from a download log: its owner's terms apply)"
GRADES = {
    0: "downloaded after it, less often (100q), or drawn at random (100q-random)",
    1: "downloaded after it often",
}


@check_arguments
def mine_log(
    log: Log,
    name: str,
    *,
    user: Column = None,
    time: Column = None,
    doc: Column = None,
    time_form: str = "auto",
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    documents: DatasetLike | None = None,
    only: Ids | None = None,
    all_pairs: bool = False,
    backend: Literal["duckdb", "pyspark"] | ibis.BaseBackend = "duckdb",
    memory: object = None,
    spill: FilePath | None = None,
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
            common names. Positions from 0 for CSV and TSV without a header line.
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
        ValueError: missing columns, an unknown suffix or time, an id in `only` that is neither text
            nor whole number, a damaged .gz file, or a log without consecutive pairs (the message
            has the summary).
        OSError: nothing can be written, or the disk is full; nothing is left then.
    """
    folder = folder_of("download-log", name)
    if folder.exists() and not overwrite:
        raise FileExistsError(f"{folder} exists. Choose another name, or pass overwrite=True.")

    checked_choices = Choices(**choices)
    if until is None:
        until = datetime.now(UTC)
    reading = Reading(
        columns=LogColumns(user, time, doc),
        time_form=time_form,
        since=None if since is None else parse_instant(since),
        until=parse_instant(until),
    )

    with (
        open_engine(log, backend, memory, spill) as engine,
        progress("mining", STEPS, "step", verbose) as bar,
    ):

        def show_step(step_name: str) -> None:
            bar.set_description_str(f"mining ({step_name})")
            bar.update()

        mined = mine_downloads(log, engine, checked_choices, reading, only, all_pairs, show_step)
        bar.set_description_str("mining")

    if not mined.summary.documents:
        raise ValueError(_describe_empty(log, mined.summary))

    with_documents = _describe_documents(mined.documents["doc_id"].to_pylist(), documents)
    summary = replace(mined.summary, unknown=with_documents.unknown)
    origin = {"choices": asdict(checked_choices), "until": str(until), "summary": asdict(summary)}
    with progress("writing the collection", verbose=verbose):
        _write_collection(
            folder,
            mined,
            with_documents.documents,
            choices=checked_choices,
            about=origin,
            overwrite=overwrite,
        )
    return summary


def _describe_empty(log: Log, summary: Summary) -> str:
    """Return the message for a log without a pair."""
    log_name = "the table" if isinstance(log, ibis.Table) else log
    return (
        f"{log_name}: no consecutive downloads, nothing is written. Check the columns and what was "
        f"dropped, below.\n{summary}"
    )


@dataclass(frozen=True)
class _Described:
    """The collection's documents.

    Attributes:
        documents: by id; with title and text if a dataset was given, which are empty for those
            missing from it.
        unknown: the number of these; None if no dataset was given.
    """

    documents: Documents
    unknown: int | None


def _describe_documents(doc_ids: list[str], dataset: DatasetLike | None) -> _Described:
    """Add titles and texts from the dataset, if there is one, to the ids of documents."""
    if dataset is None:
        return _Described({doc_id: {"doc_id": doc_id} for doc_id in doc_ids}, unknown=None)

    records = irds(dataset).docs_store().get_many(doc_ids)
    documents: dict[str, dict[str, str]] = {}
    for doc_id in doc_ids:
        document = {"doc_id": doc_id, "title": "", "text": ""}
        if doc_id in records:
            record = records[doc_id]
            document["title"] = getattr(record, "title", "")
            document["text"] = text(record)
        documents[doc_id] = document
    return _Described(documents, unknown=len(doc_ids) - len(records))


def _write_collection(
    folder: Path,
    mined: Mined,
    documents: Documents,
    choices: Choices,
    about: dict[str, Any],
    overwrite: bool,
) -> None:
    """Write the mined collection to a folder; if that fails, the folder is as it was before.

    Args:
        folder: of the collection.
        mined: pairs, queries, pools and judgements from the log.
        documents: the collection's documents, by id.
        choices: the numbers that the log was mined with, for the description.
        about: what the folder's manifest says of its origin.
        overwrite: whether to replace an existing folder.
    """
    tables_by_part = list_parts(mined, documents)
    write_folder(
        folder,
        list(documents.values()),
        tables_by_part,
        description=mined.summary.describe(choices),
        licence=LICENCE,
        definitions=GRADES,
        about=about,
        form="parquet",
        overwrite=overwrite,
    )
