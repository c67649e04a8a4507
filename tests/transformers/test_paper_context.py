"""Whole papers beside query and candidate."""

import warnings

import pandas as pd
import pytest

from pyterrier_scholarly.transformers import FacetMiss, FacetQuery, PaperContext, ZScore

OWN = pd.DataFrame(
    {
        "qid": ["1", "1"],
        "query_sentences": [["Mine."], ["Mine."]],
        "docno": ["b", "c"],
    }
)


def test_papers_of_a_dataset(papers, topics):
    """Candidates by docno, the query's paper by query_docno: all its sentences, not the facet's."""
    out = PaperContext(papers)(FacetQuery(papers)(topics.assign(docno="b")))
    (row,) = out.to_dict("records")
    assert (row["title"], row["sentences"], row["labels"]) == (
        "On b",
        ["Trees are pruned."],
        ["method"],
    )
    assert row["query_title"] == "On a"
    assert len(row["query_paper_sentences"]) == 3
    assert row["query_paper_labels"] == ["background", "objective", "method"]
    assert len(row["query_sentences"]) == 2


def test_topics_get_the_querys_side(papers, topics):
    """Without `docno` there is no candidate to read, and the query's paper is the same."""
    asked = FacetQuery(papers)(topics)
    of_topics = PaperContext(papers)(asked).iloc[0]
    of_results = PaperContext(papers)(asked.assign(docno="b")).iloc[0]
    assert not {"title", "sentences", "labels"} & set(of_topics.index)
    for column in ("query_title", "query_paper_sentences", "query_paper_labels"):
        assert of_topics[column] == of_results[column]


def test_ones_own_query_against_a_dataset(papers):
    """Its paper is what its columns say, or else what it asks with; labels may be missing."""
    out = PaperContext(papers)(OWN)
    assert out["query_paper_sentences"].tolist() == [["Mine."], ["Mine."]]
    assert out["query_paper_labels"].tolist() == [[""], [""]]
    assert out["query_title"].tolist() == ["", ""]
    assert out["sentences"].tolist() == [["Trees are pruned."], []]
    more = {"query_paper_sentences": [["I.", "Mine."]] * 2, "query_paper_labels": [["x", "y"]] * 2}
    out = PaperContext(papers)(OWN.assign(query_title="My paper", **more))
    assert out["query_paper_sentences"].tolist() == [["I.", "Mine."]] * 2
    assert out["query_paper_labels"].tolist() == [["x", "y"]] * 2
    assert out["query_title"].tolist() == ["My paper"] * 2


def test_all_ones_own():
    """Without a dataset: titles are optional, texts are split, labels kept where there are."""
    out = PaperContext()(OWN.assign(text=["One tree. Two trees.", ""]))
    assert out["sentences"].tolist() == [["One tree.", "Two trees."], []]
    assert out["labels"].tolist() == [["", ""], []]
    assert out["title"].tolist() == ["", ""]
    out = PaperContext()(
        OWN.assign(sentences=[["A."], ["B."]], labels=[["method"], [""]], title="T")
    )
    assert out["labels"].tolist() == [["method"], [""]]
    assert out["title"].tolist() == ["T", "T"]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"title": float("nan")}, "'title'.* docno b, c"),
        ({"labels": [["method"], []]}, "'labels' .*one label per sentence.* docno c"),
        ({"labels": [["method"], float("nan")]}, "'labels' .* docno c"),
        ({"query_paper_sentences": [["Mine."], [" "]]}, "'query_paper_sentences'.* qid 1"),
        ({"query_title": 3}, "'query_title'.* qid 1"),
    ],
)
def test_bad_columns(columns, named):
    """Names column and rows."""
    good = OWN.assign(sentences=[["A."], ["B."]])
    with pytest.raises(ValueError, match=named):
        PaperContext()(good.assign(**columns))


def frame(**columns):
    """Three candidates of one query."""
    made = {"qid": "1", "docno": list("abc"), "facet": "background", "score": [0.5, 0.45, 0.44]}
    made["labels"] = [["method"], ["method", "objective"], ["", ""]]
    return pd.DataFrame(made | columns)


def scores(transformer, results):
    """Score by document."""
    out = transformer(results)
    assert out["rank"].tolist() == list(range(len(out)))
    return dict(zip(out["docno"], out["score"]))


def test_a_candidate_without_the_facet_is_demoted():
    """Objective is background; where nothing is labelled nothing is missed."""
    assert scores(FacetMiss(), frame()) == pytest.approx({"a": 0.4, "b": 0.45, "c": 0.44})
    assert scores(FacetMiss(0.2), frame())["a"] == pytest.approx(0.3)
    assert scores(FacetMiss(), frame(facet=""))["a"] == 0.5
    assert scores(FacetMiss(0), frame())["a"] == 0.5


def test_without_labels_it_is_said_what_falls_away():
    """If a facet is asked for and no candidate has any; otherwise there is nothing to say."""
    unlabelled = frame(labels=[[""], [], ["", ""]])
    with pytest.warns(UserWarning, match=r"nobody is demoted.*whole abstract.*centroids.*Labeller"):
        assert scores(FacetMiss(), unlabelled) == {"a": 0.5, "b": 0.45, "c": 0.44}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="No candidate")
        FacetMiss()(frame())
        FacetMiss()(unlabelled.assign(facet=""))
        FacetMiss()(unlabelled.iloc[:0])


def test_a_penalty_is_no_reward():
    """A negative one would promote what says nothing."""
    with pytest.raises(ValueError, match=r"penalty=-1 must be 0 or more"):
        FacetMiss(-1)(frame())


def test_z_scores_by_hand():
    """1, 2, 3 have mean 2 and deviation sqrt(2/3); each query is for itself."""
    two = pd.concat([frame(score=[1, 2, 3]), frame(qid="2", score=[10, 30, 20])])
    out = ZScore()(two)
    z = (3 / 2) ** 0.5
    assert out["score"].tolist() == pytest.approx([z, 0, -z] * 2)
    assert out["docno"].tolist() == list("cbabca")


@pytest.mark.parametrize("score", [[0.1, 0.1, 0.1], [1e9 + 0.1] * 3])
def test_equal_scores_are_zero(score):
    """Not NaN, and not what is left of rounding."""
    assert scores(ZScore(), frame(score=score)) == {"a": 0, "b": 0, "c": 0}
    assert ZScore()(frame(score=score)[:1])["score"].tolist() == [0]


@pytest.mark.parametrize("broken", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers(broken):
    """The query is named."""
    with pytest.raises(ValueError, match=r"finite.* qid 1"):
        ZScore()(frame(score=[1, 2, broken]))
