"""Papers of documents."""

import pandas as pd
import pytest

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import PaperLoader

RESULTS = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "c", "a"], "facet": "method"})


def sentences(out):
    """The sentences of each row's paper, as lists."""
    return [list(paper.sentences) for paper in out["paper"]]


def test_papers_of_a_dataset(papers, docs):
    """Each document is read once, and rows share it; one has no sentences."""
    out = PaperLoader(papers)(RESULTS)
    assert [len(own) for own in sentences(out)] == [3, 0, 3]
    assert out["paper"][0] is out["paper"][2]
    assert out["paper"][0].labels == ("background", "objective", "method")
    assert docs.asked == ["a", "c"]


def test_sentences_of_the_facet(papers):
    """Definition 1: positions of the row's facet, perhaps none; of all for the empty facet."""
    rows = RESULTS.assign(
        qid=["1", "2", "3"], docno=["a", "a", "b"], facet=["background", "", "result"]
    )
    out = PaperLoader(papers, facet_only=True)(rows)
    assert out["sentence_ids"].tolist() == [[0, 1], [0, 1, 2], []]
    assert [len(own) for own in sentences(out)] == [3, 3, 1]


def test_records_without_sentences_are_split(plain):
    """Labels are empty then; a document without text has no sentences."""
    out = PaperLoader(plain)(pd.DataFrame({"docno": ["p", "e"]}))
    assert sentences(out) == [["One tree.", "Two trees."], []]
    assert not out["paper"][0].is_labelled


def test_text_of_the_frame_is_split():
    """Without a dataset; the text may be blank."""
    out = PaperLoader()(pd.DataFrame({"docno": ["p", "e"], "text": ["A b. C d.", ""]}))
    assert out["paper"].tolist() == [Paper("p", "", ["A b.", "C d."]), Paper("e", "", [])]


def test_a_text_is_split_by_rules_or_as_nltk_does():
    """PySBD begins a sentence at each number of a list; NLTK's model does not."""
    text = "We do three things: (i) We read. (ii) We write."
    frame = pd.DataFrame({"docno": ["x"], "text": [text]})
    (by_rules,) = sentences(PaperLoader()(frame))
    (as_nltk,) = sentences(PaperLoader(splitter="nltk")(frame))
    assert as_nltk == ["We do three things: (i) We read.", "(ii) We write."]
    assert by_rules != as_nltk and " ".join(by_rules) == " ".join(as_nltk) == text
    with pytest.raises(ValueError, match="splitter='spacy'"):
        PaperLoader(splitter="spacy")


def test_own_sentences_and_labels():
    """A user's own papers, already split and labelled, take part in Definition 1."""
    labels = ["method", "result"]
    own = pd.DataFrame(
        {"docno": ["p"], "sentences": [["A.", "B."]], "labels": [labels], "facet": ["result"]}
    )
    out = PaperLoader(facet_only=True)(own)
    assert out["paper"].tolist() == [Paper("p", "", ["A.", "B."], labels)]
    assert out["sentence_ids"].tolist() == [[1]]
    # papers that are there stay, and so do positions that were chosen
    again = PaperLoader()(out[["docno", "paper", "sentence_ids"]])
    assert again["paper"][0] is out["paper"][0]
    assert again["sentence_ids"].tolist() == [[1]]


def test_the_facet_needs_labels(plain):
    """Without labels no document would keep a sentence, so it raises."""
    rows = pd.DataFrame({"docno": ["p", "e"], "facet": ["method", "method"]})
    with pytest.raises(ValueError, match="facet_only=True needs labels, and 1 of 2 rows"):
        PaperLoader(plain, facet_only=True)(rows)


def test_unknown_documents(papers):
    """The error names them, with a likely reason."""
    with pytest.raises(ValueError, match="no document z: are these rows of another collection"):
        PaperLoader(papers)(pd.DataFrame({"docno": ["a", "z"]}))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("text", float("nan"), "'text' must hold a text"),
        ("sentences", "one text", "'p' has the sentences 'one text': pass a list"),
        ("sentences", float("nan"), "'p' has the sentences nan: pass a list"),
        ("sentences", ["A.", None], "Paper 'p' has None among its sentences"),
    ],
)
def test_documents_without_text(column, value, message):
    """NaN, a text that is not split, and a sentence that is none are refused."""
    frame = pd.DataFrame({"docno": ["p"], column: [value]}, dtype=object)
    with pytest.raises(ValueError, match=message):
        PaperLoader()(frame)


def test_titles(papers):
    """Titles come from documents or a column, or are ""; `titles=False` removes all."""

    def titles(out):
        return [paper.title for paper in out["paper"]]

    assert titles(PaperLoader(papers)(RESULTS)) == ["On a", "On c", "On a"]
    assert titles(PaperLoader(papers, titles=False)(RESULTS)) == ["", "", ""]
    own = pd.DataFrame({"docno": ["x"], "text": ["One tree. Two trees."]})
    assert titles(PaperLoader()(own)) == [""]
    assert titles(PaperLoader()(own.assign(title="T"))) == ["T"]
    with pytest.raises(ValueError, match="'title' must hold a text"):
        PaperLoader()(own.assign(title=float("nan")))
