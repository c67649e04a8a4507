"""Mining: from a log's lines to samples of pairs, queries and the counts of all steps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa

from ir_datasets_ext.local.kinds import Rows

from . import successions
from .backends import Engine, ibis
from .downloads import Ids, Log, ids_of, read_rows
from .log_files import Column
from .mining_summary import KEPT, OUTCOMES, PAIR, REASONS, Choices, Summary


@dataclass
class Mined:
    """What was mined, as Arrow tables.

    Attributes:
        documents: `doc_id` of the documents in consecutive pairs, sorted.
        similar, random: `doc_id_a`, `doc_id_b`, in random order.
        queries: `query_id`, the id of the query document, sorted.
        judged: `query_id`, `doc_id`, `relevance` (0 or 1) and `count`, sorted.
        others: `query_id`, `doc_id` and `relevance`, where 0 are random documents, sorted.
        pairs: `doc_id_a`, `doc_id_b` and `count` of all consecutive pairs, sorted; or None.
        summary: see `Summary`.
    """

    documents: pa.Table
    similar: pa.Table
    random: pa.Table
    queries: pa.Table
    judged: pa.Table
    others: pa.Table
    pairs: pa.Table | None
    summary: Summary

    def parts(self, texts: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Rows]]:
        """Return the collection's parts for `write_folder`; none of queries if there are none.

        texts: dict from an id to the document: `doc_id`, and `title` and `text` if they are known.
        """
        similar = _records(self.similar, kind="similar")
        parts: dict[str, dict[str, Rows]] = {
            "": {} if self.pairs is None else {"pairs": _records(self.pairs)},
            "1m": {"pairs": chain(similar, _records(self.random, kind="random"))},
        }
        if len(self.queries):
            counts = self.judged.drop_columns("relevance")
            counts = counts.rename_columns(["doc_id_a", "doc_id_b", "count"])
            parts["100q"] = {
                **self._queries(self.judged.drop_columns("count"), texts),
                "pairs": _records(counts),
            }
            parts["100q-random"] = self._queries(self.others, texts)
        return parts

    def _queries(self, judged: pa.Table, texts: Mapping[str, Mapping[str, str]]) -> dict[str, Rows]:
        """Return queries, with a pool of all judged documents."""
        ids = self.queries["query_id"].to_pylist()
        return {
            "queries": ({"query_id": id_, "query": _query(texts[id_])} for id_ in ids),
            "scoreddocs": _records(judged.select(["query_id", "doc_id"])),
            "qrels": _records(judged),
        }


def _query(document: Mapping[str, str]) -> str:
    """Return a query document's title and text, or its id if it has neither."""
    return " ".join(filter(None, map(document.get, ("title", "text")))) or document["doc_id"]


def _records(table: pa.Table, **more: str) -> Rows:
    return (
        {**row, **more}
        for batch in table.to_batches(1 << 14)  # rows in memory as Python objects at once
        for row in batch.to_pylist()
    )


def mined(
    log: Log,
    engine: Engine,
    choices: Choices,
    columns: Mapping[str, Column] | None = None,
    reading: Mapping[str, Any] | None = None,
    only: Ids | None = None,
    all_pairs: bool = False,
    step: Callable[[str], object] = lambda name: None,
) -> Mined:
    """Mine `log`.

    Args:
        log, columns, reading: see `read_rows`; `reading` has its other arguments.
        only: the documents to keep, see `rows.ids_of`; None: all.
        all_pairs: whether to return the table of all pairs.
        step: called with the name of each of five steps when it begins.
    """
    step("reading")
    rows, chosen = read_rows(
        log,
        engine,
        columns or dict.fromkeys(("user", "time", "doc")),
        **(reading or {}),
        only=None if only is None else ids_of(only, engine),
    )
    reasons = _sums(rows.group_by("reason").agg(count=rows.count()), len(REASONS))["count"]
    step("following")
    documents = engine.keep(successions.numbered(rows))
    after = engine.keep(successions.counted(rows, documents, choices))
    outcomes = _sums(
        after.group_by("outcome").agg(count=after["count"].sum(), pairs=after.count()),
        len(OUTCOMES),
    )
    pairs = after.filter(after.outcome == PAIR).select("first", "second", "count")
    paired = pairs.select(number="first").union(pairs.select(number="second"), distinct=True)
    names = engine.keep(paired.join(documents, "number").select("number", "doc_id"))
    step("drawing pairs")
    similar = successions.similar_pairs(pairs, names, outcomes["count"][PAIR], choices).to_pyarrow()
    step("drawing random pairs")
    forbidden = pairs.limit(0) if choices.linked else pairs
    random = successions.random_pairs(names, forbidden, len(similar), choices.seed).to_pyarrow()
    step("choosing queries")
    eligible, queries, pool, others = successions.judgements(pairs, names, engine, choices)
    every = successions.named(pairs, names).order_by("doc_id_a", "doc_id_b")
    every = every.select("doc_id_a", "doc_id_b", "count").to_pyarrow() if all_pairs else None
    doc_ids = names.order_by("number").select("doc_id").to_pyarrow()
    relevant = sum(pool["relevance"].to_pylist())
    summary = Summary(
        lines=sum(reasons),
        kept=reasons[KEPT],
        dropped={why: count for why, count in zip(REASONS[1:], reasons[1:]) if count},
        columns=chosen,
        outcomes=dict(zip(OUTCOMES, outcomes["count"])),
        pairs=outcomes["pairs"][PAIR],
        documents=len(doc_ids),
        similar=len(similar),
        random=len(random),
        eligible=eligible,
        queries=len(queries),
        candidates=len(pool),
        relevant=relevant,
        others=len(others) - relevant,
    )
    return Mined(doc_ids, similar, random, queries, pool, others, every, summary)


def _sums(table: ibis.Table, codes: int) -> dict[str, list[int]]:
    """Return a table's columns as lists with a number for each code, which its first column has."""
    frame = table.to_pandas().set_index(table.columns[0]).reindex(range(codes), fill_value=0)
    return {name: frame[name].astype(int).tolist() for name in frame}
