"""The explanations on a page: of papers with large shares in queries with large differences.

The page has a limited number, because each runs both pipelines for one query.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from ..pipeline_walk import describe_steps
from ..tables.saved_runs import Ranked
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
    papers: Mapping[str, int],
) -> list[Json]:
    """Explain the scores of the papers with the largest shares, by a system and by the baseline.

    One paper of each query is explained, beginning with the query of the largest difference. Then
    comes each query's second paper, and so on, until there are `limit` papers.

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
    if not comparison.has_shares or not limit:
        return []

    meanings_by_system = {
        system_name: _describe_parts_of(comparison, system_name)
        for system_name in (name, comparison.baseline)
    }
    number_of_query = {qid: number for number, qid in enumerate(tables)}

    entries = []
    for chosen in _choose_papers(tables, comparison.differences[name], limit):
        explanations = [
            _explain(comparison, system_name, chosen, meaning_of_part)
            for system_name, meaning_of_part in meanings_by_system.items()
        ]
        entry = {
            "query": number_of_query[chosen.qid],
            "doc": papers[chosen.docno],
            "isExplained": any(_shows_something(explanation) for explanation in explanations),
            "systems": explanations,
        }
        entries.append(entry)
    return entries


def _shows_something(explanation: Mapping[str, Json]) -> bool:
    """Return whether an explanation has more than the reason why there is none; see `_explain`."""
    return bool(explanation["parts"] or explanation["words"] or explanation["pairs"])


def count_explained(pairs: Iterable[Mapping[str, Json]]) -> int:
    """Count the papers of which at least one system's score, or its best sentences, are shown.

    Args:
        pairs: each with `explanations`, see `explain_largest`.
    """
    count = 0
    for pair in pairs:
        count += sum(entry["isExplained"] for entry in pair["explanations"])
    return count


def _choose_papers(
    tables: Mapping[str, pd.DataFrame], differences: pd.Series, limit: int
) -> list[ChosenPaper]:
    """Return the papers to explain, at most PER_QUERY of a query; see `explain_largest`."""
    largest_first = differences.abs().sort_values(ascending=False, kind="stable").index
    chosen_papers = []
    for place in range(PER_QUERY):
        for qid in largest_first:
            table = tables[qid]
            if place < len(table) and table["share"].iloc[place] != 0:
                chosen_papers.append(ChosenPaper(qid, table["docno"].iloc[place]))
    return chosen_papers[:limit]


def _describe_parts_of(comparison: ComparisonFrames, name: str) -> Mapping[str, str]:
    """Return what each step of a system does, by its name; {} for passed results."""
    pipeline = comparison.find(name).pipeline
    return {} if pipeline is None else describe_steps(pipeline)


def _explain(
    comparison: ComparisonFrames,
    name: str,
    chosen: ChosenPaper,
    meaning_of_part: Mapping[str, str],
) -> Json:
    """Return a dict for the script: one system's explanation of one paper.

    If the score cannot be taken apart, an encoder's best matches stand for the pairs of sentences.

    Args:
        comparison: of all systems, with the encoder.
        name: of the system.
        chosen: the paper, and its query.
        meaning_of_part: what each part of the system's score means, by its name.
    """
    topic = comparison.topics[comparison.topics["qid"] == chosen.qid]
    explanation = _explain_score(comparison.find(name), topic, chosen)

    pairs_by_encoder = None
    if explanation.reason:  # why the score was not taken apart
        pairs_by_encoder = _match_by_encoder(comparison, topic["query"].iloc[0], chosen.docno)
    shown_pairs = explanation.pairs if pairs_by_encoder is None else pairs_by_encoder

    part_rows = []
    for part, value in explanation.parts:
        part_rows.append([part, round_figure(value), meaning_of_part.get(part, "")])
    pair_rows = []
    for pair in shown_pairs:
        pair_rows.append([pair.query_sentence, pair.sentence, round_figure(pair.contribution)])

    return {
        "name": name,
        "parts": part_rows,
        "words": [[word, round_figure(value)] for word, value in explanation.words],
        "pairs": pair_rows,
        "byEncoder": pairs_by_encoder is not None,
        "reason": explanation.reason,
    }


def _explain_score(system: Ranked, topic: pd.DataFrame, chosen: ChosenPaper) -> PaperExplanation:
    """Return why a system scores a paper as it does; with a reason if it does not rank it.

    topic: frame of the paper's query, `qid` and `query`.
    """
    ranked_docnos = system.run.loc[system.run["qid"] == chosen.qid, "docno"]
    if chosen.docno not in set(ranked_docnos):
        return PaperExplanation(reason="It does not rank this paper.")
    return explain_paper(system.pipeline, topic, chosen.docno, system.name)


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
