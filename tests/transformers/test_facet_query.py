"""What a query asks with, in each of its ways, and what is refused."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.formats import BaseQueries, GenericQuery

from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.transformers import FacetQuery

SLOW, HURRY = "Trees are slow.", "We hurry them."
PRUNED = "Pruned trees are compared with trees of all depths."


class Queries(BaseQueries):
    """Queries in memory."""

    def __init__(self, *records):
        self.records = records

    def queries_iter(self):
        """All records."""
        return iter(self.records)


def asked(transformer, **columns):
    """The added columns for one topic, as a dict."""
    row = transformer(pd.DataFrame({"qid": ["q1"], **columns})).iloc[0].to_dict()
    return {name: row[name] for name in row if name != "qid" and name not in columns}


def test_a_query_of_the_dataset(papers):
    """By its id: the paper's sentences of the facet, with their labels, and their text."""
    found = asked(FacetQuery(papers))
    assert {name: found[name] for name in list(found)[:5]} == {
        "query_docno": "a",
        "facet": "background",
        "query_sentences": [SLOW, HURRY],
        "query_labels": ["background", "objective"],
        "query": f"{SLOW} {HURRY}",
    }


def test_the_whole_paper_comes_along(papers, topics):
    """Title, sentences, labels; the positions are those of the sentences that ask."""
    row = FacetQuery(papers)(topics).iloc[0]
    assert row["query_title"] == "On a"
    assert row["query_paper_sentences"] == [SLOW, HURRY, PRUNED]
    assert row["query_paper_labels"] == ["background", "objective", "method"]
    assert row["query_sentence_ids"] == [0, 1]


def test_a_paper_of_ones_own():
    """A facet of it by its labels, or sentences by positions; the parameter goes before both."""
    own = {"query_title": ["Mine"], "query_paper_sentences": [["I.", "We.", "They."]]}
    labels = {"query_paper_labels": [["method", "result", "method"]]}
    frame = pd.DataFrame({"qid": ["x"], **own, **labels, "facet": ["method"]})
    row = FacetQuery()(frame).iloc[0]
    assert (row["query"], row["query_sentence_ids"]) == ("I. They.", [0, 2])
    assert (row["query_title"], row["query_paper_sentences"]) == ("Mine", ["I.", "We.", "They."])
    chosen = frame.assign(query_sentence_ids=[[1]])
    assert FacetQuery()(chosen).loc[0, "query"] == "We."
    assert FacetQuery(facet="method")(chosen).loc[0, "query"] == "I. They."
    assert FacetQuery()(pd.DataFrame({"qid": ["x"], **own})).loc[0, "query"] == "I. We. They."


def test_asking_twice_asks_the_same(papers, topics):
    """A second step takes the sentences that the first chose, from the paper that it read."""
    once = FacetQuery(papers)(topics)
    for again in (FacetQuery(papers), FacetQuery()):
        pd.testing.assert_frame_equal(again(once), once)


def test_a_paper_and_sentences_without_positions():
    """Sentences are not searched for in the paper; the error names the column to add."""
    own = {"query_paper_sentences": [["I.", "We."]], "query_sentences": [["We."]]}
    with pytest.raises(ValueError, match="add a column query_sentence_ids"):
        FacetQuery()(pd.DataFrame({"qid": ["x"], **own}))


def test_the_parameter_goes_before_the_query_and_the_column(papers):
    """The same paper, another facet."""
    assert asked(FacetQuery(papers, facet="method"))["query_sentences"] == [PRUNED]
    chosen = asked(FacetQuery(papers, facet="method"), query_docno=["a"], facet=["result"])
    assert chosen["query_sentences"] == [PRUNED]


@pytest.mark.parametrize(
    ("columns", "sentences", "facet"),
    [
        ({"facet": ["method"]}, [PRUNED], "method"),
        ({"facet": ["objective"]}, [HURRY], "objective"),
        ({"query_sentence_ids": [[2, 0]]}, [PRUNED, SLOW], ""),
        ({}, [SLOW, HURRY, PRUNED], ""),
    ],
)
def test_any_paper(papers, columns, sentences, facet):
    """By facet or label (Definition 1), by positions in their order (Definition 2), or whole."""
    row = FacetQuery(papers)(pd.DataFrame({"qid": ["x"], "query_docno": ["a"], **columns})).iloc[0]
    assert row["query_sentences"] == sentences
    assert row["facet"] == facet


