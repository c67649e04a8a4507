"""Max-sim over frames."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.transformers import (
    FacetQuery,
    PaperLoader,
    Pool,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransport,
)

from .conftest import frame

#: vectors in the plane: east, west, north, (3, 4), nowhere
PLANE = {"e": (2, 0), "w": (-1, 0), "n": (0, 5), "u": (3, 4), "0": (0, 0)}


class Plane:
    """A function from texts to vectors that remembers what it was asked."""

    def __init__(self):
        self.seen = []

    def __call__(self, texts):
        """Vectors (n, 2)."""
        self.seen.extend(texts)
        return np.array([PLANE[text] for text in texts])


RESULTS = frame(
    ("1", "en", "a", "w"), ("1", "en", "b", "uw"), ("2", "u", "a", "w"), ("1", "en", "c", "")
)


@pytest.mark.parametrize(
    ("aggregate", "a", "b", "c"),
    [
        ("max", max(-1, 0), max(0.6, 0.8), -1),
        ("mean", (-1 + 0) / 2, (0.6 + 0.8) / 2, -1),
        ("sum", -1 + 0, 0.6 + 0.8, -2),
        ("symmetric", ((-1 + 0) / 2 + 0) / 2, ((0.6 + 0.8) / 2 + (0.8 + 0) / 2) / 2, -1),
    ],
)
def test_scores_and_ranks_by_hand(aggregate, a, b, c):
    """Cosines of the best pairs, rows by rank, a document without sentences last."""
    out = SentenceMaxSim(Plane(), aggregate=aggregate)(RESULTS)
    assert list(zip(out["qid"], out["docno"], out["rank"])) == [
        ("1", "b", 0),
        ("1", "a", 1),
        ("1", "c", 2),
        ("2", "a", 0),
    ]
    assert out["score"].tolist() == pytest.approx([b, a, c, -0.6])


@pytest.mark.parametrize("aggregate", ["max", "mean", "sum", "symmetric"])
def test_candidates_without_sentences_alone(aggregate):
    """All have the lowest score, for one query and for several that share them."""
    two = frame(("1", "e", "a", ""), ("2", "n", "a", ""))
    for results in (two, two[:1]):
        out = SentenceMaxSim(Plane(), aggregate=aggregate)(results)
        assert out["score"].tolist() == [-1] * len(results)


def test_every_distinct_sentence_is_encoded_once():
    """Each sentence is encoded once per side, however many rows share it."""
    plane = Plane()
    SentenceMaxSim(plane, batch_size=2)(RESULTS)
    assert sorted(plane.seen) == ["e", "n", "u", "u", "w"]


def test_an_encoder_with_two_sides():
    """Queries and documents go to their own sides; no documents' sentences need no call."""

    class Sides:
        def encode(self, texts, side):
            renamed = {"w": "e"} if side == "document" else {}
            return [PLANE[renamed.get(text, text)] for text in texts]

    out = SentenceMaxSim(Sides())(frame(("1", "e", "a", "w")))
    assert out["score"].tolist() == [1.0]
    assert SentenceMaxSim(Sides())(frame(("1", "e", "a", "")))["score"].tolist() == [-1.0]


@pytest.mark.parametrize("step", [SentenceMaxSim, SentenceCentroid, SentenceTransport])
def test_sentences_that_count(step):
    """Those at given positions ask, and count, as if their papers had no others."""
    results = frame(("1", "wen", "a", "wue"), ("1", "wen", "b", "wn")).assign(facet="")
    chosen = results.assign(query_sentence_ids=[[2, 1]] * 2, sentence_ids=[[0, 1], [0]])
    only = results.assign(
        query_paper=[paper.only([2, 1]) for paper in results["query_paper"]],
        query_sentence_ids=[[0, 1]] * 2,
        paper=[results["paper"][0].only([0, 1]), results["paper"][1].only([0])],
    )
    scorer = step(Plane())
    found = scorer(chosen)
    assert found["score"].tolist() == pytest.approx(scorer(only)["score"].tolist())
    assert found["score"].tolist() != pytest.approx(scorer(results)["score"].tolist())

    ranking, matches = scorer.explain_ranking(chosen, "a")
    assert matches.columns == [0, 1]
    scores = dict(zip(ranking["docno"], ranking["score"]))
    assert matches.score == pytest.approx(scores["a"])
    assert scorer.explained(chosen[:1].assign(sentence_ids=[[]])) is None


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("query_sentence_ids", [2], "Query 1 asks with the sentences at .2., but .* has 2"),
        ("query_sentence_ids", [], "at least one position"),
        ("query_sentence_ids", [True, False], "sentences at .True, False., but"),
        ("query_sentence_ids", np.nan, "sentences at nan, but"),
        ("query_sentence_ids", {0, 1}, "must hold a list"),
        ("sentence_ids", np.nan, "sentence_ids is nan for document 'a'.*pass a list"),
        ("sentence_ids", {0}, "pass a list of positions"),
        ("sentence_ids", [0, 1], r"sentence_ids is \[0, 1\] for document 'a' of 1 sentences"),
        ("sentence_ids", [0, 0], r"sentence_ids is \[0, 0\] .*each once"),
        ("sentence_ids", [True], r"sentence_ids is \[True\] for document 'a'"),
        ("query_sentence_weights", [1], "asks with 2 sentences and has the weights .1."),
        ("query_sentence_weights", ["1", "2"], "must hold one finite number"),
        ("query_sentence_weights", [1, 10**400], "must hold one finite number"),
        ("query_sentence_weights", [0, 0], "number from 0 for each of them, and not only zeros"),
    ],
)
def test_sentences_that_are_missing(column, value, problem):
    """The error names the query or the document."""
    results = RESULTS[:1].assign(**{column: [value]})
    with pytest.raises(ValueError, match=problem):
        SentenceMaxSim(Plane(), aggregate="mean")(results)


