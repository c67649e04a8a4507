"""The compositions are the formulae."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA, Isolated
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.recipes import (
    lexical_evidence,
    one_encoding,
    six_parts,
    systems,
    three_parts,
)
from pyterrier_scholarly.transformers import (
    FacetQuery,
    PaperLoader,
    PaperSimilarity,
    PaperTfIdf,
    Pool,
    SentenceCentroid,
    SentenceMaxSim,
)

MINI = "scholarly-mini/all"
ENCODER = Isolated(LSA(MINI))


@pytest.fixture
def mini():
    """The embedded collection's queries of all facets."""
    return MINI


@pytest.fixture
def results(mini):
    """Papers of all queries of the embedded collection."""
    topics = pt.get_dataset(f"irds:{mini}").get_topics("query")
    return (Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini))(topics)


def scores(transformer, results):
    """Scores in a fixed order."""
    return transformer(results).set_index(["qid", "docno"])["score"].sort_index()


def max_sim(context):
    """Mean over the query's sentences of the best match in a context."""
    return SentenceMaxSim(ENCODER, context, aggregate="mean")


def z(values):
    """Standardised per query, by pandas."""
    by = values.groupby("qid")
    return (values - by.transform("mean")) / by.transform(lambda pool: pool.std(ddof=0))


def missing(results):
    """1 for candidates without a sentence of the facet, by its definition."""
    parts = {"background": {"background", "objective"}, "method": {"method"}, "result": {"result"}}
    rows = results.set_index(["qid", "docno"]).sort_index()
    facets_and_papers = zip(rows["facet"], rows["paper"])
    return np.array([not parts[facet] & set(paper.labels) for facet, paper in facets_and_papers])


def lexical(results):
    """LEX as its formula says."""
    topics = PaperTfIdf(MINI, dimensions=100, facet_only=True)
    return z(scores(PaperTfIdf(MINI), results)) + z(scores(topics, results))


def test_lexical_evidence(results):
    """z(tf-idf) + z(topics)."""
    found = scores(lexical_evidence(MINI), results)
    assert found.values == pytest.approx(lexical(results).values)


def test_one_encoding(results):
    """.8 z((max-sim + centroid) / 2 - .1 miss) + .2 z(LEX)."""
    pair = scores(max_sim("title"), results) + scores(SentenceCentroid(ENCODER, "title"), results)
    expected = 0.8 * z(pair / 2 - 0.1 * missing(results)) + 0.2 * z(lexical(results))
    assert missing(results).any()
    assert scores(one_encoding(MINI, ENCODER), results).values == pytest.approx(expected.values)


def test_six_parts(results):
    """The same with six cosines."""
    parts = [
        *(max_sim(context) for context in ("abstract", "facet", "title")),
        *(SentenceCentroid(ENCODER, context) for context in ("abstract", "title")),
        PaperSimilarity(ENCODER, facet_only=True),
    ]
    six = sum(scores(part, results) for part in parts) / 6
    expected = 0.8 * z(six - 0.1 * missing(results)) + 0.2 * z(lexical(results))
    assert scores(six_parts(MINI, ENCODER), results).values == pytest.approx(expected.values)


def test_three_parts(results):
    """.4 z(read in the whole text) + .4 z(each sentence alone) + .2 z(tf-idf)."""
    whole, alone = (z(scores(max_sim(one), results)) for one in ("abstract", "sentence"))
    expected = 0.4 * whole + 0.4 * alone + 0.2 * z(scores(PaperTfIdf(MINI), results))
    assert scores(three_parts(MINI, ENCODER), results).values == pytest.approx(expected.values)


def test_the_systems_run_in_an_experiment(mini):
    """With an encoder both are rows beside the paper's; every candidate is ranked."""
    dataset = pt.get_dataset(f"irds:{mini}")
    compared = systems(mini, LSA(mini))[["fabs_tfidf", "one_encoding", "six_parts"]]
    table = pt.Experiment(compared, dataset.get_topics("query"), dataset.get_qrels(), ["map"])
    assert table["map"].between(0, 1, inclusive="right").all()
    topics = dataset.get_topics("query")
    pool = Pool(mini)(topics)
    assert all(len(system(topics)) == len(pool) for system in compared.values())


def test_papers_of_ones_own():
    """No dataset anywhere: title, sentences and labels of the user's; the paper itself is first."""
    labels = ["background", "method"]
    trees = Paper("a", "Trees", ["Trees are slow.", "We prune trees."], labels)
    queues = Paper("b", "Queues", ["Queues are fair.", "We jump queues."], labels)
    query = {"qid": "1", "query_paper": [queues] * 2, "facet": "method"}
    own = pd.DataFrame({**query, "docno": ["a", "b"], "paper": [trees, queues]})
    texts = [" ".join(paper.sentences) for paper in (trees, queues)]
    for build in (one_encoding, six_parts):
        pipeline = FacetQuery() >> PaperLoader() >> build(texts, Isolated(LSA(texts)))
        assert pipeline(own).sort_values("rank")["docno"].tolist() == ["b", "a"]


def test_zero_rows(results):
    """A pipeline of operators takes them too, with the columns that rows would have."""
    pipeline = one_encoding(MINI, ENCODER)
    assert set(pipeline(results.iloc[:0]).columns) == set(pipeline(results).columns)
