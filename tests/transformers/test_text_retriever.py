"""Exact search by one vector per text, beside numpy over all vectors at once."""

import warnings
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
import pytest
from ir_datasets.formats import BaseDocs

from pyterrier_scholarly import TextRetriever
from pyterrier_scholarly.transformers.text_templates import DistinctTexts


class Paper(NamedTuple):
    """A document."""

    doc_id: str
    title: str
    text: str


def made(number):
    """Paper 5 n + 4 has the text of paper 5 n + 3."""
    own = number - (number % 5 == 4)
    return Paper(f"p{number}", f"Title {own}", "".join(chr(97 + own * k % 26) for k in range(9)))


PAPERS = [made(number) for number in range(300)]
TOPICS = pd.DataFrame(
    {"qid": ["x", "a", "m"], "query": ["abcdef", "zebra title", "quick fox"], "more": [1, 2, 3]}
)


class Papers(BaseDocs):
    """Papers in memory."""

    def __init__(self, papers=PAPERS):
        self.papers = papers

    def docs_iter(self):
        """In their order."""
        return iter(self.papers)

    def docs_count(self):
        """Of all."""
        return len(self.papers)

    def docs_store(self):
        """For look-ups."""
        return self

    def get_many(self, ids):
        """By id."""
        return {paper.doc_id: paper for paper in self.papers if paper.doc_id in set(ids)}


@pytest.fixture
def papers():
    """Their dataset."""
    return ir_datasets.Dataset(Papers())


class Encoder:
    """Random directions that a text's bytes decide; keeps how many texts it is asked for."""

    cache = True

    def __init__(self):
        self.asked = []

    def encode(self, texts, side):
        """A row each; queries are in another place."""
        if side == "query":
            return [1 + direction(text) for text in texts]
        self.asked.append(len(texts))
        return [direction(text) for text in texts]


def direction(text):
    """A vector of 24 dimensions."""
    return np.random.default_rng(list(text.encode())).standard_normal(24)


def expected(query, similarity="cosine", precision="float32"):
    """Ids and scores of all distinct texts, the last of equal ones, best first."""
    texts = {f"{paper.title} {paper.text}": paper.doc_id for paper in PAPERS}
    rounded = [direction(text).astype(precision).astype(float) for text in texts]
    asked = (1 + direction(query)).astype(precision).astype(float)
    scores = np.array(rounded) @ asked
    if similarity == "cosine":
        scores /= np.linalg.norm(rounded, axis=1) * np.linalg.norm(asked)
    order = np.argsort(-scores)
    return np.array(list(texts.values()))[order].tolist(), scores[order]


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("stored", ["float32", "float16"])
@pytest.mark.parametrize("block", [7, 512])
def test_the_best_of_all_documents(papers, similarity, stored, block):
    """What numpy finds among all vectors in float64, rounded as they are stored; any blocks."""
    settings = {"similarity": similarity, "stored": stored, "block": block}
    run = TextRetriever(Encoder(), papers, 20, **settings)(TOPICS)
    assert run["qid"].drop_duplicates().tolist() == ["x", "a", "m"]
    for (qid, query), own in run.groupby(["qid", "query"]):
        docnos, scores = expected(query, similarity, stored)
        assert own["docno"].tolist() == docnos[:20], qid
        np.testing.assert_allclose(own["score"], scores[:20], rtol=1e-6)
        assert own["rank"].tolist() == list(range(20))
    assert set(run["more"]) == {1, 2, 3}


def test_a_text_is_encoded_once_and_its_last_document_found(papers):
    """Of 300 papers 60 have the text of the one before, in another block or not."""
    encoder = Encoder()
    run = TextRetriever(encoder, papers, 1_000, block=100)(TOPICS.head(1))
    assert encoder.asked == [100, 100, 40]
    hidden = {paper.doc_id for paper in PAPERS[3::5]}
    assert set(run["docno"]) == {paper.doc_id for paper in PAPERS} - hidden