def test_positions_for_some_queries_only(papers):
    """Without positions (None, or NaN from `pd.concat`), the facet decides."""
    by_facet = pd.DataFrame({"qid": ["x"], "query_docno": ["a"], "facet": ["method"]})
    by_position = pd.DataFrame({"qid": ["y"], "query_docno": ["a"], "query_sentence_ids": [[1]]})
    out = FacetQuery(papers)(pd.concat([by_facet, by_position.assign(facet="")]))
    assert out["query"].tolist() == [PRUNED, HURRY]


def test_ids_of_a_collection_without_queries(documents_only):
    """Ids name paper and facet; with the parameter, a paper is enough."""
    topics = pd.DataFrame({"qid": ["a_method"]})
    assert FacetQuery(documents_only)(topics).loc[0, "query"] == PRUNED
    topics = pd.DataFrame({"qid": ["a"]})
    assert FacetQuery(documents_only, facet="method")(topics).loc[0, "query"] == PRUNED


def test_the_bare_collection_splits_ids(mini):
    """`scholarly-mini` gives the queries that `scholarly-mini/all` has under the same ids."""
    topics = pt.get_dataset(f"irds:{mini}").get_topics("query")
    added = FacetQuery("scholarly-mini")(topics[["qid"]])
    assert added["query"].tolist() == topics["query"].tolist()


def test_topics_of_the_dataset_with_all_their_columns(mini):
    """`get_topics()` brings a column query_sentences of its own: the dataset still decides."""
    topics = pt.get_dataset(f"irds:{mini}").get_topics()
    full, bare = FacetQuery(mini)(topics), FacetQuery(mini)(topics[["qid"]])
    pd.testing.assert_frame_equal(full[bare.columns], bare)
    assert full["query_sentences"].map(tuple).tolist() == topics["query_sentences"].tolist()


def test_own_sentences():
    """Without labels all sentences are taken, whatever the facet."""
    own = asked(FacetQuery(facet="method"), query_sentences=[["One.", "Two."]])
    assert {name: own[name] for name in list(own)[:4]} == {
        "query_docno": "",
        "facet": "method",
        "query_labels": ["", ""],
        "query": "One. Two.",
    }


def test_own_labelled_sentences():
    """With labels, those of the facet; the objective belongs to the background."""
    columns = {
        "query_sentences": [["One.", "Two.", "Three."]],
        "query_labels": [["objective", "method", "background"]],
        "facet": ["background"],
    }
    frame = FacetQuery()(pd.DataFrame({"qid": ["x"], **columns}))
    assert frame.loc[0, "query_sentences"] == ["One.", "Three."]
    assert frame.loc[0, "query_labels"] == ["objective", "background"]


def test_own_text_is_split():
    """And positions choose among its sentences."""
    text = {"query_text": ["One tree. Two trees. Three."]}
    assert asked(FacetQuery(), **text)["query_sentences"] == ["One tree.", "Two trees.", "Three."]
    assert asked(FacetQuery(), query_sentence_ids=[[1]], **text)["query"] == "Two trees."


