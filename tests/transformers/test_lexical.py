"""TF-IDF and Okapi BM25 over a dataset's documents."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import BM25Score, TfIdfScore

RESULTS = pd.DataFrame(
    {"qid": ["1"] * 3, "query": ["pruned trees"] * 3, "docno": ["c", "a", "b"], "rank": [0, 1, 2]}
)
EACH = pytest.mark.parametrize("scorer", [TfIdfScore, BM25Score])


def asking(results, *sentences):
    """Let all sentences of a paper ask, instead of a text."""
    paper = Paper("", "", sentences)
    return results.drop(columns="query").assign(
        query_paper=[paper] * len(results),
        query_sentence_ids=[list(range(len(sentences)))] * len(results),
    )


def scores(transformer, query="pruned trees"):
    """Score by document."""
    out = transformer(RESULTS.assign(query=query))
    return dict(zip(out["docno"], out["score"]))


def test_tfidf_by_hand(papers):
    """Cosine of query and b ("trees are pruned"), idf = 1 + ln((1 + 3) / (1 + df)) with df 2.

    Of three documents a and b have each of the three words, so idf is one and the same and cancels:
    cos((1, 1, 0), (1, 1, 1)) = 2 / (sqrt 2 * sqrt 3).
    """
    assert scores(TfIdfScore(papers))["b"] == pytest.approx(2 / math.sqrt(6))


def test_bm25_by_hand(papers):
    """Words in more than half of the documents get a quarter of the mean idf.

    Of three documents (15, 3 and 0 words, 6 on average) trees, pruned and are occur in a and b:
    idf = ln(1.5 / 2.5) < 0; the other 9 words occur in a alone: ln(2.5 / 1.5).
    """
    mean = (9 * math.log(2.5 / 1.5) + 3 * math.log(1.5 / 2.5)) / 12
    weight = 2.5 / (1 + 1.5 * (0.25 + 0.75 * 3 / 6))
    assert scores(BM25Score(papers))["b"] == pytest.approx(2 * 0.25 * mean * weight)


def test_bm25_with_other_constants_by_hand(papers):
    """As above, with k1 = 2, and b = 0.5 of the length 3 beside the average of 6."""
    mean = (9 * math.log(2.5 / 1.5) + 3 * math.log(1.5 / 2.5)) / 12
    weight = 3 / (1 + 2 * (0.5 + 0.5 * 3 / 6))
    scorer = BM25Score(papers, k1=2, b=0.5)
    assert scores(scorer)["b"] == pytest.approx(2 * 0.25 * mean * weight)


@EACH
@pytest.mark.parametrize("fitted_on", ["collection", "pool"])
def test_words_add_up_to_the_score(papers, scorer, fitted_on):
    """What each word adds sums to the score, also for the mean of several asking sentences."""
    texts = {"a": "Trees are pruned, and trees are not.", "b": "trees are pruned", "c": "Snow."}
    asked = asking(RESULTS, "Unheard of.", "pruned trees", "trees, trees or snow")
    asked = asked.assign(
        query_sentence_ids=[[1, 2]] * 3, text=[texts[docno] for docno in RESULTS["docno"]]
    )
    dataset = papers if fitted_on == "collection" else None
    step = scorer(dataset, fitted_on=fitted_on, sentences=True)
    scored = step(asked).set_index("docno")["score"]
    for docno, score in scored.items():
        words = step.explain_words(asked, docno)
        assert sum(words.values()) == pytest.approx(score)
    assert set(step.explain_words(asked, "b")) <= {"pruned", "trees"}  # not "or", not "snow"


@EACH
def test_the_pool_changes_no_score(papers, scorer):
    """Fitted on the collection, a document's score does not depend on its neighbours."""
    whole = scores(scorer(papers))
    alone = scorer(papers)(RESULTS[RESULTS["docno"] == "b"])
    assert alone["score"].tolist() == pytest.approx([whole["b"]])


