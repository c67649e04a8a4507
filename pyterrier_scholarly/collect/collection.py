"""Collections as a whole: write one to a folder, and read the graph of its citations."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets
from ..settings import BySettings

#: a data frame, or dicts or named tuples
Rows = Iterable


def write_collection(
    where: str | Path,
    docs: Rows,
    queries: Rows | None = None,
    pools: Rows | None = None,
    qrels: Rows | None = None,
    *,
    annotators: Rows | Mapping[str, Rows] | None = None,
    pairs: Rows | None = None,
    parts: Mapping[str, Mapping[str, Rows]] | None = None,
    description: str,
    licence: str,
    **more: Any,
) -> Path:
    """Write documents, queries, pools and judgements to a folder that ir_datasets can load.

    A collection with a name is ``made/<name>`` in ir_datasets and ``irds:made/<name>`` in
    PyTerrier, in every process from then on. Rows are data frames or iterables of dicts or named
    tuples, and are read once. Columns may have PyTerrier's names (`qid`, `docno`, `label`).

    Args:
        where: a name (letters, digits, ``.``, ``_``, ``-``), for the folder
            ``$IR_DATASETS_HOME/made/<name>``; or another folder to move there later, as a Path or
            with a separator in it.
        docs: `doc_id`, and any of `title`, `text`, `sentences`, `labels` (which our transformers
            read) and other fields of text, numbers or lists of texts.
        queries: `query_id`, `query`, and any other fields.
        pools: `query_id`, `doc_id`, and optionally `score` and `sources` (a list of texts), as from
            `make_pools`.
        qrels: `query_id`, `doc_id`, `relevance` (an integer), and optionally `iteration`.
        annotators: rows of `query_id`, `doc_id`, `annotator`, `rating` (None or NaN if missing), or
            a dict from an annotator to rows like those of `qrels`.
        pairs: `doc_id_a`, `doc_id_b`, and any other fields.
        parts: datasets below it with the same documents, as dicts by name:
            ``{"dev": {"queries": …, "pools": …, …}}``.
        description: of the collection; licence: its name, or its text with the name on the first
            line.
        more: `lang` ("en"), `definitions` (dict from grade to meaning), `page` (documentation by
            part, such as ``{"_": {"bibtex": …}}``), `about` (kept in the manifest), `form`
            ("jsonl", or "parquet" for millions of rows), `overwrite` (False).

    Returns:
        Path of the folder. An interrupted call leaves nothing there, or the former folder.

    Raises:
        ValueError: inconsistent rows: a duplicate id, a judgement of an unknown query or document,
            a grade that is no integer, a pair judged twice, …; names the row.
        FileExistsError: the folder exists, and `overwrite` is not set.
    """
    from ir_datasets_ext.local.writer import write_folder

    whole = dict(queries=queries, pools=pools, qrels=qrels, annotators=annotators, pairs=pairs)
    tables = {part: _tables(rows) for part, rows in {"": whole, **(parts or {})}.items()}
    more |= {"description": description, "licence": licence}
    return write_folder(_folder(where), docs, tables, **more)


def _folder(where: str | Path) -> Path:
    from ir_datasets_ext.local import folder_of

    if isinstance(where, str) and not any(mark and mark in where for mark in (os.sep, os.altsep)):
        return folder_of("made", where)
    return Path(where)


def _tables(part: Mapping[str, Rows | None]) -> dict[str, Rows]:
    renamed = {"pools": "scoreddocs", "annotators": "ratings"}
    tables = {renamed.get(kind, kind): rows for kind, rows in part.items() if rows is not None}
    if isinstance(ratings := tables.get("ratings"), Mapping):
        tables["ratings"] = chain.from_iterable(_ratings(*pair) for pair in ratings.items())
    return tables


def _ratings(annotator: str, rows: Rows) -> Iterator[dict[str, object]]:
    from ir_datasets_ext.local.rows import table_of

    _, tuples = table_of("qrels", rows)
    for query_id, doc_id, rating, *_ in tuples:
        yield dict(query_id=query_id, doc_id=doc_id, annotator=str(annotator), rating=rating)


def citation_graph(dataset: object) -> "CitationGraph":
    """Return the corpus graph in which a paper's neighbours are the papers that it cites.

    Use it in ``pyterrier_adaptive.GAR(scorer, citation_graph("litsearch"))``. Nothing is read until
    the first request. Edges have a direction: a paper that cites another is not its neighbour.

    Args:
        dataset: a collection with citations, such as ``"litsearch"``: its id, PyTerrier's object or
            ir_datasets' object.

    Raises:
        ImportError: pyterrier_adaptive is not installed (names the extra).
        ValueError: an unknown dataset, or one without citations.
    """
    try:
        from pyterrier_adaptive import CorpusGraph
    except ImportError as error:
        raise ImportError(
            "A citation graph needs pyterrier_adaptive: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error
    if not hasattr(datasets.irds(dataset), "citations"):
        raise ValueError(f"{dataset!r} has no citations: pass a dataset that has, as 'litsearch'.")
    CorpusGraph.register(CitationGraph)
    return CitationGraph(dataset)


@dataclass(eq=False, repr=False)
class CitationGraph(BySettings):
    """Serve as a `pyterrier_adaptive.CorpusGraph` in memory, made by `citation_graph`.

    A document's number (an ``int`` instead of its id) is its position in the corpus, from 0.
    """

    dataset: object

    def __repr__(self) -> str:
        return super().__repr__().replace("CitationGraph", "citation_graph", 1)

    def neighbours(self, docid: str | int, weights: bool = False) -> object:
        """List the papers of the corpus that `docid` cites, in the collection's order.

        Args:
            docid: an id (str), or a number (int).
            weights: whether to return the edges' weights too; all are 1.

        Returns:
            A list of ids, or for an int an array of numbers, int64; it may be empty. With
            `weights`, a pair: these, and a float32 array of the same length.

        Raises:
            KeyError, IndexError: unknown id, or number out of range.
        """
        cited = self._cited(docid if isinstance(docid, str) else self._ids[docid])
        ids = [doc_id for doc_id in cited if doc_id in self._numbers]
        inside: object = ids
        if not isinstance(docid, str):
            inside = np.array([self._numbers[doc_id] for doc_id in ids], dtype=np.int64)
        return (inside, np.ones(len(ids), dtype=np.float32)) if weights else inside

    def dropped(self, docids: Iterable[str]) -> int:
        """Count the citations of the documents `docids` (ids) to papers outside the corpus.

        These papers are no neighbours. A paper counts once for each citation. The count is 0 for a
        collection that leaves such papers out itself.
        """
        cited = map(self._cited, docids)
        return sum(doc_id not in self._numbers for doc_ids in cited for doc_id in doc_ids)

    def _cited(self, doc_id: str) -> Iterable[str]:
        return datasets.irds(self.dataset).citations(doc_id)

    @cached_property
    def _ids(self) -> list[str]:
        return [doc.doc_id for doc in datasets.irds(self.dataset).docs_iter()]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {doc_id: number for number, doc_id in enumerate(self._ids)}
