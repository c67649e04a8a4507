"""A log mined: from its lines to samples of pairs and a set of queries, in one go."""

from dataclasses import dataclass
from typing import Any

from .judgements import eligible_queries, judged, random_judged
from .outcomes import KEPT, OUTCOMES, PAIR, REASONS, Summary
from .restriction import ids_of
from .rows import read_rows
from .successions import counted, named, numbered, random_pairs, similar_pairs


@dataclass
class Mined:
    """What a log gave, as Arrow tables.

    Attributes:
        documents: `doc_id` of the documents in consecutive pairs, in order.
        similar, random: `doc_id_a`, `doc_id_b`, in random order.
        queries: `query_id`, which is the id of the query document, in order.
        judged: `query_id`, `doc_id`, `relevance` (0 or 1) and `count`, in order.
        others: `query_id`, `doc_id` and `relevance`, where 0 are random documents, in order.
        pairs: `doc_id_a`, `doc_id_b` and `count` of all consecutive pairs, in order; or None.
        summary: see `Summary`.
    """

    documents: Any
    similar: Any
    random: Any
    queries: Any
    judged: Any
    others: Any
    pairs: Any
    summary: Summary


def mined(
    log,
    engine,
    choices,
    columns=None,
    reading=None,
    only=None,
    everything=False,
    step=lambda name: None,
):
    """Mine `log`; returns `Mined`.

    Args:
        log, columns, reading: see `read_rows`; the last are its further arguments.
        choices: see `Choices`.
        only: the documents to keep, see `restriction.ids_of`; None: all.
        everything: whether the table of all pairs is wanted.
        step: called with the name of each of five steps when it begins.
    """
    step("reading")
    columns = columns or dict.fromkeys(("user", "time", "doc"))
    ids = None if only is None else ids_of(only, engine)
    rows, columns = read_rows(log, engine, columns, **(reading or {}), only=ids)
    summary = _read(rows, columns)
    step("following")
    documents = engine.keep(numbered(rows))
    after = engine.keep(counted(rows, documents, choices.shortest, choices.longest))
    _followed(after, summary)
    pairs = after.filter(after.outcome == PAIR).select("first", "second", "count")
    paired = pairs.select(number="first").union(pairs.select(number="second"), distinct=True)
    names = engine.keep(paired.join(documents, "number").select("number", "doc_id"))
    step("drawing pairs")
    total, size = summary.outcomes["pair"], choices.pairs
    similar = similar_pairs(pairs, names, total, size, choices.seed).to_pyarrow()
    step("drawing random pairs")
    forbidden = pairs.limit(0) if choices.linked else pairs
    others = random_pairs(names, forbidden, len(similar), choices.seed).to_pyarrow()
    step("choosing queries")
    summary.eligible, judgements = _judgements(pairs, names, engine, choices)
    every = named(pairs, names).order_by("doc_id_a", "doc_id_b")
    every = every.select("doc_id_a", "doc_id_b", "count")
    found = Mined(
        documents=names.order_by("number").select("doc_id").to_pyarrow(),
        similar=similar,
        random=others,
        **judgements,
        pairs=every.to_pyarrow() if everything else None,
        summary=summary,
    )
    _drawn(found)
    return found


def _read(rows, columns):
    found = rows.group_by("reason").agg(count=rows.count()).to_pyarrow().to_pylist()
    count = {row["reason"]: row["count"] for row in found}
    dropped = {why: count[code] for code, why in enumerate(REASONS) if code and code in count}
    return Summary(sum(count.values()), count.get(KEPT, 0), dropped, columns)


def _followed(after, summary):
    found = after.group_by("outcome").agg(count=after["count"].sum(), different=after.count())
    found = found.to_pandas().set_index("outcome").reindex(range(len(OUTCOMES)), fill_value=0)
    summary.outcomes = dict(zip(OUTCOMES, found["count"].astype(int).tolist()))
    summary.pairs = int(found["different"][PAIR])


def _judgements(pairs, names, engine, choices):
    """(How many documents can be queries, the tables of those chosen and of both their pools)."""
    can = (choices.successors, choices.relevant, choices.seed)
    eligible = engine.keep(eligible_queries(pairs, names, *can))
    queries = engine.keep(eligible.order_by("key", "query_id").limit(choices.queries))
    pool = engine.keep(judged(pairs, names, queries, choices.relevant))
    others = random_judged(names, pairs, queries, pool, choices.linked, choices.seed)
    return eligible.count().to_pyarrow().as_py(), {
        "queries": queries.order_by("query_id").select("query_id").to_pyarrow(),
        "judged": pool.order_by("query_id", "doc_id").to_pyarrow(),
        "others": others.to_pyarrow(),
    }


def _drawn(found):
    summary = found.summary
    summary.documents = len(found.documents)
    summary.similar, summary.random = len(found.similar), len(found.random)
    summary.queries, summary.candidates = len(found.queries), len(found.judged)
    summary.relevant = sum(found.judged["relevance"].to_pylist())
    summary.others = len(found.others) - summary.relevant
