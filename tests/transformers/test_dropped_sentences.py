"""Sentences that do not count: column `sentence_ids` is followed by all who read papers."""

import pandas as pd
import pytest

from pyterrier_scholarly import LSA, FacetQuery, PaperLoader, Pool
from pyterrier_scholarly.transformers import (
    FacetMiss,
    PaperSimilarity,
    PaperTfIdf,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransport,
)

MINI = "scholarly-mini/result"
ENCODER = LSA(MINI)
SCORERS = [
    FacetMiss(),
    PaperSimilarity(ENCODER),
    PaperSimilarity(ENCODER, facet_only=True),
    PaperTfIdf(MINI),
    PaperTfIdf(MINI, facet_only=True),
    SentenceCentroid(ENCODER),
    SentenceMaxSim(ENCODER, aggregate="symmetric"),
    SentenceTransport(ENCODER),
]


@pytest.fixture(scope="module")
def whole():
    """The candidates of a query, with a score each."""
    topics = pd.DataFrame({"qid": ["104"]})
    pipeline = Pool(MINI) >> FacetQuery(MINI) >> PaperLoader(MINI) >> PaperTfIdf(MINI)
    return pipeline(topics)


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scores_are_those_of_the_sentences_that_count(scorer, whole):
    """A candidate scores as if its paper had only these sentences."""
    first_two = [list(range(len(paper.sentences)))[:2] for paper in whole["paper"]]
    cut_papers = [paper.only(positions) for paper, positions in zip(whole["paper"], first_two)]
    dropped = scorer(whole.assign(sentence_ids=first_two)).set_index("docno")["score"]
    cut = scorer(whole.assign(paper=cut_papers)).set_index("docno")["score"]
    unchanged = scorer(whole).set_index("docno")["score"]
    assert dropped.to_dict() == pytest.approx(cut.to_dict(), abs=1e-6)
    assert (dropped - unchanged).abs().max() > 0.01


def test_the_explained_pairs_are_of_the_sentences_that_count(whole):
    """A column is a position in the whole paper."""
    scorer = PaperSimilarity(ENCODER)
    row = whole.head(1).assign(sentence_ids=[[3, 1]])
    matches = scorer.explained(row)
    assert matches.columns == [3, 1]
    assert matches.score == pytest.approx(scorer(row)["score"][0], abs=1e-6)
