"""A whole collection's sentences in an index, and documents found by them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.transformers import (
    FacetQuery,
    PaperLoader,
    Pool,
    SentenceMaxSim,
    SentenceRetriever,
    SentenceVectors,
)

AXES = {"north": (0, 1), "east": (1, 0), "northeast": (1, 1)}


def compass(texts):
    """Directions as vectors; that of no title is zero."""
    return np.array([AXES.get(text, (0, 0)) for text in texts], dtype="float32")


@dataclass(unsafe_hash=True)
class Search(pt.Transformer):
    """An exhaustive retriever over sentences, with what pyterrier_dr's would return."""

    sentences: object
    num_results: int

    def transform(self, rows):
        """The nearest sentences of each row."""
        vectors = np.stack(list(self.sentences["doc_vec"]))
        found = []
        for qid, vector in zip(rows["qid"], rows["query_vec"]):
            scores = vectors @ vector
            for place in np.argsort(-scores, kind="stable")[: self.num_results]:
                found.append((qid, self.sentences["docno"].iloc[place], scores[place]))
        return pd.DataFrame(found, columns=["qid", "docno", "score"])


@pytest.fixture
def sentences():
    """Three documents: two sentences, one sentence, none."""
    documents = pd.DataFrame(
        {"docno": ["a#1", "b", "c"], "sentences": [["north", "east"], ["northeast"], []]}
    )
    return SentenceVectors(compass)(documents)


@pytest.fixture
def topic():
    """A query of two sentences, north and east."""
    text = pd.DataFrame({"qid": ["q"], "query_sentences": [["north", "east"]]})
    return FacetQuery()(text)


def scores(retriever, topic, **options):
    """Document -> score."""
    found = SentenceRetriever(retriever, compass, **options)(topic)
    return dict(zip(found["docno"], found["score"]))


def test_sentences_are_numbered_and_of_length_one(sentences):
    """A row per sentence; a document without any has none; an id may have a # of its own."""
    assert sentences["docno"].tolist() == ["a#1#0", "a#1#1", "b#0"]
    assert sentences["sentence"].tolist() == ["north", "east", "northeast"]
    root = 1 / np.sqrt(2)
    assert np.stack(sentences["doc_vec"]) == pytest.approx(np.array([[0, 1], [1, 0], [root, root]]))


def test_a_text_is_split_and_read_after_its_title():
    """Without sentences a document's text is split; the encoder hears title and sentence."""

    class Heard:
        seen = []

        def encode_passages(self, passages):
            self.seen.extend(passages)
            return [np.eye(1 + len(passage), 3) for passage in passages]

    documents = [{"docno": "d", "title": "T", "text": "One tree. Two trees."}]
    out = SentenceVectors(Heard())(pd.DataFrame(documents))
    assert out["sentence"].tolist() == ["One tree.", "Two trees."]
    assert Heard.seen == [("T", "One tree."), ("T", "Two trees.")]
    assert np.stack(out["doc_vec"]).tolist() == [[0, 0, 1]] * 2  # the sentence's, not the whole's


def test_the_mean_of_the_best(sentences, topic):
    """a#1 has both sentences: (1 + 1) / 2; b has one between them: cos 45 degrees for each."""
    found = scores(Search(sentences, 3), topic)
    assert found == pytest.approx({"a#1": 1, "b": 1 / np.sqrt(2)})


def test_the_other_aggregates(sentences, topic):
    """The best pair of all, and the sum."""
    root = 1 / np.sqrt(2)
    assert scores(Search(sentences, 3), topic, aggregate="max") == pytest.approx(
        {"a#1": 1, "b": root}
    )
    assert scores(Search(sentences, 3), topic, aggregate="sum") == pytest.approx(
        {"a#1": 2, "b": 2 * root}
    )


def test_what_is_not_retrieved_counts_as_the_lowest_that_is(sentences):
    """For *north*, a#1 and b are found; for *northeast*, b and then one of a#1's sentences.

    With one sentence each, a#1 is found by the first alone and b by the second: what is missing is
    at most the one cosine retrieved, 1.
    """
    text = pd.DataFrame({"qid": ["q"], "query_sentences": [["north", "northeast"]]})
    topic = FacetQuery()(text)
    root = 1 / np.sqrt(2)
    exact = {"a#1": (1 + root) / 2, "b": (root + 1) / 2}
    assert scores(Search(sentences, 3), topic) == pytest.approx(exact)
    bounded = scores(Search(sentences, 1), topic)
    assert bounded == pytest.approx({"a#1": (1 + 1) / 2, "b": (1 + 1) / 2})
    assert all(bounded[document] >= exact[document] for document in exact)


