"""Mining: from a log's lines to samples of pairs, queries and the counts of all steps.

    with open_engine("downloads.csv") as engine:
        mined = mine_downloads("downloads.csv", engine, Choices())
    print(mined.summary)

The steps run on the engine; only what is drawn comes back.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass

import pyarrow as pa

from .document_ids import Ids, read_ids
from .downloads import USUAL_READING, Log, LogRows, Reading, read_rows
from .log_columns import LogColumns
from .log_engine import Engine, ibis
from .mining_choices import Choices
from .mining_codes import Outcome, Reason
from .mining_summary import Summary
from .pair_draws import draw_random_pairs, draw_similar_pairs
from .query_draws import JudgedQueries, judge_queries
from .successions import (
    add_ids,
    count_successions,
    list_paired_documents,
    list_pairs,
    number_documents,
)

STEPS = 5  #: of `mine_downloads`


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


@dataclass(frozen=True)
class _OutcomeCounts:
    """How many downloads have each outcome, and how many different pairs there are."""

    downloads: dict[Outcome, int]
    pairs: int


def ignore_step(step_name: str) -> None:
    """Take no note of a step that begins."""


def mine_downloads(
    log: Log,
    engine: Engine,
    choices: Choices,
    reading: Reading = USUAL_READING,
    only: Ids | None = None,
    all_pairs: bool = False,
    begin_step: Callable[[str], None] = ignore_step,
) -> Mined:
    """Mine a log for samples of pairs, and for queries with judged pools.

    Args:
        log: see `read_rows`.
        only: the documents to keep, see `read_ids`; None: all.
        all_pairs: whether to return the table of all pairs.
        begin_step: called with the name of each of five steps when it begins.
    """
    begin_step("reading")
    kept_ids = None if only is None else read_ids(only, engine)
    rows = read_rows(log, engine, reading, kept_ids)
    line_counts = _count_lines(rows)

    begin_step("following")
    all_documents = engine.keep(number_documents(rows.table))
    successions = engine.keep(count_successions(rows.table, all_documents, choices))
    outcome_counts = _count_outcomes(successions)
    pairs = list_pairs(successions)
    documents = engine.keep(list_paired_documents(pairs, all_documents))

    begin_step("drawing pairs")
    consecutive_downloads = outcome_counts.downloads[Outcome.PAIR]
    similar = draw_similar_pairs(pairs, documents, consecutive_downloads, choices).to_pyarrow()

    begin_step("drawing random pairs")
    forbidden = pairs.limit(0) if choices.linked else pairs
    random = draw_random_pairs(documents, forbidden, len(similar), choices.seed).to_pyarrow()

    begin_step("choosing queries")
    judged_queries = judge_queries(pairs, documents, engine, choices)

    doc_ids = documents.order_by("number").select("doc_id").to_pyarrow()
    pairs_with_ids = _read_pairs(pairs, documents) if all_pairs else None
    summary = _summarise(
        rows.columns, line_counts, outcome_counts, len(doc_ids), similar, random, judged_queries
    )
    return Mined(
        documents=doc_ids,
        similar=similar,
        random=random,
        queries=judged_queries.queries,
        judged=judged_queries.judged,
        others=judged_queries.random_judged,
        pairs=pairs_with_ids,
        summary=summary,
    )


def _count_lines(rows: LogRows) -> dict[Reason, int]:
    """Return how many lines are kept, or dropped for each reason, in the order of the reasons."""
    groups = rows.table.group_by("reason").agg(count=rows.table.count())
    count_of_code = {row["reason"]: row["count"] for row in groups.to_pyarrow().to_pylist()}
    return {reason: count_of_code.get(reason.value, 0) for reason in Reason}


def _count_outcomes(successions: ibis.Table) -> _OutcomeCounts:
    """Return how many downloads have each outcome, and how many different pairs there are.

    successions: a row for each outcome and pair of documents, with the `count` of its downloads.
    """
    counts_by_outcome = successions.group_by("outcome").agg(
        downloads=successions["count"].sum(), pairs=successions.count()
    )
    row_of_code = {row["outcome"]: row for row in counts_by_outcome.to_pyarrow().to_pylist()}

    # outcomes that no download has are missing from the table
    downloads = dict.fromkeys(Outcome, 0)
    for outcome in Outcome:
        if outcome.value in row_of_code:
            downloads[outcome] = int(row_of_code[outcome.value]["downloads"])

    pair_count = 0
    if Outcome.PAIR.value in row_of_code:
        pair_count = row_of_code[Outcome.PAIR.value]["pairs"]
    return _OutcomeCounts(downloads, pairs=pair_count)


def _read_pairs(pairs: ibis.Table, documents: ibis.Table) -> pa.Table:
    """Return all consecutive pairs with their counts, sorted by ids."""
    pairs_with_ids = add_ids(pairs, documents).order_by("doc_id_a", "doc_id_b")
    return pairs_with_ids.select("doc_id_a", "doc_id_b", "count").to_pyarrow()


def _summarise(
    columns: LogColumns,
    line_counts: dict[Reason, int],
    outcome_counts: _OutcomeCounts,
    document_count: int,
    similar: pa.Table,
    random: pa.Table,
    judged_queries: JudgedQueries,
) -> Summary:
    """Return the summary of a mined log: how many lines, downloads, pairs and queries there are.

    Args:
        columns: of the log.
        line_counts: lines that were kept, and dropped for each reason.
        outcome_counts: what followed the downloads.
        document_count: documents in consecutive pairs.
        similar, random: the drawn pairs.
        judged_queries: the queries with their judgements, by successors and by random documents.
    """
    dropped_counts = {
        reason.text: count
        for reason, count in line_counts.items()
        if reason is not Reason.KEPT and count
    }
    relevant_count = sum(judged_queries.judged["relevance"].to_pylist())
    return Summary(
        lines=sum(line_counts.values()),
        kept=line_counts[Reason.KEPT],
        dropped=dropped_counts,
        columns=asdict(columns),
        outcomes={outcome.key: count for outcome, count in outcome_counts.downloads.items()},
        pairs=outcome_counts.pairs,
        documents=document_count,
        similar=len(similar),
        random=len(random),
        eligible=judged_queries.eligible,
        queries=len(judged_queries.queries),
        candidates=len(judged_queries.judged),
        relevant=relevant_count,
        # of the random pools, which have the relevant documents too
        others=len(judged_queries.random_judged) - relevant_count,
    )
