"""No edit of a column is ignored: each changes what comes out, or is refused with a remedy."""

import re
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import (
    BM25Score,
    FacetLabeller,
    FacetQuery,
    PlainText,
    SentenceMaxSim,
    Sentences,
    TextSimilarity,
    frames,
    one_encoding,
    transformers,
)

from .columns import (
    AGREEING,
    COLUMNS,
    IGNORED,
    UNREAD,
    WITH_TITLE,
    cases,
    inputs_of,
    letters_of,
    results,
    table,
)
from .test_contract import MINI

SENTENCES = ["We grow trees.", "We prune them.", "Pruned trees are small."]
LABELS = ["background", "method", "result"]


@pytest.fixture
def asked():
    """Results for a query: two of three sentences of a paper ask."""
    topic = pd.DataFrame(
        {
            "qid": ["q"],
            "query_title": "On trees",
            "query_paper_sentences": [SENTENCES],
            "query_paper_labels": [LABELS],
            "query_sentence_ids": [[2, 0]],
        }
    )
    documents = {
        "docno": ["a", "b"],
        "title": ["On axes", "On oxen"],
        "sentences": [["Trees are grown.", "Axes prune."], ["Oxen graze."]],
        "labels": [["background", "method"], ["result"]],
    }
    return Sentences()(FacetQuery()(topic).merge(pd.DataFrame(documents), how="cross"))


ISOLATED = SentenceMaxSim(letters_of, aggregate="mean")
IN_CONTEXT = SentenceMaxSim(WITH_TITLE, "title", aggregate="mean")
BY_QUERY = BM25Score(fitted_on="pool")


def repeated(frame, value):
    """A column that has the same value in each row."""
    return pd.Series([value] * len(frame), frame.index, dtype=object)


@pytest.mark.slow
def test_no_step_ignores_an_edit():
    """Every step of the package, every column that it reads or that its query has."""
    found = table()
    ignored = [key for key, effect in found.stack().items() if effect == IGNORED]
    assert ignored == []
    assert {name.partition(",")[0] for name in cases()} >= {*transformers.__all__}
    assert set(found[AGREEING]) == {"changed", UNREAD}


@pytest.mark.slow
def test_what_inspection_finds_is_what_matters():
    """A column that a step needs is one whose edit it notices."""
    found = table()
    for name, case in cases().items():
        needed = [column for column in inputs_of(case) if column in COLUMNS]
        assert UNREAD not in set(found.loc[name, needed])


@pytest.mark.slow
@pytest.mark.parametrize("name", transformers.__all__)
def test_documented_columns_are_noticed(name):
    """Each column that a step documents under "Columns in" matters in one of its forms."""
    documentation = " ".join(getattr(transformers, name).__doc__.split())
    described = re.findall(r"Columns in: (.*?)(?:Columns out|Args:|$)", documentation)
    names = {c for text in described for c in re.findall(r"(?<!`)`(\w+)`(?!`)", text)}
    settings = {field.name for field in fields(getattr(transformers, name))}
    documented = names & {*COLUMNS} - settings
    forms = [own for own in table().index if own.partition(",")[0] == name]
    noticed = {column for column in documented if set(table().loc[forms, column]) != {UNREAD}}
    assert noticed == documented


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("query_sentences", SENTENCES[2:], "2 in query_sentence_ids, 1 in query_sentences"),
        ("query_sentences", ["We climb.", SENTENCES[0]], r"'We climb.' in query_sentences\[0\]"),
        ("query_labels", ["other", LABELS[0]], r"'other' in query_labels\[0\], but 'result' in"),
        ("query_sentence_ids", [0, 2], r"query_paper_sentences\[0\], which .*ids\[0\] names"),
        ("query_sentence_ids", [2, 3], r"sentences \[2, 3\] of a paper of 3"),
        ("query_paper_sentences", SENTENCES[::-1], r"query_paper_sentences\[2\]"),
        ("query_paper_labels", LABELS[::-1], r"query_paper_labels\[2\]"),
        ("query_sentence_weights", [1.0], "1 in query_sentence_weights"),
    ],
)
@pytest.mark.parametrize("step", [ISOLATED, IN_CONTEXT, BY_QUERY], ids=["alone", "context", "text"])
def test_columns_that_disagree(asked, step, column, value, said):
    """One without the other is refused, whichever the step reads, with the query and a remedy."""
    asked = asked.assign(text="Trees.")
    step(asked)
    edited = asked.assign(**{column: repeated(asked, value)})
    if column == "query_sentence_weights" and step is BY_QUERY:
        said = r"does not use column 'query_sentence_weights'.*drop"
    with pytest.raises(ValueError, match=rf"{said}") as caught:
        step(edited)
    assert re.search("FacetQuery|one item per sentence|drop", str(caught.value))
    assert column == "query_sentence_weights" or "Query q " in str(caught.value)


