"""Explain a paper's scores by two systems, for the papers that make most of the difference.

A system that compares sentences, or adds such scores, is taken apart by `explain`. One that scores
words (tf-idf, BM25) says what each common word adds. For another, the words that query and paper
share are named and, with an encoder, the sentences that match best.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, RankCutoff

from ..encoders import EncoderLike
from ..explanation import Explanation, explain
from ..explanation.score_parts import MEAN_OF_CANDIDATES
from ..text import split_sentences
from ..transformers import SentenceMaxSim
from ..transformers.lexical_score import LexicalScore

MOST_PAIRS = 5  # matched sentences of an explanation
MOST_WORDS = 10  # of an explanation by words
RESULTS_WERE_PASSED = "Its results were passed, not its pipeline."
#: said of a score that `explain` refuses; its own error is for who builds pipelines
NOT_OF_SENTENCES = "Its score is not a sum over sentences, so it cannot be shown by sentence."


class SentencePair(NamedTuple):
    """Two matched sentences, and what they add to the score."""

    query_sentence: str
    sentence: str
    contribution: float


class PaperExplanation(NamedTuple):
    """Why one system scores a paper as it does.

    parts: name and value of each part of the score.
    pairs: the sentences that add most.
    words: what each common word adds to the score, for a scorer of words; the largest first, last
        the sum of those that are not named.
    reason: why the score could not be taken apart; "" if it was.
    """

    parts: Sequence[tuple[str, float]] = ()
    pairs: Sequence[SentencePair] = ()
    words: Sequence[tuple[str, float]] = ()
    reason: str = ""


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
        return PaperExplanation(reason=RESULTS_WERE_PASSED)
    words = weigh_words(pipeline, topic, docno)
    if words:
        return PaperExplanation(words=words)
    try:
        explanation = explain(pipeline, topic, docno, name=name)
    except (ValueError, TypeError):
        return PaperExplanation(reason=NOT_OF_SENTENCES)
    return PaperExplanation(_sum_parts(explanation), _find_best_pairs(explanation))


def weigh_words(
    pipeline: pt.Transformer, topic: pd.DataFrame, docno: str
) -> list[tuple[str, float]]:
    """Return what each common word adds to a paper's score, the largest first.

    Beyond MOST_WORDS, the others are one row. The list is empty for a pipeline that does not end
    with a scorer of words, by tf-idf or BM25.

    Args:
        pipeline, topic, docno: see `explain_paper`.
    """
    steps = list(pipeline) if isinstance(pipeline, Compose) else [pipeline]
    while isinstance(steps[-1], RankCutoff):  # which leaves scores alone
        steps.pop()
    *steps_before, scorer = steps
    if not isinstance(scorer, LexicalScore):
        return []

    candidates = topic
    for step in steps_before:
        candidates = step(candidates)
    value_by_word = scorer.explain_words(candidates, docno)
    largest_first = sorted(value_by_word.items(), key=lambda item: -abs(item[1]))
    shown, others = largest_first[:MOST_WORDS], largest_first[MOST_WORDS:]
    if others:
        shown.append((f"({len(others)} other words)", sum(value for _, value in others)))
    return shown


def match_sentences(encoder: EncoderLike, query: str, paper: str) -> list[SentencePair]:
    """Return the sentences of a query and a paper that an encoder finds most similar."""
    query_sentences = split_sentences(query)
    paper_sentences = split_sentences(paper)
    if not query_sentences or not paper_sentences:
        return []
    scorer = SentenceMaxSim(encoder, aggregate="mean")
    return _find_best_pairs(explain(scorer, query_sentences, paper_sentences))


def _sum_parts(explanation: Explanation) -> list[tuple[str, float]]:
    """Return name and value of each part; all means of candidates are one part.

    These are the same for all candidates of the query, so they order nothing.
    """
    parts = []
    means = []
    for part in explanation.parts:
        if part.name.startswith(MEAN_OF_CANDIDATES):
            means.append(float(part.value))
        else:
            parts.append((part.name, float(part.value)))
    if means:
        parts.append((f"{MEAN_OF_CANDIDATES}, the same for all papers of the query", sum(means)))
    return parts


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
