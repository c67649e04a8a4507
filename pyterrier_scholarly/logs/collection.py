"""Turn a log into a collection of ir_datasets: mine it, then write all of it or nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa

    from .files import Column, File
    from .mining import Mined, Summary
    from .rows import Ids, Log

LICENCE = "not stated (mined from a download log: its owner's terms apply)"
MOST = 2**63 - 1  #: the largest number of the engines
LONGEST = 10**12  #: seconds; in microseconds still below `MOST`
BLOCK = 1 << 14  # rows in memory as Python objects at once


def _choice(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class Choices:
    """The numbers that mining goes by; see `mine_log`.

    Defaults are the paper's, except `linked` and `seed`, which it does not mention.
    """

    shortest: float = _choice(10, "seconds between the two downloads of a pair: more than this")
    longest: float = _choice(3600, "and less than this")
    pairs: int = _choice(1_000_000, "consecutive downloads to draw, and as many random pairs")
    linked: bool = _choice(False, "let random pairs be of documents downloaded consecutively, too")
    queries: int = _choice(100, "query documents to choose")
    successors: int = _choice(100, "different documents after a query document: more than this")
    relevant: int = _choice(10, "relevant is what was downloaded after it more often than this")
    seed: int = _choice(0, "of all draws")

    def __post_init__(self) -> None:
        for choice in fields(self):
            value = getattr(self, choice.name)
            kind: Any = choice.type
            kinds = (int, float) if kind is float else kind
            if not isinstance(value, kinds) or isinstance(value, bool) != (kind is bool):
                raise ValueError(
                    f"{choice.name}={value!r:.60}: expected a value of type {kind.__name__}"
                )
        for name in ("pairs", "queries", "successors", "relevant"):
            if not 0 <= getattr(self, name) <= MOST:
                raise ValueError(
                    f"{name}={getattr(self, name)}: expected a number from 0 to {MOST}."
                )
        if not 0 <= self.shortest < self.longest <= LONGEST:
            raise ValueError(
                f"shortest={self.shortest}, longest={self.longest}: expected seconds from 0 to "
                f"{LONGEST}, the first less than the second."
            )


def mine_log(
    log: "Log",
    name: str,
    *,
    user: "Column" = None,
    time: "Column" = None,
    doc: "Column" = None,
    form: str | None = None,
    time_form: str = "auto",
    since: "str | datetime | None" = None,
    until: "str | datetime | None" = None,
    documents: object = None,
    only: "Ids | None" = None,
    all_pairs: bool = False,
    backend: object = "duckdb",
    memory: str | None = None,
    spill: "File | None" = None,
    description: str | None = None,
    licence: str = LICENCE,
    overwrite: bool = False,
    verbose: bool = True,
    **choices: Any,
) -> "Summary":
    """Mine a download log for a test collection, ``download-log/<name>``.

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
    from datetime import datetime, timezone

    from ir_datasets_ext.local import folder_of
    from ir_datasets_ext.local.writer import write_folder

    from ..progress import progress
    from .engines import open_engine
    from .mining import mined  # needs Ibis
    from .rows import instant

    folder = folder_of("download-log", name)
    if folder.exists() and not overwrite:
        raise FileExistsError(f"{folder} exists. Choose another name, or pass overwrite=True.")
    numbers = Choices(**choices)
    until = until if until is not None else datetime.now(timezone.utc)
    reading = {"form": form, "time_form": time_form, "until": instant(until)}
    reading["since"] = None if since is None else instant(since)
    columns = {"user": user, "time": time, "doc": doc}
    shown = progress("mining", 5, "step", verbose)
    with open_engine(log, backend, memory, spill) as engine, shown as bar:

        def step(name: str) -> None:
            bar.set_description_str(name)
            bar.update()

        found = mined(log, engine, numbers, columns, reading, only, all_pairs, step)
    if not found.summary.documents:
        raise ValueError(
            f"{'the table' if hasattr(log, 'get_backend') else log}: no consecutive downloads, "
            "nothing is written. Check the columns and what was dropped, below.\n"
            f"{found.summary}"
        )
    texts = _texts(found, documents)
    about = {"choices": asdict(numbers), "until": str(until), "summary": asdict(found.summary)}
    with progress("writing the collection", verbose=verbose):
        write_folder(
            folder,
            texts,
            _parts(found, {text["doc_id"]: text for text in texts}),
            description=description or _description(found.summary, numbers),
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


def _description(summary: "Summary", choices: Choices) -> str:
    return (
        f"Mined from a download log: {summary.outcomes['pair']:,} consecutive downloads of "
        f"{summary.documents:,} documents, more than {choices.shortest:g} and less than "
        f"{choices.longest:g} seconds apart."
    )


def _texts(found: "Mined", dataset: object) -> list[dict[str, str]]:
    """Return the documents, with title and text from the dataset; count those missing from it."""
    from ..datasets import irds, text

    doc_ids = found.documents["doc_id"].to_pylist()
    if dataset is None:
        return [{"doc_id": doc_id} for doc_id in doc_ids]
    records = irds(dataset).docs_store().get_many(doc_ids)
    found.summary.unknown = len(doc_ids) - len(records)
    return [
        {
            "doc_id": doc_id,
            "title": getattr(records.get(doc_id), "title", ""),
            "text": text(records[doc_id]) if doc_id in records else "",
        }
        for doc_id in doc_ids
    ]


def _parts(found: "Mined", texts: Mapping[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Return the parts for `write_folder`; none of queries if there are no queries."""
    drawn = chain(_records(found.similar, kind="similar"), _records(found.random, kind="random"))
    parts = {"": {"pairs": _records(found.pairs)} if found.pairs is not None else {}}
    parts["1m"] = {"pairs": drawn}
    if len(found.queries):
        counts = found.judged.drop_columns("relevance")
        parts["100q"] = {
            **_queries(found.queries, found.judged.drop_columns("count"), texts),
            "pairs": _records(counts.rename_columns(["doc_id_a", "doc_id_b", "count"])),
        }
        parts["100q-random"] = _queries(found.queries, found.others, texts)
    return parts


def _queries(
    queries: "pa.Table", judged: "pa.Table", texts: Mapping[str, dict[str, str]]
) -> dict[str, Iterator[dict[str, Any]]]:
    """Return queries, with a pool of all judged documents."""
    return {
        "queries": (
            {"query_id": query, "query": _query(texts[query])}
            for query in queries["query_id"].to_pylist()
        ),
        "scoreddocs": _records(judged.select(["query_id", "doc_id"])),
        "qrels": _records(judged),
    }


def _query(document: Mapping[str, str]) -> str:
    """Return a query document's title and text, or its id if it has neither."""
    return " ".join(filter(None, map(document.get, ("title", "text")))) or document["doc_id"]


def _records(table: "pa.Table", **more: str) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(BLOCK):
        for row in batch.to_pylist():
            yield {**row, **more}