@EACH
def test_ranking(papers, scorer):
    """Rows go by rank; what shares no word with the query, or has no text, scores 0."""
    out = scorer(papers)(RESULTS)
    assert out["rank"].tolist() == [0, 1, 2]
    assert out["docno"].tolist()[-1] == "c"
    assert scores(scorer(papers), "unseen") == {"a": 0, "b": 0, "c": 0}


@EACH
def test_equal_scorers_share_a_fit(papers, docs, monkeypatch, scorer):
    """The documents are read once, also for a second instance."""
    reads = []
    monkeypatch.setattr(docs, "docs_iter", lambda: reads.append(1) or iter(docs.records.values()))
    scorer(papers)(RESULTS)
    scorer(papers)(RESULTS)
    assert len(reads) == 1


@EACH
def test_bad_input(papers, scorer):
    """Unknown documents and empty queries are named."""
    with pytest.raises(ValueError, match="no document z"):
        scorer(papers)(RESULTS.assign(docno=["a", "b", "z"]))
    with pytest.raises(ValueError, match=r"'query'.* qid 1"):
        scorer(papers)(RESULTS.assign(query=""))


def test_tfidf_fitted_on_the_pool_by_hand(papers):
    """In the pool of a and b each shared word has idf 1: cos((1, 1, 0), (1, 1, 1)) for b again.

    On the collection of three, b's cosine is the same because its words are equally frequent; a's
    differs, for its other nine words weigh 1 + ln(4 / 2) there and 1 + ln(3 / 2) in the pool, those
    shared 1 + ln(4 / 3) and 1.
    """
    pool = RESULTS[RESULTS["docno"] != "c"].assign(query="pruned trees")
    out = TfIdfScore(papers, fitted_on="pool")(pool)
    fitted = dict(zip(out["docno"], out["score"]))
    assert fitted["b"] == pytest.approx(2 / math.sqrt(6))
    assert fitted["a"] != pytest.approx(scores(TfIdfScore(papers))["a"])


@EACH
def test_a_pool_changes_scores_where_it_is_fitted_on(papers, scorer):
    """Fitted on the pool, a document's score depends on its neighbours; the setting is checked."""
    whole = scorer(papers, fitted_on="pool")(RESULTS)
    part = scorer(papers, fitted_on="pool")(RESULTS[RESULTS["docno"] != "c"])
    score = whole.set_index("docno")["score"]
    assert part["score"].tolist() != pytest.approx(score[part["docno"]].tolist())
    assert scorer(papers) != scorer(papers, fitted_on="pool")
    with pytest.raises(ValueError, match="'pools': expected one of 'collection', 'pool'"):
        scorer(papers, fitted_on="pools")(RESULTS)


def okapi(query, texts):
    """Okapi BM25 by its formula, over lists of words, with rank_bm25's floor of idf."""
    counts = [Counter(text) for text in texts]
    occurs = Counter(word for count in counts for word in count)
    idf = {w: math.log((len(texts) - n + 0.5) / (n + 0.5)) for w, n in occurs.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    mean = sum(map(len, texts)) / len(texts)

    def weight(word, count, size):
        value = idf[word] if idf[word] >= 0 else floor
        return value * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * size / mean))

    return [
        sum(weight(word, count[word], len(text)) for word in query if word in count)
        for count, text in zip(counts, texts)
    ]


TEXTS = ["Trees, pruned .", "We prune Trees trees", "no word", "Trees grow ( again )", "it is"]
POOLED = pd.DataFrame(
    {
        "qid": "1",
        "query": "pruned Trees , trees",
        "docno": list("abcde"),
        "text": TEXTS,
    }
)


def test_bm25_of_nltks_tokens_by_the_formula():
    """Of the column's texts, fitted on the pool, case kept: Trees and trees are two words."""
    out = BM25Score(fitted_on="pool", words="tokens")(POOLED).sort_values("docno")
    documents = [text.replace(",", " ,").split() for text in TEXTS]
    expected = okapi(["pruned", "Trees", ",", "trees"], documents)
    assert out["score"].tolist() == pytest.approx(expected)