@pytest.mark.parametrize("other", [None, float("nan"), pd.NA, [1, 3], "12"])
def test_rows_of_a_query_share_its_weights(other):
    """A row with other weights, or without, is refused, whichever comes first."""
    for weights in ([[1, 2], other], [other, [1, 2]]):
        results = RESULTS[RESULTS["qid"] == "1"][:2]
        column = pd.Series(weights, results.index, dtype=object)
        with pytest.raises(ValueError, match=r"must hold one value in all .* qid 1"):
            SentenceMaxSim(Plane(), aggregate="mean")(results.assign(query_sentence_weights=column))


def test_the_light_default(mini):
    """Without an encoder, LSA of the dataset's documents, whatever frame is scored."""
    topics = pt.get_dataset(f"irds:{mini}").get_topics("query")
    results = (Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini))(topics)
    default = SentenceMaxSim(dataset=mini)(results)
    explicit = SentenceMaxSim(LSA("scholarly-mini"))(results)
    pd.testing.assert_frame_equal(default, explicit)
    one = results[results["qid"] == topics.loc[0, "qid"]]
    pd.testing.assert_frame_equal(
        SentenceMaxSim(dataset=mini)(one), default[default["qid"] == topics.loc[0, "qid"]]
    )


def test_an_experiment_in_batches_and_as_a_tree(mini):
    """Figures are the same as in one call."""
    dataset = pt.get_dataset(f"irds:{mini}")
    pipeline = Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini) >> SentenceMaxSim(dataset=mini)
    arguments = (
        [pipeline],
        dataset.get_topics("query"),
        dataset.get_qrels(),
        ["map", "ndcg_cut_10"],
    )
    plain = pt.Experiment(*arguments, perquery=True)
    for options in ({"batch_size": 1}, {"plan": "tree"}):
        other = pt.Experiment(*arguments, perquery=True, **options)
        key = ["qid", "measure"]
        merged = plain.merge(other, on=key, suffixes=("", "_other"))
        assert len(merged) == len(plain)
        assert merged["value"].tolist() == pytest.approx(merged["value_other"].tolist())


def test_grid_search_sets_the_aggregate(mini):
    """The setting that suits the judgements is found and left in the pipeline."""
    scorer = SentenceMaxSim(Plane(), aggregate="max")
    # Document b has one perfect sentence, a is good for both: best by maximum, best by mean.
    results = frame(("1", "en", "a", "u"), ("1", "en", "b", "ew"))
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    pt.GridSearch(scorer, {scorer: {"aggregate": ["max", "mean"]}}, results, qrels, "map")
    assert scorer.aggregate == "mean"


def test_neither_encoder_nor_dataset():
    """The error names both remedies."""
    with pytest.raises(ValueError, match=r"needs an encoder.*or a dataset"):
        SentenceMaxSim()(RESULTS)


def test_what_must_come_before():
    """The transformers that bring the missing columns are named."""
    with pytest.raises(pt.validate.InputValidationError, match=r"FacetQuery.*PaperLoader"):
        SentenceMaxSim(Plane())(RESULTS[["qid", "docno"]])


def test_queries_that_share_their_candidates():
    """The order of rows, and other queries' texts of the same docno, change no score."""
    shared = frame(
        ("1", "e", "a", "uw"), ("1", "e", "b", "n"), ("2", "nw", "b", "n"), ("2", "nw", "a", "uw")
    )
    own = frame(("3", "e", "a", "e"), ("3", "e", "b", "n"))  # another paper's sentences as a's
    out = SentenceMaxSim(Plane(), aggregate="mean")(pd.concat([shared, own]))
    found = {
        (qid, docno): score for qid, docno, score in zip(out["qid"], out["docno"], out["score"])
    }
    expected = {("1", "a"): 0.6, ("1", "b"): 0, ("2", "b"): (1 + 0) / 2, ("2", "a"): (0.8 + 1) / 2}
    assert found == pytest.approx({**expected, ("3", "a"): 1, ("3", "b"): 0})


@pytest.mark.parametrize("qids", [["1"], ["1", "2"]])
@pytest.mark.parametrize(
    ("aggregate", "b", "c"),
    [
        ("mean", (3 * 0.6 + 1 * 0.8) / 4, -1),
        ("sum", 3 * 0.6 + 1 * 0.8, -4),
    ],
)
def test_weights_by_hand(qids, aggregate, b, c):
    """A weight multiplies its sentence's best cosine; the mean is over the weights.

    One query, or two that are scored together. A document without sentences has the lowest score.
    """
    pool = frame(("1", "en", "b", "uw"), ("1", "en", "c", ""))
    pool = pool.assign(query_sentence_weights=[[3, 1]] * 2)
    results = pd.concat([pool.assign(qid=qid) for qid in qids])
    out = SentenceMaxSim(Plane(), aggregate=aggregate)(results)
    assert out["score"].tolist() == pytest.approx([b, c] * len(qids))


def test_queries_with_weights_of_their_own():
    """Two queries with the same sentences and other weights have other scores."""
    both = frame(("1", "en", "a", "u"), ("2", "en", "a", "u"))
    both = both.assign(query_sentence_weights=[[1, 0], [0, 1]])
    out = SentenceMaxSim(Plane(), aggregate="mean")(both)
    assert dict(zip(out["qid"], out["score"])) == pytest.approx({"1": 0.6, "2": 0.8})