def test_distinct_texts_can_be_read_twice():
    """A second iteration yields the same texts, and the last document with each of them."""
    distinct_texts = DistinctTexts([PAPERS[3], PAPERS[0], PAPERS[4]], "{title}")
    for _ in range(2):
        assert list(distinct_texts) == ["Title 3", "Title 0"]
        assert distinct_texts.docnos == ["p4", "p0"]


def test_of_equal_scores_the_later_document_comes_first(papers):
    """Ties are ordered as by the reversed argsort in LitSearch's code."""
    run = TextRetriever(lambda texts: np.ones((len(texts), 2)), papers, 3)(TOPICS.head(1))
    assert run["docno"].tolist() == ["p299", "p297", "p296"]


@pytest.mark.parametrize("stored", ["float32", "float16"])
def test_results_are_ranked_again(papers, stored):
    """A document has the score that a search gives it; equal texts stay both."""
    retriever = TextRetriever(Encoder(), papers, 300, stored=stored)
    found = retriever(TOPICS).set_index(["qid", "docno"])["score"]
    results = TOPICS.merge(pd.DataFrame({"docno": ["p3", "p4", "p9", "p250"]}), how="cross")
    run = retriever(results)
    assert len(run) == len(results)
    scores = run.set_index(["qid", "docno"])["score"]
    for qid in TOPICS["qid"]:
        assert scores[qid, "p3"] == scores[qid, "p4"]
        for docno in ("p4", "p9", "p250"):
            assert scores[qid, docno] == pytest.approx(found[qid, docno], abs=1e-6)
        assert run[run["qid"] == qid]["score"].is_monotonic_decreasing


def test_progress_has_a_total(papers, capsys):
    """All documents are read."""
    TextRetriever(Encoder(), papers, verbose=True)(TOPICS)
    assert "300/300" in capsys.readouterr().err


class Ones:
    """An encoder that finds all texts alike, with vectors on disk or not."""

    def __init__(self, cache):
        self.cache = cache

    def encode(self, texts, side):
        """One and the same row each."""
        return np.ones((len(texts), 2))


def test_vectors_that_nothing_keeps_are_told_of():
    """It warns above 10,000 documents, unless the encoder has a cache."""
    many = [Paper(str(number), "", str(number)) for number in range(10_001)]
    some, all_of_them = (ir_datasets.Dataset(Papers(many[first:])) for first in (1, 0))
    with pytest.warns(UserWarning, match=r"10,001 documents of .* cache=True"):
        TextRetriever(Ones(None), all_of_them)(TOPICS)
    with warnings.catch_warnings(action="error", category=UserWarning):
        for encoder, papers in ((Ones(True), all_of_them), (Ones(None), some)):
            assert len(TextRetriever(encoder, papers, 7)(TOPICS)) == 3 * 7


@pytest.mark.parametrize(
    ("settings", "topics", "said"),
    [
        ({"num_results": 0}, TOPICS, "num_results=0"),
        ({"similarity": "l2"}, TOPICS, r"similarity='l2': expected one of 'cosine', 'dot'"),
        ({"stored": "int8"}, TOPICS, "stored='int8': expected one of"),
        ({"document": "{abstract}"}, TOPICS, "has 'abstract'; the documents have doc_id, title"),
        ({}, TOPICS.assign(query=["", "a", "b"]), "qid x"),
        ({}, TOPICS.assign(qid="1"), "Duplicate qid: 1"),
    ],
)
def test_bad_input(papers, settings, topics, said):
    """The error names the value and the options."""
    with pytest.raises(ValueError, match=said):
        TextRetriever(Encoder(), papers, **settings)(topics)


def test_a_broken_encoder(papers):
    """The error names NaN and the first text."""
    with pytest.raises(ValueError, match="NaN or infinity"):
        TextRetriever(lambda texts: np.full((len(texts), 2), np.nan), papers)(TOPICS)