def test_the_query_paper_is_left_out(sentences, topic):
    """No paper is retrieved for itself."""
    found = SentenceRetriever(Search(sentences, 3), compass)(topic.assign(query_docno="b"))
    assert found["docno"].tolist() == ["a#1"]


def test_the_cut_is_on_documents(sentences, topic):
    """`num_results` documents, the best, ranked from 0."""
    found = SentenceRetriever(Search(sentences, 3), compass, num_results=1)(topic)
    assert found[["docno", "rank"]].values.tolist() == [["a#1", 0]]


def test_nothing_found_is_zero_rows(sentences, topic):
    """A retriever that finds nothing gives a frame with the usual columns."""
    found = SentenceRetriever(Search(sentences, 0), compass)(topic)
    assert len(found) == 0
    assert {"qid", "docno", "score", "rank"} <= set(found.columns)


def test_results_are_refused(sentences, topic):
    """A frame of candidates needs a scorer; the error names one."""
    with pytest.raises(pt.validate.InputValidationError, match="SentenceMaxSim"):
        SentenceRetriever(Search(sentences, 3), compass)(topic.assign(docno="b"))


@pytest.fixture
def index(tmp_path):
    """A function that puts the sentences of a collection into a FlexIndex."""
    flex = pytest.importorskip("pyterrier_dr").FlexIndex

    def build(collection, encoder, context):
        target = flex(str(tmp_path / "sentences.flex"), verbose=False)
        documents = pt.get_dataset(f"irds:{collection}").get_corpus_iter(verbose=False)
        (SentenceVectors(encoder, context) >> target.indexer()).index(documents)
        return target

    return build


def agree(one, other, pairs):
    """Scores of two rankings are the same for all of so many pairs."""
    both = one.merge(other, on=["qid", "docno"])
    assert len(both) == pairs
    assert both["score_x"].to_numpy() == pytest.approx(both["score_y"].to_numpy(), abs=1e-5)


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["np_retriever", "torch_retriever"])
def test_all_sentences_of_a_flex_index_are_max_sim_itself(mini, index, kind):
    """All retrieved, in the context of the title: scores of `SentenceMaxSim` on the pools."""
    encoder, topics = LSA("scholarly-mini"), pt.get_dataset(f"irds:{mini}").get_topics("query")
    sentences = index("scholarly-mini", encoder, "title")
    retriever = getattr(sentences, kind)(num_results=10_000)
    first = FacetQuery(mini) >> SentenceRetriever(retriever, encoder)
    papers = Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini)
    exact = (papers >> SentenceMaxSim(encoder, "title", aggregate="mean"))(topics)
    agree(first(topics), exact, len(exact))
    restricted = (first >> Pool(mini).restrict())(topics)
    assert len(restricted) == len(exact)


@pytest.mark.torch
@pytest.mark.slow
def test_csfcubes_abstracts(csfcube_home, index):
    """4,205 abstracts, isolated sentences, all retrieved: scores of `SentenceMaxSim` on the pool.

    With 1,000 sentences for each of the query's, scores are upper bounds.
    """
    encoder, facets = LSA("csfcube"), "csfcube/all"
    topics = pt.get_dataset(f"irds:{facets}").get_topics("query").head(4)
    sentences = index("csfcube", encoder, "sentence")

    def first(found):
        retriever = sentences.np_retriever(num_results=found)
        search = SentenceRetriever(retriever, encoder, "sentence", num_results=5_000)
        return (FacetQuery(facets) >> search)(topics)

    candidates = Pool(facets) >> FacetQuery(facets) >> PaperLoader(facets)
    exact = (candidates >> SentenceMaxSim(encoder, aggregate="mean"))(topics)
    agree(first(len(sentences)), exact, len(exact))
    both = first(1_000).merge(exact, on=["qid", "docno"])
    assert set(both["qid"]) == set(topics["qid"]) and len(both) > len(exact) / 2
    assert (both["score_x"] >= both["score_y"] - 1e-5).all()