def test_rows_of_results_share_their_query(papers):
    """Behind a pool the other columns pass through, and each row gets its query."""
    results = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["b", "c"], "score": [2.0, 1.0]})
    out = FacetQuery(papers)(results)
    assert out[["docno", "score"]].equals(results[["docno", "score"]])
    assert out.loc[0, "query_sentences"] is out.loc[1, "query_sentences"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": ["q7"]}, r"'q7' is no query of .*1 queries, such as q1.*'query_docno'"),
        ({"query_docno": ["z"]}, "no document z"),
        ({"query_docno": ["a"], "facet": ["result"]}, r"q1 \(a\).*'result'.*background, method\."),
        ({"query_docno": ["a"], "facet": ["methods"]}, "'methods'.*Facets are background, method"),
        ({"query_docno": ["c"]}, r"q1 \(c\) has no sentence.*it has no sentences\. Leave"),
        ({"query_docno": ["a"], "query_sentence_ids": [[3]]}, "no sentence at .3.: there are 3"),
        ({"query_docno": ["a"], "query_sentence_ids": [[]]}, "has no sentence"),
        ({"qid": ["q1", "q1"]}, "Duplicate qid: q1"),
    ],
)
def test_what_the_dataset_does_not_have(papers, columns, message):
    """Each error names the query, what was asked for, and what there is."""
    with pytest.raises(ValueError, match=message):
        FacetQuery(papers)(pd.DataFrame({"qid": ["q1"]} | columns))


def test_queries_that_are_no_papers(docs):
    """For queries that are texts, the error says to pass them in a column."""
    asks = ir_datasets.Dataset(docs, Queries(GenericQuery("q1", "what prunes trees?")))
    with pytest.raises(ValueError, match=r"no facets of papers.*'query_text'"):
        FacetQuery(asks)(pd.DataFrame({"qid": ["q1"]}))


def test_an_id_without_a_facet(documents_only):
    """The error says how ids are read, and how to pass the facet."""
    with pytest.raises(ValueError, match=r"<paper>_<facet>.*facet='method'.*'a'"):
        FacetQuery(documents_only)(pd.DataFrame({"qid": ["a"]}))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"query_text": [float("nan")]}, "'query_text'.* q1"),
        ({"query_text": [" "]}, "'query_text'.* q1"),
        ({"query_sentences": [[]]}, "'query_sentences'.* q1"),
        ({"query_sentences": ["not split"]}, "'query_sentences'.* q1"),
        ({"query_sentences": [["One."]], "query_labels": [["a", "b"]]}, "one label per.* q1"),
    ],
)
def test_own_text_that_is_not_there(columns, message):
    """NaN, blanks, empty lists, texts and wrong labels are refused; the query is named."""
    with pytest.raises(ValueError, match=message):
        FacetQuery()(pd.DataFrame({"qid": ["q1"], **columns}, dtype=object))


def test_neither_dataset_nor_text():
    """The error names the missing columns, and a dataset as the remedy."""
    with pytest.raises(pt.validate.InputValidationError, match=r"a dataset.*query_sentences"):
        FacetQuery()(pd.DataFrame({"qid": ["q1"]}))


def test_a_paper_is_read_once(papers, docs):
    """A second call of a step asks the dataset only for papers that the first did not read."""
    step = FacetQuery(papers)
    topics = pd.DataFrame({"qid": ["x", "y", "z"], "query_docno": ["a", "b", "a"], "facet": ""})
    first = step(topics)
    assert docs.asked == ["a", "b"]
    pd.testing.assert_frame_equal(step(topics), first)
    assert docs.asked == ["a", "b"]


def test_an_edited_list_changes_no_later_call(papers, topics):
    """Whoever edits the lists of a frame in place edits that frame only."""
    step = FacetQuery(papers)
    edited = step(topics)
    for column in ("query_sentences", "query_paper_sentences", "query_paper_labels"):
        edited.loc[0, column].append("!")
    assert step(topics).loc[0, "query_paper_sentences"] == [SLOW, HURRY, PRUNED]
    assert len(step(topics).loc[0, "query_paper_labels"]) == 3


def test_papers_of_an_overwritten_collection_are_read_anew(tmp_path, monkeypatch):
    """The same step, after the collection's folder was overwritten, has the new sentences."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    topics = pd.DataFrame({"qid": ["1"], "query_docno": ["a"]})

    def write(text):
        docs = [{"doc_id": "a", "title": "T", "text": text}]
        write_collection("ours", docs, description="D", licence="CC0", overwrite=True)

    write("One tree. Two trees.")
    step = FacetQuery("made/ours")
    assert step(topics).loc[0, "query_sentences"] == ["One tree.", "Two trees."]
    write("Three trees.")
    assert step(topics).loc[0, "query_sentences"] == ["Three trees."]
