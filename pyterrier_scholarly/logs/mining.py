"""Mining: from a log's lines to samples of pairs, queries and the counts of all steps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .backends import Engine, ibis
from .fields import KEPT, REASONS
from .files import Column
from .rows import Ids, Log, ids_of, read_rows
from .successions import (
    OUTCOMES,
    PAIR,
    UNPAIRED,
    counted,
    eligible_queries,
    judged,
    named,
    numbered,
    random_judged,
    random_pairs,
    similar_pairs,
)

if TYPE_CHECKING:
    from .collection import Choices


@dataclass
class Summary:
    """Counts of one run of mining; `str` shows them.

    Attributes:
        lines: lines that are not blank (of tables: rows).
        kept: lines that are downloads.
        dropped: dict from a reason to the number of lines; they and `kept` add up to `lines`.
        columns: dict from user, time and doc to the log's column.
        outcomes: dict from what follows a download to the number of downloads: ``pair`` (kept),
            ``same``, ``soon``, ``late``, ``last``; they add up to `kept`.
        pairs: different pairs of documents among those kept.
        documents: different documents in these pairs.
        similar, random: drawn pairs.
        eligible: documents that can be queries.
        queries: chosen queries.
        candidates, relevant: documents in their pools, and the relevant ones among them.
        others: random documents in the pools of ``100q-random``.
        unknown: documents missing from the collection; None if no collection was given.
    """

    lines: int
    kept: int
    dropped: dict[str, int]
    columns: dict[str, Any]
    outcomes: dict[str, int]
    pairs: int
    documents: int
    similar: int
    random: int
    eligible: int
    queries: int
    candidates: int
    relevant: int
    others: int
    unknown: int | None = None

    def __str__(self) -> str:
        columns = ", ".join(f"{what} {name!r}" for what, name in self.columns.items())
        counts = [(self.lines, "lines that are not blank")]
        counts += [(count, f"dropped: {reason}") for reason, count in self.dropped.items()]
        counts += [(self.kept, "downloads kept")]
        counts += [(self.outcomes[key], f"not paired: {why}") for key, why in UNPAIRED.items()]
        counts += [
            (
                self.outcomes["pair"],
                f"consecutive downloads, of {self.pairs:,} different pairs of {self.documents:,} "
                "documents",
            ),
            (self.similar, f"of them drawn, and {self.random:,} random pairs"),
            (
                self.eligible,
                f"documents can be queries; {self.queries:,} chosen, with {self.candidates:,} "
                f"candidates, {self.relevant:,} of them relevant, and {self.others:,} random "
                "documents",
            ),
        ]
        lines = [f"columns: {columns}", *(f"{count:>12,} {text}" for count, text in counts)]
        if not self.eligible:
            lines.append(
                f"{'':12} no queries, so there is no 100q: lower `successors` or `relevant`"
            )
        if self.unknown is not None:
            lines.append(f"{self.unknown:>12,} documents unknown to the collection")
        return "\n".join(lines)


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


def mined(
    log: Log,
    engine: Engine,
    choices: "Choices",
    columns: Mapping[str, Column] | None = None,
    reading: Mapping[str, Any] | None = None,
    only: Ids | None = None,
    all_pairs: bool = False,
    step: Callable[[str], object] = lambda name: None,
) -> Mined:
    """Mine `log`.

    Args:
        log, columns, reading: see `read_rows`; `reading` has its other arguments.
        choices: see `Choices`.
        only: the documents to keep, see `rows.ids_of`; None: all.
        all_pairs: whether to return the table of all pairs.
        step: called with the name of each of five steps when it begins.
    """
    step("reading")
    ids = None if only is None else ids_of(only, engine)
    columns = columns or dict.fromkeys(("user", "time", "doc"))
    rows, chosen = read_rows(log, engine, columns, **(reading or {}), only=ids)
    reasons = _sums(rows.group_by("reason").agg(count=rows.count()), len(REASONS))["count"]
    step("following")
    documents = engine.keep(numbered(rows))
    after = engine.keep(counted(rows, documents, choices.shortest, choices.longest))
    of_outcome = after.group_by("outcome").agg(count=after["count"].sum(), pairs=after.count())
    outcomes = _sums(of_outcome, len(OUTCOMES))
    pairs = after.filter(after.outcome == PAIR).select("first", "second", "count")
    paired = pairs.select(number="first").union(pairs.select(number="second"), distinct=True)
    names = engine.keep(paired.join(documents, "number").select("number", "doc_id"))
    step("drawing pairs")
    total, size = outcomes["count"][PAIR], choices.pairs
    similar = similar_pairs(pairs, names, total, size, choices.seed).to_pyarrow()
    step("drawing random pairs")
    forbidden = pairs.limit(0) if choices.linked else pairs
    random = random_pairs(names, forbidden, len(similar), choices.seed).to_pyarrow()
    step("choosing queries")
    eligible, queries, pool, others = _judgements(pairs, names, engine, choices)
    every = named(pairs, names).order_by("doc_id_a", "doc_id_b")
    every = every.select("doc_id_a", "doc_id_b", "count").to_pyarrow() if all_pairs else None
    doc_ids = names.order_by("number").select("doc_id").to_pyarrow()
    relevant = sum(pool["relevance"].to_pylist())
    summary = Summary(
        sum(reasons),
        reasons[KEPT],
        {why: count for why, count in zip(REASONS[1:], reasons[1:]) if count},
        chosen,
        dict(zip(OUTCOMES, outcomes["count"])),
        outcomes["pairs"][PAIR],
        len(doc_ids),
        len(similar),
        len(random),
        eligible,
        len(queries),
        len(pool),
        relevant,
        len(others) - relevant,
    )
    return Mined(doc_ids, similar, random, queries, pool, others, every, summary)


def _sums(table: ibis.Table, codes: int) -> dict[str, list[int]]:
    """Return a table's columns as lists with a number for each code, which its first column has."""
    frame = table.to_pandas().set_index(table.columns[0]).reindex(range(codes), fill_value=0)
    return {name: frame[name].astype(int).tolist() for name in frame}


def _judgements(
    pairs: ibis.Table, names: ibis.Table, engine: Engine, choices: "Choices"
) -> tuple[int, pa.Table, pa.Table, pa.Table]:
    """Return the number of possible queries, and tables of those chosen and of both pools."""
    limits = (choices.successors, choices.relevant, choices.seed)
    eligible = engine.keep(eligible_queries(pairs, names, *limits))
    queries = engine.keep(eligible.order_by("key", "query_id").limit(choices.queries))
    pool = engine.keep(judged(pairs, names, queries, choices.relevant))
    others = random_judged(names, pairs, queries, pool, choices.linked, choices.seed)
    return (
        eligible.count().to_pyarrow().as_py(),
        queries.order_by("query_id").select("query_id").to_pyarrow(),
        pool.order_by("query_id", "doc_id").to_pyarrow(),
        others.to_pyarrow(),
    )
