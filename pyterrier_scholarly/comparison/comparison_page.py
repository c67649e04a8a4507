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
    """Return a dict for each query: its id, text and traits, and each system's value.

    Values are in the order of the comparison's names.
    """
    queries = comparison.queries
    # a query's traits are the same in the rows of all systems
    traits = queries[queries["name"] == comparison.names[0]].set_index("qid")

    shown_queries = []
    for qid, values in comparison.values.iterrows():
        traits_of_query = traits.loc[qid]
        shown_query = {
            "id": qid,
            "text": traits_of_query["query"],
            "group": traits_of_query["group"],
            "relevant": int(traits_of_query["relevant"]),
            "pool": int(traits_of_query["pool"]),
            "values": [round_figure(value) for value in values],
        }
        shown_queries.append(shown_query)
    return shown_queries


def _collect_pair(
    comparison: ComparisonFrames,
    system_name: str,
    table_by_query: Mapping[str, pd.DataFrame],
    papers: Distinct[str],
    records: Mapping[str, Record],
) -> dict[str, Json]:
    """Return what the page shows of one system against the baseline, as data for its script.

    Args:
        comparison: of all systems.
        system_name: which of them.
        table_by_query: dict from a query's id to the papers that the page shows, a frame of
            `choose_papers`.
        papers: the ids of all papers on the page, each with its number.
        records: the papers' texts by id; papers that are not present are missing.

    Returns:
        Dict with `name`, and three lists with an item for each query: `rows` (of
        `_collect_paper_rows`), `overlaps` (share of papers that both rankings have) and `sentences`
        (that describe the difference).
    """
    queries = comparison.queries
    queries_of_system = queries[queries["name"] == system_name].set_index("qid")
    overlaps = queries_of_system["overlap"].reindex(list(table_by_query))

    has_shares = not comparison.reason  # else the reason why there are none
    rows_by_query = []
    sentences = []
    for qid, table in table_by_query.items():
        rows_by_query.append(_collect_paper_rows(table, papers, has_shares))

        docnos_in_sentence = table["docno"].head(MOST_MOVES)
        title_by_docno = {docno: name_paper(records.get(docno)) for docno in docnos_in_sentence}
        sentences.append(comparison.describe(qid, system_name, title_by_docno))

    return {
        "name": system_name,
        "rows": rows_by_query,
        "overlaps": [round_figure(overlap) for overlap in overlaps],
        "sentences": sentences,
    }


def _collect_paper_rows(
    table: pd.DataFrame, papers: Distinct[str], has_shares: bool
) -> list[list[Json]]:
    """Return a list for each paper of a query, such as ``[31, 2, 1, 4, None, 0.012]``.

    Its items are the paper's number on the page, its grade (None if not judged), whether it is
    relevant (1 or 0), its rank, its rank in the baseline (None if not ranked), and its share of the
    difference (None without shares).
    """
    rows = []
    for paper in table.itertuples():
        share = round_figure(paper.share) if has_shares else None
        row = [
            papers.number(paper.docno),
            convert_whole(paper.label),
            int(paper.is_relevant),
            convert_whole(paper.rank),
            convert_whole(paper.baseline_rank),
            share,
        ]
        rows.append(row)
    return rows


def _collect_words(
    comparison: ComparisonFrames,
    table_by_query: Mapping[str, pd.DataFrame],
    papers: Distinct[str],
    records: Mapping[str, Record],
) -> list[dict[int, list[str]]]:
    """Return, for each query, a dict from a paper's number to the words that both have.

    It has the first papers of the query's table, which are those of the largest shares, if they
    are present. Arguments are as in `_collect_pair`.
    """
    query_texts = comparison.topics.set_index("qid")["query"]
    words_by_query = []
    for qid, table in table_by_query.items():
        query_words = find_words(query_texts[qid])
        written_words = find_written_words(query_texts[qid])  # as the query writes them

        words_by_paper = {}
        for docno in table["docno"].head(WORDS_FOR):
            if docno not in records:
                continue
            paper_words = find_words(text_of_paper(records[docno]))
            shared_words = sorted(query_words & paper_words)
            shown_words = [written_words[word] for word in shared_words[:MOST_WORDS]]
            words_by_paper[papers.number(docno)] = shown_words
        words_by_query.append(words_by_paper)
    return words_by_query


def _collect_missed(
    comparison: ComparisonFrames, missed_papers: pd.DataFrame, papers: Distinct[str]
) -> list[list[Json]]:
    """Return a list for each missed paper, such as ``[0, 31, 2, [140, None], "all", ""]``.

    Its items are the query's number on the page, the paper's, its grade, its rank in each ranking
    (None if not ranked), which systems miss it, and the error that a reader gave it ("" if none).
    """
    number_by_query = {qid: number for number, qid in enumerate(comparison.values.index)}
    rows = []
    for missed in missed_papers.to_dict("records"):
        ranks = [convert_whole(missed[name]) for name in comparison.names]
        row = [
            number_by_query[missed["qid"]],
            papers.number(missed["docno"]),
            convert_whole(missed["label"]),
            ranks,
            missed["missed_by"],
            missed.get("error", ""),
        ]
        rows.append(row)
    return rows


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
    """Return a table of parts for each system that is a sum, and each subset of queries.

    The tables end at a sum that cannot be taken apart; `reason` says why.
    """
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

            table = {
                "name": name,
                "subset": subset,
                "rows": parts.to_dict("records"),
                "meanings": meanings,
            }
            tables.append(table)
    return PartTables(tables, reason="")
