"""Write a comparison as one HTML file, from a template.

    compared = compare("one_encoding", "fabs_tfidf", dataset="csfcube/all")
    html = render_comparison(compared, explained=10)  # which `compared.to_html(path)` writes

Two things are put into the template, ``_page/comparison.html``. Tables are always shown: the
overview, tests and parts. Data, as JSON, are for the script, which draws a view of one query when a
reader opens it. Texts are escaped by jinja, or written as text by the script.

Conventions: the script names a query by its position in ``queries``, a paper by its position in
``docs``, because ids are long. A *pair* is one system beside the baseline.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..evaluation.groups import has_folds
from ..pages import render_page
from ..pipeline_walk import describe_steps
from ..typed_records import Record
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
    data = _collect_data(comparison, _choose_shown_papers(comparison, depth), explained)
    parts = _collect_parts(comparison) if with_parts else PartTables([], WITHOUT_PARTS)

    return render_page(
        FOLDER,
        "comparison.html",
        comparison=comparison,
        data=data,
        depth=depth,
        explained=count_explained(data["pairs"]),
        overview=comparison.overview.to_dict("records"),
        distinguishing=comparison.distinguishing.to_dict("records"),
        unjudged=comparison.unjudged.to_dict("records"),
        parts=parts.tables,
        reason_against_parts=parts.reason,
        query_count=len(comparison.values),
        has_folds=has_folds(comparison.dataset),
    )


# --- data for the script ------------------------------------------------------------------------


class ShownPapers(NamedTuple):
    """The papers on a page.

    tables_by_system: for each system but the baseline, a dict from a query's id to the frame of
        papers that is shown for it, see `choose_papers`.
    missed: frame of the relevant papers that systems miss, see `missed` of a comparison.
    numbers: the ids of all these papers, each with its number on the page.
    records: the papers' texts by id, without those of missing papers.
    """

    tables_by_system: Mapping[str, Mapping[str, pd.DataFrame]]
    missed: pd.DataFrame
    numbers: dict[str, int]
    records: Mapping[str, Record]


def _choose_shown_papers(comparison: ComparisonFrames, depth: int) -> ShownPapers:
    """Return the papers on the page: the first of each ranking, those with shares, and missed ones.

    depth: number of papers of each ranking.
    """
    tables_by_system = {
        name: choose_papers(comparison, name, depth) for name in comparison.compared_names
    }
    missed = comparison.missed(MISSED_AT)
    numbers = number_papers(tables_by_system, missed)
    records = read_records(comparison.dataset, list(numbers))
    return ShownPapers(tables_by_system, missed, numbers, records)


def _collect_data(
    comparison: ComparisonFrames, shown_papers: ShownPapers, explained: int
) -> dict[str, Json]:
    """Return all that the page's script draws: queries, papers, and each system's rankings.

    explained: number of papers whose scores are explained, for each system.
    """
    docs = []
    for docno in shown_papers.numbers:
        docs.append([docno, name_paper(shown_papers.records.get(docno))])

    return {
        "names": comparison.names,
        "measure": str(comparison.measure),
        "groups": list(comparison.groups),
        "docs": docs,
        "queries": _collect_queries(comparison),
        "pairs": [
            _collect_pair(comparison, name, shown_papers, explained)
            for name in shown_papers.tables_by_system
        ],
        "missed": _collect_missed(comparison, shown_papers),
        "missedAt": MISSED_AT,
        "hasShares": comparison.has_shares,
    }


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
    shown_papers: ShownPapers,
    explained: int,
) -> dict[str, Json]:
    """Return what the page shows of one system beside the baseline, as data for its script.

    Args:
        comparison: of all systems.
        system_name: which of them.
        shown_papers: all papers on the page.
        explained: number of papers whose scores are explained.

    Returns:
        Dict with `name`, four lists with an item for each query: `rows` (of `_collect_paper_rows`),
        `overlaps` (share of papers that both rankings have), `sentences` (that describe the
        difference) and `words` (of `_collect_words`); and `explanations` of `explain_largest`.
    """
    table_by_query = shown_papers.tables_by_system[system_name]
    paper_numbers = shown_papers.numbers

    queries = comparison.queries
    queries_of_system = queries[queries["name"] == system_name].set_index("qid")
    overlaps = queries_of_system["overlap"].reindex(list(table_by_query))

    rows_by_query = []
    sentences = []
    for qid, table in table_by_query.items():
        rows_by_query.append(_collect_paper_rows(table, paper_numbers, comparison.has_shares))

        title_by_docno = {}
        for docno in table["docno"].head(MOST_MOVES):  # those that the sentence may name
            title_by_docno[docno] = name_paper(shown_papers.records.get(docno))
        sentences.append(comparison.describe(qid, system_name, title_by_docno))

    return {
        "name": system_name,
        "rows": rows_by_query,
        "overlaps": [round_figure(overlap) for overlap in overlaps],
        "sentences": sentences,
        "explanations": explain_largest(
            comparison, system_name, table_by_query, explained, paper_numbers
        ),
        "words": _collect_words(comparison, table_by_query, shown_papers),
    }


def _collect_paper_rows(
    table: pd.DataFrame, paper_numbers: Mapping[str, int], has_shares: bool
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
            paper_numbers[paper.docno],
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
    shown_papers: ShownPapers,
) -> list[dict[int, list[str]]]:
    """Return, for each query, a dict from a paper's number to the words that both have.

    It has the first WORDS_FOR papers of the query's table: those of the largest shares, or without
    shares those of the best ranks. Papers without a text are left out.

    Args:
        comparison: with the queries' texts.
        table_by_query: one system's papers on the page, by query.
        shown_papers: all papers on the page, with texts and numbers.
    """
    query_texts = comparison.topics.set_index("qid")["query"]
    words_by_query = []
    for qid, table in table_by_query.items():
        query_words = find_words(query_texts[qid])
        written_words = find_written_words(query_texts[qid])  # as the query writes them

        words_by_paper = {}
        for docno in table["docno"].head(WORDS_FOR):
            if docno not in shown_papers.records:
                continue
            paper_words = find_words(text_of_paper(shown_papers.records[docno]))
            shared_words = sorted(query_words & paper_words)
            shown_words = [written_words[word] for word in shared_words[:MOST_WORDS]]
            words_by_paper[shown_papers.numbers[docno]] = shown_words
        words_by_query.append(words_by_paper)
    return words_by_query


def _collect_missed(comparison: ComparisonFrames, shown_papers: ShownPapers) -> list[list[Json]]:
    """Return a list for each missed paper, such as ``[0, 31, 2, [140, None], "all", ""]``.

    Its items are the query's number on the page, the paper's, its grade, its rank in each ranking
    (None if not ranked), which systems miss it, and the error that a reader gave it ("" if none).
    """
    number_by_query = {qid: number for number, qid in enumerate(comparison.values.index)}
    rows = []
    for missed in shown_papers.missed.to_dict("records"):
        ranks = [convert_whole(missed[name]) for name in comparison.names]
        row = [
            number_by_query[missed["qid"]],
            shown_papers.numbers[missed["docno"]],
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