def test_bm25_of_sentences_is_their_mean():
    """Each sentence is a query; with words of ours as a function."""
    step = BM25Score(fitted_on="pool", words=str.split, sentences=True)
    out = step(asking(POOLED, "Trees grow", "pruned again")).sort_values("docno")
    one, two = (
        okapi(q, list(map(str.split, TEXTS))) for q in (["Trees", "grow"], ["pruned", "again"])
    )
    assert out["score"].tolist() == pytest.approx(np.mean([one, two], axis=0))


def test_tfidf_of_a_pool_by_the_formula():
    """Cosines of counts times 1 + ln((1 + n) / (1 + df)), of words of two letters and more."""
    out = TfIdfScore(fitted_on="pool")(POOLED).sort_values("docno")
    texts = [text.lower().translate(dict.fromkeys(map(ord, ",.()"))).split() for text in TEXTS]
    words = sorted(set().union(*texts))
    idf = [1 + math.log(6 / (1 + sum(word in text for text in texts))) for word in words]

    def vector(text):
        weights = np.array([text.count(word) for word in words]) * idf
        return weights / np.linalg.norm(weights)

    asked = vector(["pruned", "trees", "trees"])
    assert out["score"].tolist() == pytest.approx([vector(text) @ asked for text in texts])


@EACH
def test_ties_in_a_pool_are_as_argsort_leaves_them(scorer):
    """DORIS-MAE's order is ``argsort()[::-1]``: of equal scores the last first."""
    pool = POOLED.assign(text=["a tree", "an oak", "an elm", "an ash", "no oak"], query="an oak")
    out = scorer(fitted_on="pool")(pd.concat([pool, pool.assign(qid="0")]))
    for _, rows in out.groupby("qid"):
        scores = rows.set_index("docno")["score"].loc[list("abcde")].to_numpy()
        assert rows["docno"].tolist() == ["abcde"[place] for place in np.argsort(scores)[::-1]]
    assert out["qid"].drop_duplicates().tolist() == ["1", "0"]


@EACH
def test_without_a_dataset_there_is_no_collection(scorer):
    """Without a dataset to fit on, the error names the remedy; so it does for a column."""
    with pytest.raises(ValueError, match="pass one, or fitted_on='pool'"):
        scorer()(POOLED)
    with pytest.raises(pt.validate.InputValidationError, match="text"):
        scorer(fitted_on="pool")(POOLED.drop(columns="text"))


def test_unknown_words():
    """The error lists the options."""
    with pytest.raises(ValueError, match="words='token': expected one of 'stems', 'plain'"):
        BM25Score(fitted_on="pool", words="token")(POOLED)


@pytest.mark.parametrize("scorer", [TfIdfScore, BM25Score])
@pytest.mark.parametrize("text", ["", "?! …", "  "])
def test_a_pool_without_a_word_scores_0(scorer, text):
    """No text of the pool has a word, so none has a share of the query; other pools have scores."""
    rows = pd.DataFrame(
        {
            "qid": ["1", "1", "2", "2"],
            "query": ["trees"] * 4,
            "docno": ["a", "b", "a", "b"],
            "text": [text, text, "pruned trees of a graph", "walks"],
        }
    )
    step = scorer(fitted_on="pool")
    out = step(rows)
    assert out[out["qid"] == "1"]["score"].tolist() == [0, 0]
    assert out["rank"].tolist() == [0, 1, 0, 1]
    alone = step(rows[rows["qid"] == "2"])
    assert out[out["qid"] == "2"]["score"].tolist() == alone["score"].tolist()


@pytest.mark.parametrize("scorer", [TfIdfScore, BM25Score])
def test_a_pool_without_a_word_by_sentences(scorer):
    """So it is if each sentence of the query asks by itself."""
    rows = asking(POOLED.assign(text="…"), "a tree", "b")
    step = scorer(fitted_on="pool", sentences=True)
    assert step(rows)["score"].tolist() == [0] * 5
    outside = asking(POOLED, "a tree", "b").assign(query_sentence_ids=[[2]] * 5)
    with pytest.raises(ValueError, match=r"Query 1 asks with the sentences at \[2\], but"):
        step(outside)
