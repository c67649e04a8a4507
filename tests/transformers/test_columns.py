"""An edit of what a query asks with, or of a paper, changes scores, or it is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import (
    BM25Score,
    CrossEncoderScore,
    FacetQuery,
    PaperSimilarity,
    PaperTfIdf,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransport,
    SentenceVectors,
    TfIdfScore,
    one_encoding,
    six_parts,
    three_parts,
)

from .test_contract import MINI, common, full_example

QID = "104_background"


def letters_of(texts):
    """Count each letter in each text, (n, 26)."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return np.array([[text.lower().count(letter) + 0.1 for letter in alphabet] for text in texts])


class WithTitle:
    """An encoder of passages in which each part's vector depends on all parts."""

    def encode_passages(self, passages):
        """The whole, then the parts: counts of letters, and a share of the whole's."""
        arrays = []
        for passage in passages:
            parts = letters_of(("".join(passage), *passage))
            arrays.append((parts + 0.3 * parts[:1]).astype(np.float32))
        return arrays


WITH_TITLE = WithTitle()


@pytest.fixture
def results():
    """Eight candidates of a query, which asks with some of its paper's sentences."""
    rows = full_example(MINI)
    return rows[rows["qid"] == QID].head(8).reset_index(drop=True)


def column(frame, value):
    """A column that has the same value in each row."""
    return pd.Series([value] * len(frame), frame.index, dtype=object)


def reword(paper, words):
    """The paper with more words in each sentence."""
    return replace(paper, sentences=[f"{sentence} {words}" for sentence in paper.sentences])


def score(step, results):
    """Scores by document."""
    return step(results).set_index("docno")["score"].sort_index().tolist()


OF_SENTENCES = {
    **{
        f"{scorer.__name__}, {context}": scorer(WITH_TITLE, context)
        for scorer in (SentenceMaxSim, SentenceCentroid, SentenceTransport)
        for context in ("title", "facet", "abstract")
    },
    "SentenceMaxSim": SentenceMaxSim(letters_of, aggregate="mean"),
    "SentenceCentroid": SentenceCentroid(letters_of),
    "SentenceTransport": SentenceTransport(letters_of),
    "PaperSimilarity, facet": PaperSimilarity(WITH_TITLE, facet_only=True),
    "PaperTfIdf, facet": PaperTfIdf(MINI, facet_only=True),
    "one_encoding": one_encoding(MINI, WITH_TITLE),
    "six_parts": six_parts(MINI, WITH_TITLE),
    "three_parts": three_parts(MINI, WITH_TITLE),
}
#: they read all sentences of the query's paper
OF_WHOLE_PAPERS = {
    "PaperSimilarity": PaperSimilarity(WITH_TITLE),
    "PaperTfIdf": PaperTfIdf(MINI),
}
#: they read the document's text
OF_TEXTS = {
    "BM25Score": BM25Score(fitted_on="pool", sentences=True),
    "TfIdfScore": TfIdfScore(fitted_on="pool", sentences=True),
    "CrossEncoderScore": CrossEncoderScore(common, sentences=True, document="{text}"),
}


def each(*scorers):
    """Run a test with each of these scorers."""
    by_name = {name: step for group in scorers for name, step in group.items()}
    return pytest.mark.parametrize("step", by_name.values(), ids=by_name)


@each(OF_SENTENCES, OF_TEXTS)
def test_other_sentences_ask(step, results):
    """By their positions; one that the paper does not have is refused."""
    count = len(results["query_paper"].iloc[0].sentences)
    last = results.assign(query_sentence_ids=column(results, [count - 1]))
    assert score(step, last) != pytest.approx(score(step, results), rel=1e-6)
    for positions in ([0, count], [-1], []):
        with pytest.raises(ValueError, match=r"Query 104_b.* asks with .*: query_sentence_ids"):
            step(results.assign(query_sentence_ids=column(results, positions)))