def test_the_remedies_work(asked):
    """New positions and FacetQuery() behind; or no paper, which a scorer can do without."""
    edited = asked.assign(query_sentences=repeated(asked, SENTENCES[1:2]))
    with pytest.raises(ValueError, match=r"or drop \[.*\], which SentenceMaxSim.* can do without"):
        ISOLATED(edited)
    with pytest.raises(ValueError, match=r"or drop \[.*\], and FacetQuery\(\) makes query_sente"):
        IN_CONTEXT(edited)
    paper = ["query_sentence_ids", "query_title", "query_paper_sentences", "query_paper_labels"]
    alone = edited.drop(columns=[*paper, "query_labels"])
    by_ids = FacetQuery()(asked.assign(query_sentence_ids=repeated(asked, [1])))
    expected = ISOLATED(by_ids)["score"].tolist()
    assert ISOLATED(alone)["score"].tolist() == expected
    assert ISOLATED(asked)["score"].tolist() != expected
    assert len(IN_CONTEXT(FacetQuery()(alone))) == len(asked)


@pytest.mark.parametrize("step", [ISOLATED, IN_CONTEXT, BY_QUERY], ids=["alone", "context", "text"])
@pytest.mark.parametrize("column", ["query_sentences", "query_sentence_ids", "query_paper_labels"])
def test_an_edit_of_one_row(asked, step, column):
    """The rows of a query share its columns: one edited row is refused, and named by its query."""
    other = {"query_sentence_ids": [1, 0]}.get(column, ["Other.", "Others."])
    values = [*asked[column][:-1], other]
    edited = asked.assign(text="Trees.", **{column: pd.Series(values, dtype=object)})
    with pytest.raises(ValueError, match=rf"'{column}' must hold one .* qid q"):
        step(edited)


def test_equal_lists_may_be_different_objects(asked):
    """Rows from a file have lists of their own; they are the same query."""
    own = asked.map(
        lambda value: np.array(value, dtype=object) if isinstance(value, list) else value
    )
    assert IN_CONTEXT(own)["score"].tolist() == IN_CONTEXT(asked)["score"].tolist()


def test_a_rewritten_query_is_legitimate(asked):
    """Retrievers rewrite `query`; scorers of sentences do not read it, scorers of texts do."""
    rewritten = asked.assign(query="trees")
    for step in (ISOLATED, IN_CONTEXT):
        assert step(rewritten)["score"].tolist() == step(asked)["score"].tolist()
    texts = asked.merge(pd.DataFrame({"text": ["Trees.", "Oxen.", "Axes."]}), how="cross")
    texts = texts.assign(docno=texts["docno"] + texts["text"])
    one, other = (BY_QUERY(texts.assign(query=query)) for query in ("trees", "oxen"))
    assert one["docno"].tolist() != other["docno"].tolist()


def test_labels_of_a_query_are_those_of_its_paper():
    """A sentence's label depends on its neighbours: FacetLabeller reads it in its paper."""
    topic = pd.DataFrame({"qid": ["q"], "query_paper_sentences": [SENTENCES]})
    for position in range(3):
        query = FacetQuery()(topic.assign(query_sentence_ids=[[position]]))
        labelled = FacetLabeller(replace=True)(query)
        (labels,) = labelled["query_paper_labels"]
        assert labelled["query_labels"].tolist() == [[labels[position]]]
        frames.check(labelled, "step", ["query_sentences"])


