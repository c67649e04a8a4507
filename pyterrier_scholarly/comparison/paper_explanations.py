"""Explain a paper's scores by two systems, for the papers that make most of the difference.

A system that compares sentences, or adds such scores, is taken apart by `explain`. For another, the
words that query and paper share are named and, with an encoder, the sentences that match best.
"""

from textwrap import shorten
from typing import NamedTuple

import pandas as pd
import pyterrier as pt

from ..encoders import EncoderLike
from ..explanation import Explanation, explain
from ..text import split_sentences
from ..transformers import SentenceMaxSim

MOST_PAIRS = 5  # matched sentences of an explanation
LONGEST_REASON = 200  # characters


class SentencePair(NamedTuple):
    """Two matched sentences, and what they add to the score."""

    query_sentence: str
    sentence: str
    contribution: float


class PaperExplanation(NamedTuple):
    """Why one system scores a paper as it does.

    parts: name and value of each part of the score.
    pairs: the sentences that add most.
    reason: why the score could not be taken apart; "" if it was.
    """

    parts: list[tuple[str, float]]
    pairs: list[SentencePair]
    reason: str


def explain_paper(
    pipeline: pt.Transformer | None, topic: pd.DataFrame, docno: str, name: str
) -> PaperExplanation:
    """Take the score of one paper apart, or say why that is not possible.

    Args:
        pipeline: from topics to scores; None for results that were passed.
        topic: frame of one query, `qid` and `query`.
        docno: the paper.
        name: of the system.
    """
    if pipeline is None:
        return PaperExplanation([], [], "Its results were passed, not its pipeline.")
    try:
        explanation = explain(pipeline, topic, docno, name=name)
    except (ValueError, TypeError) as error:
        return PaperExplanation([], [], shorten(str(error), LONGEST_REASON, placeholder=" …"))
    parts = [(part.name, float(part.value)) for part in explanation.parts]
    return PaperExplanation(parts, _find_best_pairs(explanation), "")


def match_sentences(encoder: EncoderLike, query: str, paper: str) -> list[SentencePair]:
    """Return the sentences of a query and a paper that an encoder finds most similar."""
    query_sentences = split_sentences(query)
    paper_sentences = split_sentences(paper)
    if not query_sentences or not paper_sentences:
        return []
    scorer = SentenceMaxSim(encoder, aggregate="mean")
    return _find_best_pairs(explain(scorer, query_sentences, paper_sentences))


def _find_best_pairs(explanation: Explanation) -> list[SentencePair]:
    """Return the pairs of sentences that add most to a score, over all its parts."""
    contributions = explanation.frame
    of_sentences = contributions[contributions["sentence"] != ""]  # other parts have none
    by_pair = of_sentences.groupby(["query_sentence", "sentence"], sort=False)
    sums = by_pair["contribution"].sum()
    largest = sums.sort_values(ascending=False, kind="stable").head(MOST_PAIRS)
    return [
        SentencePair(query_sentence, sentence, float(contribution))
        for (query_sentence, sentence), contribution in largest.items()
    ]
