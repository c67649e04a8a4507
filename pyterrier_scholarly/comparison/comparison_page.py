"""Write a comparison as one HTML file: data for a script, which draws a view when it is opened.

This module computes all that a reader sees, and the template has the tables that are always shown.
Texts reach the page by jinja, which escapes them, or as JSON, which the script writes as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import Record

from ..datasets import irds
from ..distinct import Distinct
from ..evaluation.folds import has_folds
from ..pages import render_page
from ..text import words
from .comparison_frames import MISSED_AT, ComparisonFrames
from .paired_differences import ALL
from .paper_explanations import PaperExplanation, explain_paper, match_sentences
from .query_traits import TRAITS, find_words, text_of_paper

FOLDER = Path(__file__).parent / "_page"
MOST_ROWS = 45_000  # of papers on a page, over all queries: a page of some MB
DEEPEST, SHALLOWEST = 50, 10  # papers of each ranking on a page
DECIMALS = 6  # of shares and values in the page's data
WORDS_FOR = 8  # papers of a query whose shared words are named
MOST_WORDS = 12  # of them
LONGEST_NAME = 100  # characters of a paper without a title
EXPLAINED_PER_QUERY = 3  # papers of one query whose scores are explained, at most
Json: TypeAlias = Any  #: what `json` writes


def render_comparison(comparison: ComparisonFrames, explained: int, with_parts: bool = True) -> str:
    """Render a comparison as HTML that fetches nothing.

    Args:
        comparison: what `compare` returned.
        explained: number of papers whose scores are explained, those with the largest shares.
        with_parts: whether to take the scores of sums apart, which ranks once more.
    """
    depth = _choose_depth(comparison)
    compared_names = comparison.names[:-1]
    shown_papers = {name: _choose_papers(comparison, name, depth) for name in compared_names}
    missed_papers = comparison.missed(MISSED_AT)

    # the script names a paper by its number, because ids and titles are long
    papers = Distinct[str]()
    for tables in shown_papers.values():
        for table in tables.values():
            papers.add_all(table["docno"])
    papers.add_all(missed_papers["docno"])

    pairs = [
        _collect_pair(comparison, name, shown_papers[name], explained, papers)
        for name in compared_names
    ]
    records = _read_records(comparison.dataset, papers.keys)
    for pair in pairs:
        pair["words"] = _collect_words(comparison, pair, papers, records)

    data = {
        "names": comparison.names,
        "measure": str(comparison.measure),
        "groups": list(comparison.groups),
        "docs": [[docno, _name_paper(records.get(docno))] for docno in papers.keys],
        "queries": _collect_queries(comparison),
        "pairs": pairs,
        "missed": _collect_missed(comparison, missed_papers, papers),
        "missedAt": MISSED_AT,
    }
    parts, reason_against_parts = _collect_parts(comparison, with_parts)
    return render_page(
        FOLDER,
        "comparison.html",
        comparison=comparison,
        data=data,
        depth=depth,
        explained=_count_explained(pairs),
        overview=comparison.overview.to_dict("records"),
        distinguishing=comparison.distinguishing.to_dict("records"),
        traits=TRAITS,
        unjudged=comparison.unjudged.to_dict("records"),
        parts=parts,
        reason_against_parts=reason_against_parts,
        query_count=len(comparison.values),
        has_folds=has_folds(comparison.dataset),
    )


def _choose_depth(comparison: ComparisonFrames) -> int:
    """Return how many papers of each ranking are shown, so that the page stays small."""
    rankings = len(comparison.values) * len(comparison.names)
    return int(np.clip(MOST_ROWS // max(1, rankings), SHALLOWEST, DEEPEST))


# --- queries and papers -------------------------------------------------------------------------


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
                "values": [_round(value) for value in values],
            }
        )
    return rows


def _choose_papers(comparison: ComparisonFrames, name: str, depth: int) -> dict[str, pd.DataFrame]:
    """Return, by query, the first papers of both rankings, and all with a share."""
    chosen = {}
    for qid in comparison.values.index:
        table = comparison.papers(qid, name)
        is_first = table["rank"].le(depth).fillna(False)
        is_first_of_baseline = table["baseline_rank"].le(depth).fillna(False)
        is_shown = is_first | is_first_of_baseline
        if not comparison.reason:
            is_shown |= table["share"].ne(0)
        chosen[qid] = table[is_shown.astype(bool)]
    return chosen


def _collect_pair(
    comparison: ComparisonFrames,
    name: str,
    tables: Mapping[str, pd.DataFrame],
    explained: int,
    papers: Distinct[str],
) -> dict[str, Json]:
    """Return what the page shows of a system against the baseline.

    Args:
        comparison: the whole.
        name: of the system.
        tables: its papers to show, by query.
        explained: number of papers to explain.
        papers: numbers of all papers on the page.

    Returns:
        Dict for the script. `rows` has, for each query, lists of: number of the paper, grade (None
        if not judged), whether it is relevant, rank, baseline rank (None if not ranked), and share
        (None without shares).
    """
    of_system = comparison.queries[comparison.queries["name"] == name].set_index("qid")
    overlaps = of_system["overlap"].reindex(list(tables))

    rows = []
    for table in tables.values():
        rows_of_query = []
        for row in table.itertuples():
            share = None if comparison.reason else _round(row.share)
            ranks = [_whole(row.rank), _whole(row.baseline_rank)]
            number = papers.number(row.docno)
            rows_of_query.append([number, _whole(row.label), int(row.is_relevant), *ranks, share])
        rows.append(rows_of_query)

    return {
        "name": name,
        "rows": rows,
        "overlaps": [_round(overlap) for overlap in overlaps],
        "sentences": [comparison.describe(qid, name) for qid in tables],
        "explanations": _explain_largest(comparison, name, tables, explained, papers),
    }


def _collect_missed(
    comparison: ComparisonFrames, missed: pd.DataFrame, papers: Distinct[str]
) -> list[Json]:
    """Return number of the query, number of the paper, grade, ranks, who misses it, and error."""
    number_of_query = {qid: number for number, qid in enumerate(comparison.values.index)}
    rows = []
    for row in missed.to_dict("records"):
        ranks = [_whole(row[name]) for name in comparison.names]
        rows.append(
            [
                number_of_query[row["qid"]],
                papers.number(row["docno"]),
                _whole(row["label"]),
                ranks,
                row["missed_by"],
                row.get("error", ""),
            ]
        )
    return rows


def _read_records(dataset: str, docnos: Sequence[str]) -> Mapping[str, Record]:
    """Return the records of the papers that are present, by id."""
    source = irds(dataset)
    if not source.has_docs() or not docnos:
        return {}
    return source.docs_store().get_many(list(docnos))


def _name_paper(record: Record | None) -> str:
    """Return a paper's title, else how its text begins; "" for a paper that is not present."""
    if record is None:
        return ""
    title: str = getattr(record, "title", "")
    return title or shorten(text_of_paper(record), LONGEST_NAME, placeholder=" …")


