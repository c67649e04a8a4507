"""Tf-idf of whole documents."""

import math

import numpy as np
import pytest

from pyterrier_scholarly import TfIdfModel

EVERY = dict(min_count=1, most_frequent=0, min_length=1)


def test_weights_by_hand():
    """(1 + ln f) ln(N / n): "a" twice in one of three texts, "b" in two of them, "c" in all."""
    model = TfIdfModel(["a a b c", "b c", "d c"], **EVERY)
    a, b = (1 + math.log(2)) * math.log(3), math.log(3 / 2)
    length = math.hypot(a, b)
    assert model.words == ["a", "b", "c", "d"]
    assert model.of_documents(["0"]).toarray()[0] == pytest.approx([a / length, b / length, 0, 0])
    assert model.scores(["0", "0", "0"], ["0", "1", "2"]) == pytest.approx([1, b / length, 0])


def test_the_query_alone_is_cut():
    """With one term, the query "a a b" is only "a": its cosine with itself is the weight of a."""
    model = TfIdfModel(["a a b c", "b c", "d c"], top=1, **EVERY)
    a, b = (1 + math.log(2)) * math.log(3), math.log(3 / 2)
    assert model.scores(["0", "1"], ["0", "0"]) == pytest.approx(
        [a / math.hypot(a, b), b / math.hypot(a, b)]
    )


@pytest.mark.parametrize("top", [1, 3, 500, None])
def test_a_text_asks_as_its_document_does(tfidf, top):
    """A text need not be in the collection; unknown words are ignored and score 0 alone."""
    model = TfIdfModel(tfidf.source, top=top, **EVERY)
    same = model.of_texts([tfidf.source[3], tfidf.source[3] + " unheard-of", "unheard-of"])
    document = model.of_documents(["3"]).toarray()[0]
    assert same.toarray()[0] == pytest.approx(document)
    assert same.toarray()[1] == pytest.approx(document)
    assert not same.toarray()[2].any()
    all_scores = list(model.scores_of_all(same))
    assert all_scores[0] == pytest.approx(model.scores(["3"] * 8, tfidf.documents))
    assert not all_scores[2].any()


def test_more_terms_than_there_are_is_all(tfidf):
    """500 terms of texts with nine words are all terms."""
    left, right = np.array(tfidf.documents)[np.indices((8, 8)).reshape(2, -1)]
    many = TfIdfModel(tfidf.source, top=500, **EVERY)
    assert np.array_equal(many.scores(left, right), tfidf.scores(left, right))


def test_tops_and_subsets_share_one_fit():
    """Facets and numbers of terms share one fit of a collection."""
    fit = TfIdfModel("scholarly-mini").parts()
    for source in ("scholarly-mini/method", "irds:scholarly-mini/all", "scholarly-mini"):
        for top in (5, None):
            assert TfIdfModel(source, top=top).parts() is fit
    assert len(fit.documents) == 48
    assert len(TfIdfModel("scholarly-mini", min_count=1).words) > len(fit.words)


def test_title_and_text_are_counted():
    """Whole documents: a word of a title alone finds its paper."""
    import ir_datasets

    paper = next(ir_datasets.load("scholarly-mini").docs_iter())
    model = TfIdfModel("scholarly-mini", **EVERY)
    assert model.scores_of_all(model.of_texts([paper.title])).__next__().argmax() == 0
    together = model.of_texts([f"{paper.title} {paper.text}"]).toarray()
    assert together == pytest.approx(model.of_documents([paper.doc_id]).toarray())


def test_the_vocabulary_may_be_another_collections():
    """Another source decides on the vocabulary, of words that occur here, as in the paper."""
    model = TfIdfModel(["rare common", "common"], counted_on=["rare rare", "other"], min_count=2)
    assert TfIdfModel(
        ["rare common", "common"], counted_on=["rare rare", "other"], min_count=2, most_frequent=0
    ).words == ["rare"]
    with pytest.raises(ValueError, match="most_frequent=50"):
        assert model.words


@pytest.mark.parametrize("texts", [[], ["", "?"], ["alone"]])
def test_texts_without_a_vocabulary(texts):
    """Texts without a vocabulary raise with the settings to change."""
    with pytest.raises(ValueError, match=r"without a word|lower min_count=10"):
        TfIdfModel(texts).scores(["0"], ["0"])


def test_wrong_pairs_are_told(tfidf):
    """Unknown documents, NaN, and lists of different length raise."""
    with pytest.raises(ValueError, match=r"2 documents are not among the 8 of .*'8', nan.*drop"):
        tfidf.scores(["0", "0", "0"], ["8", float("nan"), "8"])
    with pytest.raises(ValueError, match="'x'"):
        tfidf.scores(["x"], ["0"])
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(1,\): expected two lists of equal"):
        tfidf.scores(["0", "1"], ["0"])
    with pytest.raises(ValueError, match="top=0: expected a whole number of at least 1"):
        TfIdfModel(tfidf.source, top=0, **EVERY).scores(["0"], ["0"])
    assert tfidf.scores([], []).shape == (0,)
