"""The explanations on a page: of the papers with the largest shares, by both systems.

The page has a limited number, because each runs both pipelines for one query.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from ..distinct import Distinct
from .comparison_frames import ComparisonFrames
from .page_numbers import Json, round_figure
from .page_papers import read_records
from .paper_explanations import PaperExplanation, SentencePair, explain_paper, match_sentences
from .shared_words import text_of_paper

PER_QUERY = 3  # papers of one query whose scores are explained, at most


class ChosenPaper(NamedTuple):
    """A paper to be explained, and its query."""

    qid: str
    docno: str


def explain_largest(
    comparison: ComparisonFrames,
    name: str,
    tables: Mapping[str, pd.DataFrame],
    limit: int,
    papers: Distinct[str],
) -> list[Json]:
    """Explain the papers with the largest shares by a system and by the baseline.

    Args:
        comparison: the whole.
        name: of the system.
        tables: its papers on the page by query, the largest shares first; see `papers` of a
            comparison.
        limit: number of papers to explain.
        papers: numbers of all papers on the page.

    Returns:
        List of dicts for the script; none for a measure without shares.
    """
    if comparison.reason or not limit:
        return []
    number_of_query = {qid: number for number, qid in enumerate(tables)}
    entries = []
    for chosen in _choose_largest(tables, limit):
        by_system = _explain(comparison, name, chosen)
        by_baseline = _explain(comparison, comparison.baseline, chosen)
        entries.append(
            {
                "query": number_of_query[chosen.qid],
                "doc": papers.number(chosen.docno),
                "systems": [by_system, by_baseline],
            }
        )
    return entries


def count_explained(pairs: Iterable[Mapping[str, Json]]) -> int:
    """Count the papers of which at least one system's sentences are shown.

    Args:
        pairs: each with `explanations`, see `explain_largest`.
    """
    count = 0
    for pair in pairs:
        for entry in pair["explanations"]:
            count += any(system["pairs"] for system in entry["systems"])
    return count


def _choose_largest(tables: Mapping[str, pd.DataFrame], limit: int) -> list[ChosenPaper]:
    """Return the papers with the largest shares, at most PER_QUERY of a query."""
    first_rows = [
        table.head(PER_QUERY).assign(qid=qid)[["qid", "docno", "share"]]
        for qid, table in tables.items()
    ]
    candidates = pd.concat(first_rows)
    candidates = candidates[candidates["share"] != 0]
    candidates = candidates.assign(size=candidates["share"].abs())
    largest = candidates.sort_values("size", ascending=False, kind="stable").head(limit)
    return [ChosenPaper(row.qid, row.docno) for row in largest.itertuples()]


def _explain(comparison: ComparisonFrames, name: str, chosen: ChosenPaper) -> Json:
    """Return a dict for the script: one system's explanation of one paper."""
    system = comparison.find(name)
    topic = comparison.topics[comparison.topics["qid"] == chosen.qid]
    ranked_docnos = system.run.loc[system.run["qid"] == chosen.qid, "docno"]
    if chosen.docno in set(ranked_docnos):
        explanation = explain_paper(system.pipeline, topic, chosen.docno, system.name)
    else:
        explanation = PaperExplanation([], [], "It does not rank this paper.")

    sentence_pairs = explanation.pairs
    matches_by_encoder = None
    if explanation.reason:
        matches_by_encoder = _match_by_encoder(comparison, topic["query"].iloc[0], chosen.docno)
    if matches_by_encoder is not None:
        sentence_pairs = matches_by_encoder

    return {
        "name": system.name,
        "parts": [[part, round_figure(value)] for part, value in explanation.parts],
        "pairs": [
            [pair.query_sentence, pair.sentence, round_figure(pair.contribution)]
            for pair in sentence_pairs
        ],
        "byEncoder": matches_by_encoder is not None,
        "reason": explanation.reason,
    }


def _match_by_encoder(
    comparison: ComparisonFrames, query_text: str, docno: str
) -> list[SentencePair] | None:
    """Return the sentences that match best; None without an encoder, or without the paper."""
    if comparison.encoder is None:
        return None
    records = read_records(comparison.dataset, [docno])
    if docno not in records:
        return None
    return match_sentences(comparison.encoder, query_text, text_of_paper(records[docno]))