def test_a_querys_own_labels_stay():
    """Labels that its sentences came with go into its paper, which had none."""
    query = FacetQuery()(
        pd.DataFrame(
            {"qid": ["q"], "query_paper_sentences": [SENTENCES], "query_sentence_ids": [[1]]}
        )
    )
    query = query.drop(columns="query_paper_labels").assign(query_labels=[["theory"]])
    labelled = FacetLabeller()(query)
    assert labelled["query_labels"].tolist() == [["theory"]]
    assert labelled["query_paper_labels"].tolist() == [["", "theory", ""]]


def test_clean_texts_agree(asked):
    """PlainText drops short sentences with all that belongs to them, on both sides."""
    cleaned = PlainText(shortest=15)(asked.assign(query_sentence_weights=repeated(asked, [1, 2])))
    row = cleaned.iloc[0]
    assert row["query_sentences"] == row["query_paper_sentences"] == [SENTENCES[2]]
    assert (row["query_sentence_ids"], row["query_sentence_weights"]) == ([0], [1])
    assert (row["sentences"], row["sentence_ids"]) == (["Trees are grown."], [0])
    assert len(IN_CONTEXT(cleaned)) == len(asked)


@pytest.mark.parametrize(
    "weights", [[], [1, -1], [0, 0], [1, float("nan")], [1, float("inf")], "ab", [1, "2"], 3]
)
def test_weights_are_numbers(asked, weights):
    """One per sentence that asks: finite, none below 0, one above."""
    with pytest.raises(ValueError, match="query_sentence_weights"):
        ISOLATED(asked.assign(query_sentence_weights=repeated(asked, weights)))


def test_weights_belong_to_the_sentences_that_ask(asked):
    """FacetQuery keeps them, if there is one for each sentence that it chooses."""
    topics = asked[["qid", "query_paper_sentences", "query_sentence_ids"]].head(1)
    kept = FacetQuery()(topics.assign(query_sentence_weights=[[3, 1]]))
    assert kept["query_sentence_weights"].tolist() == [[3, 1]]
    with pytest.raises(ValueError, match="Query q asks with 2 sentences, and has 3 weights"):
        FacetQuery()(topics.assign(query_sentence_weights=[[3, 1, 1]]))


def test_weights_that_a_scorer_would_ignore(asked):
    """Every other scorer refuses them, and says what to do."""
    weighted = asked.assign(query_sentence_weights=repeated(asked, [3.0, 1.0]))
    for step in (
        SentenceMaxSim(letters_of),
        SentenceMaxSim(letters_of, aggregate="symmetric"),
        TextSimilarity(WITH_TITLE, context="facet"),
        one_encoding([" ".join(SENTENCES), "Oxen graze."], WITH_TITLE),
    ):
        with pytest.raises(ValueError, match=r"drop it before this step .* or add it behind"):
            step(weighted)
    ranked = FacetLabeller()(weighted)
    assert "query_sentence_weights" in ranked


def test_sentences_have_ids(asked):
    """Positions in the document as it is stored, also of a facet; lists of one length."""
    whole = Sentences(MINI)(results()[["qid", "docno", "facet"]])
    part = Sentences(MINI, facet_only=True)(whole)
    for sentences, ids, row in zip(whole["sentences"], part["sentence_ids"], part["sentences"]):
        assert [sentences[position] for position in ids] == row
    assert part["sentence_ids"].tolist() != whole["sentence_ids"].tolist()
    # a second choice among the first: positions stay those of the whole
    again = Sentences(facet_only=True)(part)
    assert again["sentence_ids"].tolist() == part["sentence_ids"].tolist()
    with pytest.raises(ValueError, match=r"'sentence_ids' must hold one position per .* docno a"):
        ISOLATED(asked.assign(sentence_ids=repeated(asked, [0, 1, 2])))