def _collect_words(
    comparison: ComparisonFrames,
    pair: Mapping[str, Json],
    papers: Distinct[str],
    records: Mapping[str, Record],
) -> list[Json]:
    """Return, for each query, the shared words of its papers with the largest shares.

    Each is a dict from the paper's number to words.
    """
    words_by_query = []
    for query_text, rows in zip(comparison.topics["query"], pair["rows"]):
        # as the query writes them: words are compared without their plural s
        written_words = {words.normalise_run(run): run for run in words.runs(query_text)}
        query_words = find_words(query_text)
        words_of_paper = {}
        for number, *_ in rows[:WORDS_FOR]:
            record = records.get(papers.keys[number])
            if record is not None:
                shared = sorted(query_words & find_words(text_of_paper(record)))
                words_of_paper[number] = [written_words[word] for word in shared[:MOST_WORDS]]
        words_by_query.append(words_of_paper)
    return words_by_query


# --- explanations and parts ---------------------------------------------------------------------


def _explain_largest(
    comparison: ComparisonFrames,
    name: str,
    tables: Mapping[str, pd.DataFrame],
    limit: int,
    papers: Distinct[str],
) -> list[Json]:
    """Explain the papers with the largest shares by both systems."""
    if comparison.reason or not limit:
        return []
    largest = pd.concat(
        [
            table.head(EXPLAINED_PER_QUERY).assign(qid=qid)[["qid", "docno", "share"]]
            for qid, table in tables.items()
        ]
    )
    largest = largest[largest["share"] != 0].assign(size=lambda rows: rows["share"].abs())
    chosen = largest.sort_values("size", ascending=False, kind="stable")

    numbers = {qid: number for number, qid in enumerate(tables)}
    entries = []
    for row in chosen.head(limit).itertuples():
        both = [
            _explain(comparison, system_name, row.qid, row.docno)
            for system_name in (name, comparison.baseline)
        ]
        entries.append(
            {"query": numbers[row.qid], "doc": papers.number(row.docno), "systems": both}
        )
    return entries


def _explain(comparison: ComparisonFrames, name: str, qid: str, docno: str) -> Json:
    """Explain one paper's score by a system."""
    system = comparison.find(name)
    topic = comparison.topics[comparison.topics["qid"] == qid]
    if docno not in set(system.run.loc[system.run["qid"] == qid, "docno"]):
        explained = PaperExplanation([], [], "It does not rank this paper.")
    else:
        explained = explain_paper(system.pipeline, topic, docno, system.name)

    pairs = explained.pairs
    matched_by_encoder = False
    if explained.reason and comparison.encoder is not None:
        records = _read_records(comparison.dataset, [docno])
        if docno in records:
            text = text_of_paper(records[docno])
            pairs = match_sentences(comparison.encoder, topic["query"].iloc[0], text)
            matched_by_encoder = True
    shown_pairs = [
        [pair.query_sentence, pair.sentence, _round(pair.contribution)] for pair in pairs
    ]
    return {
        "name": system.name,
        "parts": [[part, _round(value)] for part, value in explained.parts],
        "pairs": shown_pairs,
        "byEncoder": matched_by_encoder,
        "reason": explained.reason,
    }


def _count_explained(pairs: Iterable[Mapping[str, Json]]) -> int:
    """Count the papers of which at least one system's score is taken apart, or matched."""
    entries = [entry for pair in pairs for entry in pair["explanations"]]
    explained = [entry for entry in entries if any(side["pairs"] for side in entry["systems"])]
    return len(explained)


def _collect_parts(
    comparison: ComparisonFrames, with_parts: bool
) -> tuple[list[dict[str, Json]], str]:
    """Return the tables of parts by system and subset, and why there are none."""
    if not comparison.parted:
        return [], "No system is a pipeline that adds scores, so there are no parts."
    if not with_parts:
        return [], "Parts are on the page that to_html writes."
    tables: list[dict[str, Json]] = []
    for name in comparison.parted:
        for subset in (ALL, *comparison.groups):
            try:
                rows = comparison.parts(name, subset).to_dict("records")
            except ValueError as error:
                return tables, str(error)
            tables.append({"name": name, "subset": subset, "rows": rows})
    return tables, ""


def _whole(value: Any) -> int | None:
    """Return a whole number for JSON; None for a missing one."""
    return None if pd.isna(value) else int(value)


def _round(value: float) -> float | None:
    """Return a number for JSON; None for NaN."""
    return None if value != value else round(float(value), DECIMALS)
