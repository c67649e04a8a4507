"""Max-sim over frames."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.transformers import FacetQuery, Pool, SentenceMaxSim, Sentences

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


def frame(*rows):
    """Results of (qid, query sentences, docno, sentences), a character per sentence."""
    made = [(qid, list(query), docno, list(document)) for qid, query, docno, document in rows]
    return pd.DataFrame(made, columns=["qid", "query_sentences", "docno", "sentences"])


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


class Sides:
    """An encoder that reads queries and documents differently."""

    def __init__(self):
        self.encode_queries, self.encode_documents = Plane(), Plane()


@pytest.mark.parametrize("aggregate", ["max", "mean", "sum", "symmetric"])
def test_candidates_without_sentences_alone(aggregate):
    """All have the lowest score, for one query and for several that share them."""
    two = frame(("1", "e", "a", ""), ("2", "n", "a", ""))
    for results in (two, two[:1]):
        out = SentenceMaxSim(Sides(), aggregate=aggregate)(results)
        assert out["score"].tolist() == [-1] * len(results)


@pytest.mark.parametrize(
    ("similarity", "a", "b"), [("dot", 0, 4 * 5), ("l2", -3, -3), ("cosine", 0, 0.8)]
)
def test_other_similarities_by_hand(similarity, a, b):
    """Dot products and distances use the vectors' lengths; no sentence has score -inf."""
    lowest = -1 if similarity == "cosine" else -np.inf
    out = SentenceMaxSim(Plane(), similarity=similarity)(RESULTS[RESULTS["qid"] == "1"])
    found = dict(zip(out["docno"], out["score"]))
    assert found == pytest.approx({"a": a, "b": b, "c": lowest})


def test_an_unknown_similarity():
    """The error lists the options, before anything is encoded."""
    with pytest.raises(ValueError, match="'near': choose one of cosine, dot, l2"):
        SentenceMaxSim(Plane(), similarity="near")(RESULTS)


def test_a_zero_vector_is_like_nothing():
    """Its cosine is 0: above that of an opposite vector, below that of a near one."""
    out = SentenceMaxSim(Plane())(
        frame(("1", "e", "a", "w"), ("1", "e", "b", "0"), ("1", "e", "c", "u"))
    )
    assert dict(zip(out["docno"], out["score"])) == pytest.approx({"c": 0.6, "b": 0, "a": -1})


def test_every_distinct_sentence_is_encoded_once():
    """Each sentence is encoded once per side, however many rows share it."""
    plane = Plane()
    SentenceMaxSim(plane, batch_size=2)(RESULTS)
    assert sorted(plane.seen) == ["e", "n", "u", "w"]


def test_columns_from_a_file():
    """Lists that were saved to a file come back as arrays: no score changes."""
    columns = ["query_sentences", "sentences"]
    arrays = RESULTS.assign(**{name: RESULTS[name].map(np.array) for name in columns})
    expected = SentenceMaxSim(Plane())(RESULTS)["score"].tolist()
    assert SentenceMaxSim(Plane())(arrays)["score"].tolist() == expected


@pytest.mark.parametrize("batch_size", [1, 3, 1000])
def test_the_batch_size_changes_no_score(batch_size):
    """Texts per batch are the encoder's business."""
    expected = SentenceMaxSim(Plane())(RESULTS)
    out = SentenceMaxSim(Plane(), batch_size=batch_size)(RESULTS)
    pd.testing.assert_frame_equal(out, expected)


def test_an_encoder_with_two_sides():
    """Queries and documents go to their own sides; no documents' sentences need no call."""

    class Sides:
        def encode_queries(self, texts):
            return [PLANE[text] for text in texts]

        def encode_documents(self, texts):
            return [PLANE[{"w": "e"}.get(text, text)] for text in texts]

    out = SentenceMaxSim(Sides())(frame(("1", "e", "a", "w")))
    assert out["score"].tolist() == [1.0]
    assert SentenceMaxSim(Sides())(frame(("1", "e", "a", "")))["score"].tolist() == [-1.0]


def test_the_light_default(mini):
    """Without an encoder, LSA of the dataset's documents, whatever frame is scored."""
    topics = pt.get_dataset(f"irds:{mini}").get_topics("query")
    results = (Pool(mini) >> FacetQuery(mini) >> Sentences(mini))(topics)
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
    pipeline = Pool(mini) >> FacetQuery(mini) >> Sentences(mini) >> SentenceMaxSim(dataset=mini)
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


def test_an_unknown_aggregate_is_found_before_encoding():
    """The error lists the options, before anything is encoded."""
    plane = Plane()
    with pytest.raises(ValueError, match="'median': choose one of max, mean, sum"):
        SentenceMaxSim(plane, aggregate="median")(RESULTS)
    assert not plane.seen


def test_what_must_come_before():
    """The transformers that bring the missing columns are named."""
    with pytest.raises(pt.validate.InputValidationError, match=r"FacetQuery.*Sentences"):
        SentenceMaxSim(Plane())(RESULTS.drop(columns="sentences"))


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("query_sentences", [], "qid 1"),
        ("query_sentences", float("nan"), "qid 1"),
        ("query_sentences", "east", "qid 1"),
        ("sentences", float("nan"), "docno a"),
        ("sentences", ["e", " "], "docno a"),
    ],
)
def test_sentences_that_are_not_there(column, value, named):
    """NaN, no sentence, blanks and texts are refused; the error names the row."""
    bad = pd.DataFrame([RESULTS.iloc[0].to_dict() | {column: value}])
    with pytest.raises(ValueError, match=f"'{column}'.* {named}"):
        SentenceMaxSim(Plane())(bad)


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


def weighted(results, *weights):
    """Results of one query, whose sentences weigh so much."""
    column = pd.Series([list(weights)] * len(results), dtype=object)
    return results.reset_index(drop=True).assign(query_sentence_weights=column)


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
    results = pd.concat([pool.assign(qid=qid) for qid in qids])
    out = SentenceMaxSim(Plane(), aggregate=aggregate)(weighted(results, 3, 1))
    assert out["score"].tolist() == pytest.approx([b, c] * len(qids))


@pytest.mark.parametrize("similarity", ["cosine", "dot", "l2"])
@pytest.mark.parametrize("aggregate", ["mean", "sum"])
def test_weights_of_zero_and_one(aggregate, similarity):
    """Equal weights change no mean, weights of 1 no sum; a weight of 0 leaves its sentence out."""
    scorer = SentenceMaxSim(Plane(), aggregate=aggregate, similarity=similarity)
    results = frame(("1", "en", "a", "w"), ("1", "en", "b", "uw"), ("1", "en", "c", ""))
    of_north = results.assign(query_sentences=[["n"]] * 3)
    assert scorer(weighted(results, 1, 1))["score"].tolist() == pytest.approx(
        scorer(results)["score"].tolist()
    )
    assert scorer(weighted(results, 0, 1))["score"].tolist() == pytest.approx(
        scorer(of_north)["score"].tolist()
    )


def test_queries_with_weights_of_their_own():
    """Two queries with the same sentences and other weights have other scores."""
    both = frame(("1", "en", "a", "u"), ("2", "en", "a", "u"))
    weights = pd.Series([[1, 0], [0, 1]], dtype=object)
    out = SentenceMaxSim(Plane(), aggregate="mean")(both.assign(query_sentence_weights=weights))
    assert dict(zip(out["qid"], out["score"])) == pytest.approx({"1": 0.6, "2": 0.8})
