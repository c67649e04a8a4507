"""Sentences of documents."""

import pandas as pd
import pytest

from pyterrier_scholarly.transformers import Sentences

RESULTS = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "c", "a"], "facet": "method"})


def test_sentences_and_labels_of_a_dataset(papers, docs):
    """Each document is read once; one has no sentences."""
    out = Sentences(papers)(RESULTS)
    assert [len(sentences) for sentences in out["sentences"]] == [3, 0, 3]
    assert out.loc[0, "labels"] == ["background", "objective", "method"]
    assert docs.asked == ["a", "c"]


def test_sentences_of_the_facet(papers):
    """Definition 1: those of the row's facet, which may be none; all for the empty facet."""
    rows = RESULTS.assign(
        qid=["1", "2", "3"], docno=["a", "a", "b"], facet=["background", "", "result"]
    )
    out = Sentences(papers, facet_only=True)(rows)
    assert out["labels"].tolist() == [
        ["background", "objective"],
        ["background", "objective", "method"],
        [],
    ]
    assert [len(sentences) for sentences in out["sentences"]] == [2, 3, 0]


def test_records_without_sentences_are_split(plain):
    """Labels are empty then; a document without text has no sentences."""
    out = Sentences(plain)(pd.DataFrame({"docno": ["p", "e"]}))
    assert out["sentences"].tolist() == [["One tree.", "Two trees."], []]
    assert out["labels"].tolist() == [["", ""], []]


def test_text_of_the_frame_is_split():
    """Without a dataset; one text in two rows is split once."""
    out = Sentences()(
        pd.DataFrame({"docno": ["p", "q", "e"], "text": ["A b. C d.", "A b. C d.", ""]})
    )
    assert out["sentences"].tolist() == [["A b.", "C d."], ["A b.", "C d."], []]
    assert out.loc[0, "sentences"] is out.loc[1, "sentences"]


def test_a_text_is_split_by_rules_or_as_nltk_does():
    """PySBD begins a sentence at each number of a list; NLTK's model does not."""
    text = "We do three things: (i) We read. (ii) We write."
    frame = pd.DataFrame({"docno": ["x"], "text": [text]})
    by_rules = Sentences().transform(frame)["sentences"][0]
    as_nltk = Sentences(splitter="nltk").transform(frame)["sentences"][0]
    assert as_nltk == ["We do three things: (i) We read.", "(ii) We write."]
    assert by_rules != as_nltk and " ".join(by_rules) == " ".join(as_nltk) == text
    with pytest.raises(ValueError, match="splitter='spacy'"):
        Sentences(splitter="spacy")


def test_own_sentences_and_labels():
    """A user's own papers, already split and labelled, take part in Definition 1."""
    own = pd.DataFrame(
        {
            "docno": ["p"],
            "sentences": [["A.", "B."]],
            "labels": [["method", "result"]],
            "facet": ["result"],
        }
    )
    assert Sentences(facet_only=True)(own).loc[0, "sentences"] == ["B."]


def test_the_facet_needs_labels(plain):
    """Without labels no document would keep a sentence, so it raises."""
    rows = pd.DataFrame({"docno": ["p", "e"], "facet": ["method", "method"]})
    with pytest.raises(ValueError, match="facet_only=True needs labels, and 1 of 2 rows"):
        Sentences(plain, facet_only=True)(rows)


def test_unknown_documents(papers):
    """The error names them, with a likely reason."""
    with pytest.raises(ValueError, match="no document z: are these rows of another collection"):
        Sentences(papers)(pd.DataFrame({"docno": ["a", "z"]}))


@pytest.mark.parametrize(
    ("column", "value"), [("text", float("nan")), ("sentences", "one text"), ("sentences", [""])]
)
def test_documents_without_text(column, value):
    """NaN, a text and an empty sentence are refused; the error names the document."""
    frame = pd.DataFrame({"docno": ["p"], column: [value]}, dtype=object)
    with pytest.raises(ValueError, match=f"'{column}'.* docno p"):
        Sentences()(frame)


def test_a_facet_may_be_half_a_surrogate_pair():
    """It is a text as any other, of no sentence here."""
    own = pd.DataFrame({"sentences": [["A.", "B."]], "labels": [["x", "y"]]})
    own["docno"] = "p"
    own["facet"] = pd.Series(["\ud800"], dtype=object)
    assert Sentences(facet_only=True)(own).loc[0, "sentences"] == []


def test_a_title_may_be_half_a_surrogate_pair():
    """It stays, though pandas' own strings cannot hold it."""
    own = pd.DataFrame({"docno": ["p"], "text": ["One tree."]})
    own["title"] = pd.Series(["\ud800"], dtype=object)
    assert Sentences()(own)["title"].tolist() == ["\ud800"]


def test_titles(papers):
    """Titles come from documents or a column, or are ""; `titles=False` removes all."""
    assert Sentences(papers)(RESULTS)["title"].tolist() == ["On a", "On c", "On a"]
    assert Sentences(papers, titles=False)(RESULTS)["title"].tolist() == ["", "", ""]
    own = pd.DataFrame({"docno": ["x"], "text": ["One tree. Two trees."]})
    assert Sentences()(own).loc[0, "title"] == ""
    assert Sentences()(own.assign(title="T")).loc[0, "title"] == "T"
    with pytest.raises(ValueError, match=r"'title'.* docno x"):
        Sentences()(own.assign(title=float("nan")))