@each(OF_SENTENCES, OF_WHOLE_PAPERS, OF_TEXTS)
def test_the_querys_paper_is_another(step, results):
    """A changed copy in the place of the paper."""
    reworded = reword(results["query_paper"].iloc[0], "The ranking of modern sites.")
    edited = results.assign(query_paper=column(results, reworded))
    assert score(step, edited) != pytest.approx(score(step, results), rel=1e-6)


@each(OF_SENTENCES, OF_WHOLE_PAPERS)
def test_candidates_are_others(step, results):
    """Changed copies in the place of papers."""
    words = results["query"].iloc[0]
    edited = results.assign(paper=[reword(paper, words) for paper in results["paper"]])
    assert score(step, edited) != pytest.approx(score(step, results), rel=1e-6)


def choose(results, positions_of_rows):
    """Results in which only some of each candidate's sentences count."""
    return results.assign(sentence_ids=pd.Series(positions_of_rows, results.index, dtype=object))


@each(OF_SENTENCES, OF_WHOLE_PAPERS)
def test_sentences_of_a_candidate_are_dropped(step, results):
    """Only those at `sentence_ids` count; one that the paper does not have is refused."""
    every = [list(range(len(paper.sentences))) for paper in results["paper"]]
    assert score(step, choose(results, every)) == pytest.approx(score(step, results))
    last_alone = choose(results, [positions[-1:] for positions in every])
    assert score(step, last_alone) != pytest.approx(score(step, results), rel=1e-6)
    for positions in ([0, 99], [-1]):
        with pytest.raises(ValueError, match=r"sentence_ids is .* for document '.*' of \d sent"):
            step(choose(results, [positions, *every[1:]]))


def test_dropped_sentences_are_not_indexed(results):
    """The others keep the positions that they have in their paper."""
    rows = SentenceVectors(letters_of, "sentence")(choose(results, [[1], *[[]] * 7]))
    sentence = results["paper"].iloc[0].sentences[1]
    assert rows[["docno", "sentence"]].values.tolist() == [[f"{results['docno'][0]}#1", sentence]]


@each(OF_SENTENCES, OF_WHOLE_PAPERS)
def test_a_rewritten_query_is_legitimate(step, results):
    """Retrievers rewrite `query`; no scorer of sentences reads it."""
    assert score(step, results.assign(query="sites")) == score(step, results)


def test_scorers_of_texts_read_the_query(results):
    """Without `sentences`, `query` decides, whatever the paper says."""
    step = BM25Score(fitted_on="pool")
    assert score(step, results.assign(query="sites")) != score(step, results)


def test_equal_lists_may_be_different_objects(results):
    """Rows that have lists and papers of their own are the same query."""
    own = results.assign(
        query_paper=[replace(paper) for paper in results["query_paper"]],
        query_sentence_ids=results["query_sentence_ids"].map(np.array),
    )
    step = OF_SENTENCES["SentenceMaxSim"]
    assert score(step, own) == score(step, results)


@pytest.fixture
def two(results):
    """The same results, where the first two sentences ask."""
    return results.assign(query_sentence_ids=column(results, [0, 1]))


@pytest.mark.parametrize(
    "weights",
    [[], [1.0], [1, -1], [0, 0], [1, float("nan")], [1, float("inf")], "ab", [1, "two"], 3],
)
def test_weights_are_numbers(two, weights):
    """One per sentence that asks: finite, none below 0, one above."""
    weighted = two.assign(query_sentence_weights=column(two, weights))
    with pytest.raises(ValueError):
        OF_SENTENCES["SentenceMaxSim"](weighted)


def test_weights_change_the_score(two):
    """A weight of 0 drops a sentence; FacetQuery keeps weights that fit what it chooses."""
    step = OF_SENTENCES["SentenceMaxSim"]
    weighted = two.assign(query_sentence_weights=column(two, [1, 0]))
    first = two.assign(query_sentence_ids=column(two, [0]))
    assert score(step, FacetQuery()(weighted)) == pytest.approx(score(step, first))
    with pytest.raises(ValueError, match=r"asks with . sentences and has the weights"):
        FacetQuery(facet="")(weighted)
