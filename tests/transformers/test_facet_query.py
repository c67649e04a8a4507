"""What a query asks with, in each of its ways, and what is refused."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.formats import BaseQueries, GenericQuery

from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.paper import Paper
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


def ask(transformer, **columns):
    """The row of one topic."""
    return transformer(pd.DataFrame({"qid": ["q1"], **columns})).iloc[0]


def sentences_of(row):
    """The sentences that ask."""
    return [row["query_paper"].sentences[place] for place in row["query_sentence_ids"]]


def test_a_query_of_the_dataset(papers):
    """By its id: the whole paper, the positions of the facet's sentences, and their text."""
    row = ask(FacetQuery(papers))
    labels = ("background", "objective", "method")
    assert row["query_paper"] == Paper("a", "On a", (SLOW, HURRY, PRUNED), labels)
    assert row["query_sentence_ids"] == [0, 1]
    assert (row["query_docno"], row["facet"]) == ("a", "background")
    assert row["query"] == f"{SLOW} {HURRY}"


def test_a_paper_of_ones_own():
    """A facet of it by its labels, or sentences by positions; the parameter goes before both."""
    paper = Paper("", "Mine", ["I.", "We.", "They."], ["method", "result", "method"])
    frame = pd.DataFrame({"qid": ["x"], "query_paper": [paper], "facet": ["method"]})
    row = FacetQuery()(frame).iloc[0]
    assert row["query_paper"] is paper
    assert (row["query"], row["query_sentence_ids"]) == ("I. They.", [0, 2])
    chosen = frame.assign(query_sentence_ids=[[1]])
    assert FacetQuery()(chosen).loc[0, "query"] == "We."
    assert FacetQuery(facet="method")(chosen).loc[0, "query"] == "I. They."
    unlabelled = frame.assign(query_paper=[Paper("", "Mine", ["I.", "We.", "They."])])
    assert FacetQuery()(unlabelled).loc[0, "query"] == "I. We. They."


def test_asking_twice_asks_the_same(papers, topics):
    """A second step takes the sentences that the first chose, from the paper that it read."""
    once = FacetQuery(papers)(topics)
    for again in (FacetQuery(papers), FacetQuery()):
        pd.testing.assert_frame_equal(again(once), once)


def test_the_parameter_goes_before_the_query_and_the_column(papers):
    """The same paper, another facet."""
    step = FacetQuery(papers, facet="method")
    assert ask(step)["query"] == PRUNED
    assert ask(step, query_docno=["a"], facet=["result"])["query"] == PRUNED


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
    row = ask(FacetQuery(papers), query_docno=["a"], **columns)
    assert sentences_of(row) == sentences
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
    assert (
        full.apply(sentences_of, axis=1).map(tuple).tolist() == topics["query_sentences"].tolist()
    )


def test_own_sentences():
    """Without labels all sentences are taken, whatever the facet."""
    row = ask(FacetQuery(facet="method"), query_sentences=[["One.", "Two."]])
    assert row["query_paper"] == Paper("", "", ("One.", "Two."))
    assert (row["query"], row["facet"], row["query_docno"]) == ("One. Two.", "method", "")


def test_own_labelled_sentences():
    """With labels, those of the facet; the objective belongs to the background."""
    row = ask(
        FacetQuery(),
        query_sentences=[["One.", "Two.", "Three."]],
        query_labels=[["objective", "method", "background"]],
        query_title=["Three"],
        facet=["background"],
    )
    assert sentences_of(row) == ["One.", "Three."]
    assert row["query_paper"].title == "Three"


def test_own_text_is_split():
    """And positions choose among its sentences."""
    text = {"query_text": ["One tree. Two trees. Three."]}
    assert sentences_of(ask(FacetQuery(), **text)) == ["One tree.", "Two trees.", "Three."]
    assert ask(FacetQuery(), query_sentence_ids=[[1]], **text)["query"] == "Two trees."


def test_rows_of_results_share_their_query(papers):
    """Behind a pool the other columns pass through, and each row gets its query."""
    results = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["b", "c"], "score": [2.0, 1.0]})
    out = FacetQuery(papers)(results)
    assert out[["docno", "score"]].equals(results[["docno", "score"]])
    assert out.loc[0, "query_paper"] is out.loc[1, "query_paper"]


def test_rows_of_a_query_name_one_paper(papers):
    """Two papers for one query are refused, and so are two titles of an own text."""
    results = pd.DataFrame({"qid": ["q", "q"], "docno": ["b", "c"]})
    with pytest.raises(ValueError, match=r"'query_docno' must hold one value .* qid q"):
        FacetQuery(papers)(results.assign(query_docno=["a", "b"]))
    with pytest.raises(ValueError, match=r"'query_title' must hold one value .* qid q"):
        FacetQuery()(results.assign(query="A text.", query_title=["One", "Another"]))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": ["q7"]}, r"'q7' is no query of .*1 queries, such as q1.*'query_docno'"),
        ({"query_docno": ["z"]}, "no document z"),
        ({"query_docno": ["a"], "facet": ["result"]}, r"q1 \(a\).*'result'.*background, method\."),
        ({"query_docno": ["a"], "facet": ["methods"]}, "'methods'.*Facets are background, method"),
        ({"query_docno": ["c"]}, r"q1 \(c\) has no sentence.*it has no sentences\. Leave"),
        ({"query_docno": ["a"], "query_sentence_ids": [[3]]}, r"q1 .* at \[3\], but .* 'a' has 3"),
        ({"query_docno": ["a"], "query_sentence_ids": [[]]}, "q1 .* at least one position"),
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
        ({"query_text": [float("nan")]}, "'query_text' must hold a text"),
        ({"query_title": [None], "query": ["A text."]}, "'query_title' must hold a text"),
        ({"query_text": [" "]}, "q1 .*has no sentences"),
        ({"query_sentences": [[]]}, "q1 .*has no sentences"),
        ({"query_sentences": ["not split"]}, "Query q1: .*'not split': pass a list"),
        ({"query_sentences": [float("nan")]}, "Query q1: .* the sentences nan: pass a list"),
        ({"query_sentences": [["One."]], "query_labels": [["a", "b"]]}, "1 sentences and 2 labels"),
    ],
)
def test_own_text_that_is_not_there(columns, message):
    """NaN, blanks, empty lists, texts and wrong labels are refused."""
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
    """Whoever edits the positions of a frame in place edits that frame only."""
    step = FacetQuery(papers)
    step(topics).loc[0, "query_sentence_ids"].append(2)
    assert step(topics).loc[0, "query_sentence_ids"] == [0, 1]


def test_papers_of_an_overwritten_collection_are_read_anew(tmp_path, monkeypatch):
    """The same step, after the collection's folder was overwritten, has the new sentences."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    topics = pd.DataFrame({"qid": ["1"], "query_docno": ["a"]})

    def write(text):
        docs = [{"doc_id": "a", "title": "T", "text": text}]
        write_collection("ours", docs, description="D", licence="CC0", overwrite=True)

    write("One tree. Two trees.")
    step = FacetQuery("made/ours")
    assert sentences_of(step(topics).iloc[0]) == ["One tree.", "Two trees."]
    write("Three trees.")
    assert sentences_of(step(topics).iloc[0]) == ["Three trees."]
