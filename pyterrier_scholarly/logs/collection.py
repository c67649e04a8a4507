"""A log becomes a collection of ir_datasets: mined, then written into a folder, whole or not."""

from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timezone

import pyterrier as pt

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.writer import write_folder

from .choices import Choices
from .engines import open_engine
from .parts import parts_of, texts_of

LICENCE = "not stated (mined from a download log: its owner's terms apply)"


def mine_log(
    log,
    name,
    *,
    user=None,
    time=None,
    doc=None,
    form=None,
    time_form="auto",
    since=None,
    until=None,
    documents=None,
    only=None,
    all_pairs=False,
    backend="duckdb",
    memory=None,
    spill=None,
    description=None,
    licence=LICENCE,
    overwrite=False,
    verbose=True,
    **choices,
):
    """Mine a download log for a test collection, ``download-log/<name>``.

    What follows what is counted: downloads of the same user more than 10 seconds and less than an
    hour apart, of different documents [Krstovski et al. 2016]. The documents of such pairs are the
    collection's. Its part ``1m`` has pairs of documents (`doc_id_a`, `doc_id_b`, `kind`): a million
    consecutive downloads (``similar``) and as many random pairs (``random``). Its part ``100q`` has
    queries, which are documents with more than 100 different ones downloaded after them, pools of
    these, and qrels: 1 for those downloaded after it more than 10 times, 0 for the others; its
    pairs say how often (`count`). In ``100q-random``, as many random documents stand in the place
    of the others. The paper's "non-relevant documents" may be either. The same log, choices and
    `until` give the same collection on every backend and machine.

    Args:
        log: a file or folder, several, or an Ibis table. Parquet, CSV, TSV or JSON lines (by the
            names; text also gzipped), rows in any order. A line that cannot be understood costs
            itself alone.
        name: of the collection (letters, digits, ``.``, ``_``, ``-``).
        user, time, doc: the columns of the user (or session), time and document id; recognised by
            common names where None. Places from 0 for CSV and TSV without a header line.
        form: ``"parquet"``, ``"csv"``, ``"tsv"`` or ``"jsonl"``; None: by the files' names.
        time_form: ``"auto"``, ``"iso"``, ``"seconds"`` or ``"milliseconds"`` since 1970. Times are
            UTC where they have no offset.
        since, until: rows before and after these (datetimes, or texts in ISO 8601) are dropped.
            `until` None is the moment of the call: no download lies in the future.
        documents: a dataset (``"irds:csfcube"``) whose titles and texts go along. Without one there
            are ids alone, and an unknown document is one without texts.
        only: the documents to keep, as the paper keeps one journal's articles: ids in a list, set
            or Series, or the path of a text file with one per line (also .gz). Downloads of others
            are dropped first: they are not between two that follow each other. None keeps all.
        all_pairs: put all consecutive pairs and their counts into the collection, too.
        backend: ``"duckdb"``, ``"pyspark"``, or an Ibis connection to one of them.
        memory, spill: most memory for DuckDB's data (``"700MB"``), and a folder for what does not
            fit; by default most of the machine's, and a folder in ir_datasets' home.
        description, licence: of the collection.
        overwrite: whether a collection of this name may be there already.
        verbose: show progress.
        choices: numbers that differ from the paper's: ``shortest=10`` and ``longest=3600`` seconds,
            ``pairs=1_000_000``, ``queries=100``, ``successors=100``, ``relevant=10``. Two that it
            does not give: ``linked=False`` (whether random pairs may be consecutive ones, and
            random documents neighbours of their query in the log), ``seed=0``.

    Returns:
        `Summary`: what was read, kept and dropped, and why; ``print`` shows it, and the
        collection's manifest has it, too.

    Raises:
        FileNotFoundError, FileExistsError: no log or file of ids, or a collection of this name.
        ValueError: columns that are not there, a form or time that is none, an id in `only` that is
            neither text nor whole number, a damaged .gz file, or a log without a single
            consecutive pair (the message has the summary).
        OSError: nothing can be written, or the disk is full; nothing is left then.
    """
    from .mining import mined  # needs Ibis
    from .rows import instant

    folder = folder_of("download-log", name)
    if folder.exists() and not overwrite:
        raise FileExistsError(f"{folder} is there: choose another name, or say overwrite=True.")
    choices = Choices(**choices)
    until = until if until is not None else datetime.now(timezone.utc)
    reading = {"form": form, "time_form": time_form, "until": instant(until)}
    reading["since"] = None if since is None else instant(since)
    columns = {"user": user, "time": time, "doc": doc}
    with open_engine(log, backend, memory, spill) as engine, _progress(verbose) as step:
        found = mined(log, engine, choices, columns, reading, only, all_pairs, step)
    if not found.summary.documents:
        raise ValueError(
            f"{'the table' if hasattr(log, 'get_backend') else log}: no consecutive downloads, "
            "nothing is written. Check the columns and what was dropped, below.\n"
            f"{found.summary}"
        )
    texts = texts_of(found, documents)
    about = {"choices": asdict(choices), "until": str(until), "summary": asdict(found.summary)}
    write_folder(
        folder,
        texts,
        parts_of(found, {text["doc_id"]: text for text in texts}),
        description=description or _description(found.summary, choices),
        licence=licence,
        definitions={
            0: "downloaded after it, less often (100q), or drawn at random (100q-random)",
            1: "downloaded after it often",
        },
        about=about,
        form="parquet",
        overwrite=overwrite,
    )
    return found.summary


@contextmanager
def _progress(verbose):
    with pt.tqdm(total=5, desc="mining", unit="step", disable=not verbose) as bar:

        def step(name):
            bar.set_description(name)
            bar.update()

        yield step


def _description(summary, choices):
    return (
        f"Mined from a download log: {summary.outcomes['pair']:,} consecutive downloads of "
        f"{summary.documents:,} documents, more than {choices.shortest:g} and less than "
        f"{choices.longest:g} seconds apart."
    )
