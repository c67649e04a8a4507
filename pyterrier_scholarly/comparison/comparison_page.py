"""Write a comparison as one HTML file: data for a script, which draws a view when it is opened.

This module computes all that a reader sees, and the template has the tables that are always shown.
Texts reach the page by jinja, which escapes them, or as JSON, which the script writes as text.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ir_datasets_ext.typed_records import Record

from ..distinct import Distinct
from ..evaluation.folds import has_folds
from ..pages import render_page
from ..pipeline_walk import describe_steps
from .change_sentences import MOST_MOVES
from .comparison_frames import MISSED_AT, ComparisonFrames
from .page_explanations import count_explained, explain_largest
from .page_numbers import Json, convert_whole, round_figure
from .page_papers import choose_depth, choose_papers, name_paper, number_papers, read_records
from .paired_differences import ALL
from .shared_words import find_words, find_written_words, text_of_paper

FOLDER = Path(__file__).parent / "_page"
WORDS_FOR = 8  # papers of a query whose shared words are named
MOST_WORDS = 12  # that a query and a paper share
#: said on a page that does not rank once more, such as a notebook's
WITHOUT_PARTS = "Parts are on the page that to_html writes, unless parts=False."


def render_comparison(comparison: ComparisonFrames, explained: int, with_parts: bool = True) -> str:
    """Render a comparison as HTML that fetches nothing.

    Args:
        comparison: what `compare` returned.
        explained: number of papers whose scores are explained, see `explain_largest`.
        with_parts: whether to take the scores of sums apart, which ranks once more.
    """
    depth = choose_depth(comparison)
    compared_names = comparison.names[:-1]
    shown_papers = {name: choose_papers(comparison, name, depth) for name in compared_names}
    missed_papers = comparison.missed(MISSED_AT)
    papers = number_papers(shown_papers, missed_papers)
    records = read_records(comparison.dataset, papers.keys)

    pairs = []
    for name in compared_names:
        tables = shown_papers[name]
        pair = _collect_pair(comparison, name, tables, papers, records)
        pair["explanations"] = explain_largest(comparison, name, tables, explained, papers)
        pair["words"] = _collect_words(comparison, tables, papers, records)
        pairs.append(pair)

    data = {
        "names": comparison.names,
        "measure": str(comparison.measure),
        "groups": list(comparison.groups),
        "docs": [[docno, name_paper(records.get(docno))] for docno in papers.keys],
        "queries": _collect_queries(comparison),
        "pairs": pairs,
        "missed": _collect_missed(comparison, missed_papers, papers),
        "missedAt": MISSED_AT,
        "hasShares": not comparison.reason,
    }
    parts = _collect_parts(comparison) if with_parts else PartTables([], WITHOUT_PARTS)
    return render_page(
        FOLDER,
        "comparison.html",
        comparison=comparison,
        data=data,
        depth=depth,
        explained=count_explained(pairs),
        overview=comparison.overview.to_dict("records"),
        distinguishing=comparison.distinguishing.to_dict("records"),
        unjudged=comparison.unjudged.to_dict("records"),
        parts=parts.tables,
        reason_against_parts=parts.reason,
        query_count=len(comparison.values),
        has_folds=has_folds(comparison.dataset),
    )


# --- data of queries ----------------------------------------------------------------------------


def _collect_queries(comparison: ComparisonFrames) -> list[Json]:
    """Return id, text, group, traits and values (in the order of names) of each query."""
    first_name = comparison.names[0]
    traits = comparison.queries[comparison.queries["name"] == first_name].set_index("qid")
    rows = []
    for qid, values in comparison.values.iterrows():
        row = traits.loc[qid]
        rows.append(
            {
                "id": qid,
                "text": row["query"],
                "group": row["group"],
                "relevant": int(row["relevant"]),
                "pool": int(row["pool"]),
                "values": [round_figure(value) for value in values],
            }
        )
    return rows


def _collect_pair(
    comparison: ComparisonFrames,
    name: str,
    tables: Mapping[str, pd.DataFrame],
    papers: Distinct[str],
    records: Mapping[str, Record],
) -> dict[str, Json]:
    """Return what the page shows of a system against the baseline.

    Args:
        comparison: the whole.
        name: of the system.
        tables: its papers to show, by query.
        papers: numbers of all papers on the page.
        records: of those that are present, by id.

    Returns:
        Dict for the script. `rows` has, for each query, lists of: number of the paper, grade (None
        if not judged), whether it is relevant, rank, baseline rank (None if not ranked), and share
        (None without shares).
    """
    queries = comparison.queries
    queries_of_system = queries[queries["name"] == name].set_index("qid")
    overlaps = queries_of_system["overlap"].reindex(list(tables))

    rows_by_query = []
    for table in tables.values():
        rows = []
        for row in table.itertuples():
            rows.append(
                [
                    papers.number(row.docno),
                    convert_whole(row.label),
                    int(row.is_relevant),
                    convert_whole(row.rank),
                    convert_whole(row.baseline_rank),
                    None if comparison.reason else round_figure(row.share),
                ]
            )
        rows_by_query.append(rows)

    sentences = []
    for qid, table in tables.items():
        named_docnos = table["docno"].head(MOST_MOVES)
        titles = {docno: name_paper(records.get(docno)) for docno in named_docnos}
        sentences.append(comparison.describe(qid, name, titles))

    return {
        "name": name,
        "rows": rows_by_query,
        "overlaps": [round_figure(overlap) for overlap in overlaps],
        "sentences": sentences,
    }


def _collect_missed(
    comparison: ComparisonFrames, missed: pd.DataFrame, papers: Distinct[str]
) -> list[Json]:
    """Return number of the query, number of the paper, grade, ranks, who misses it, and error."""
    number_of_query = {qid: number for number, qid in enumerate(comparison.values.index)}
    rows = []
    for row in missed.to_dict("records"):
        ranks = [convert_whole(row[name]) for name in comparison.names]
        rows.append(
            [
                number_of_query[row["qid"]],
                papers.number(row["docno"]),
                convert_whole(row["label"]),
                ranks,
                row["missed_by"],
                row.get("error", ""),
            ]
        )
    return rows


def _collect_words(
    comparison: ComparisonFrames,
    tables: Mapping[str, pd.DataFrame],
    papers: Distinct[str],
    records: Mapping[str, Record],
) -> list[Json]:
    """Return, for each query, the words that it shares with its papers of the largest shares.

    Each is a dict from the paper's number to words.
    """
    query_texts = comparison.topics.set_index("qid")["query"]
    words_by_query = []
    for qid, table in tables.items():
        query_words = find_words(query_texts[qid])
        written_words = find_written_words(query_texts[qid])
        words_of_paper = {}
        for docno in table["docno"].head(WORDS_FOR):
            if docno in records:
                shared_words = sorted(query_words & find_words(text_of_paper(records[docno])))
                shown_words = [written_words[word] for word in shared_words[:MOST_WORDS]]
                words_of_paper[papers.number(docno)] = shown_words
        words_by_query.append(words_of_paper)
    return words_by_query


# --- parts --------------------------------------------------------------------------------------


class PartTables(NamedTuple):
    """What the page shows of parts.

    tables: dicts with `name` of the system, `subset` of queries, `rows`, and `meanings`: what each
        part does, by its name.
    reason: why there are none, or no more; "" if there are all.
    """

    tables: list[dict[str, Json]]
    reason: str


def _collect_parts(comparison: ComparisonFrames) -> PartTables:
    """Return a table of parts for each system that is a sum, and each subset of queries."""
    if not comparison.parted:
        return PartTables([], "No system is a pipeline that adds scores, so there are no parts.")
    tables: list[dict[str, Json]] = []
    for name in comparison.parted:
        pipeline = comparison.find(name).pipeline
        assert pipeline is not None, "results that were passed have no parts"
        meanings = describe_steps(pipeline)
        for subset in (ALL, *comparison.groups):
            try:
                parts = comparison.parts(name, subset)
            except ValueError as error:  # a step that changes scores in an unknown way
                return PartTables(tables, str(error))
            rows = parts.to_dict("records")
            tables.append({"name": name, "subset": subset, "rows": rows, "meanings": meanings})
    return PartTables(tables, reason="")
