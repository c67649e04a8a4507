"""What every public transformer guarantees; new ones are tested without further work.

A transformer takes a dataset as field `dataset` or as its first argument, an encoder as field
`encoder`, one of tokens or a model of documents as `model`, a scorer of pairs as `scorer`, two
scorers as `scorers`, a chat client as `client`, a corpus graph as `graph`, or has a default for
each setting. Its columns are those that inspection finds, and its documentation names them.
"""

import re
import unittest
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from inspect import signature
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, TfIdfModel, transformers
from pyterrier_scholarly.chat import Reply
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.step import Step, ranked
from pyterrier_scholarly.transformers import (
    CrossEncoderScore,
    FacetLabeller,
    FacetQuery,
    PaperLoader,
    PlainText,
    Pool,
    SentenceMaxSim,
    SentenceTransport,
    TextSimilarity,
)

MINI = "scholarly-mini/all"


class Letters:
    """An encoder of tokens, which are letters."""

    def encode_tokens(self, texts, side):
        """A vector for each letter."""
        return [np.array([[ord(letter), 100] for letter in text]) for text in texts]

    def __repr__(self):
        return "LETTERS"


class First:
    """A chat client that ranks the first candidate first."""

    def request(self, messages, **options):
        """As it is."""
        return {"messages": messages, **options}

    def reply(self, request):
        """An order."""
        return Reply("[1]")

    def __repr__(self):
        return "FIRST"


class Nothing:
    """A corpus graph without edges."""

    def neighbours(self, docid, weights=False):
        """None."""
        return []

    def __repr__(self):
        return "NOTHING"


LETTERS, FIRST, NOTHING = Letters(), First(), Nothing()


def lengths(texts):
    """An encoder that needs no fit."""
    return np.array([[len(text), 1] for text in texts])


class Common:
    """The number of letters that two texts share; it stands in for a cross-encoder."""

    def __call__(self, pairs):
        """A number per pair."""
        return [len(set(one) & set(other)) for one, other in pairs]

    def __repr__(self):
        return "common"


common = Common()


@dataclass(unsafe_hash=True)
class Everything(pt.Transformer):
    """A retriever of sentences that finds the same two for every vector."""

    def transform(self, rows):
        """Two sentences of one document."""
        found = pd.DataFrame({"docno": ["d#0", "d#1"], "score": [0.5, 0.25]})
        return rows.merge(found, how="cross")


class ByName(Step):
    """A scorer that needs no more than ids."""

    def transform(self, results):
        """Score by the length of the id."""
        results = self.check(results, ["qid", "docno"])
        return ranked(results.assign(score=results["docno"].map(len)))


def public(name, dataset=MINI):
    """The transformer of that name, over a dataset (the embedded one) or with its encoder."""
    cls = getattr(transformers, name)
    known = {field.name for field in fields(cls)}
    given = {
        "dataset": dataset,
        "encoder": LSA(dataset),
        "client": FIRST,
        "graph": NOTHING,
        "model": LETTERS,
        "retriever": Everything(),
        "scorer": common,
        "scorers": (ByName(), ByName()),
        "weights": (1.0, -0.5),
    }
    if name in OF_DOCUMENTS:
        given["model"] = TfIdfModel(dataset)
    settings = {name: value for name, value in given.items() if name in known}
    if settings or not requires_argument(cls):
        return cls(**settings)
    return cls(dataset)


def requires_argument(cls):
    """Whether a transformer has a setting without a default."""
    try:
        signature(cls).bind()
    except TypeError:
        return True
    return False


OF_DOCUMENTS = {"DocumentRetriever", "DocumentSimilarity"}


def own_texts():
    """Texts of columns, on both sides."""
    return TextSimilarity(LSA(MINI), query="{facet} {query_title}", document="{title}")


EXAMPLES = {name: lambda name=name: public(name) for name in transformers.__all__}
MORE = {
    "FacetQuery, own text": FacetQuery,
    "Pool.restrict": lambda: Pool(MINI).restrict(),
    "Pool.restrict, append": lambda: Pool(MINI).restrict(missing="append"),
    "PaperLoader, own": PaperLoader,
    "PaperLoader of the facet": lambda: PaperLoader(MINI, facet_only=True),
    "SentenceMaxSim, function": lambda: SentenceMaxSim(lengths, aggregate="mean"),
    "TextSimilarity, own": own_texts,
    "CrossEncoderScore, function": lambda: CrossEncoderScore(common, sentences=True),
    "PlainText, own": PlainText,
    "SentenceTransport, function": lambda: SentenceTransport(lengths, method="single"),
}
EVERY = pytest.mark.parametrize(
    "make", [*EXAMPLES.values(), *MORE.values()], ids=[*EXAMPLES, *MORE]
)


@pytest.fixture
def full(mini):
    """Results with every column of the data model, for three queries."""
    return full_example(mini)


@lru_cache
def full_example(mini):
    """Return these results, without a fixture."""
    qids = [query.query_id for query in pt.get_dataset(f"irds:{mini}").irds_ref().queries_iter()]
    papers = Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini)
    results = papers(pd.DataFrame({"qid": qids[:3]}))
    features = [np.array([2.0, 1.0])] * len(results)
    texts = {
        "text": [" ".join(paper.sentences) for paper in results["paper"]],
        "title": [paper.title for paper in results["paper"]],
        "query_title": [paper.title for paper in results["query_paper"]],
    }
    return results.assign(score=1.0, features=features, **texts)


def input_of(transformer, full):
    """Results, or the topics of them for a transformer that refuses documents."""
    try:
        pt.inspect.transformer_outputs(transformer, list(full.columns))
    except pt.validate.InputValidationError:
        documents = ["docno", "paper", "title", "text", "features", "score", "rank"]
        return full.drop_duplicates("qid").drop(columns=documents)
    return full


def documented(cls):
    """Return the quoted names in a transformer's documentation, and in those it refers to."""
    names = set(QUOTED.findall(cls.__doc__))
    referred = [getattr(transformers, name) for name in names & {*transformers.__all__}]
    return names.union(*(QUOTED.findall(other.__doc__) for other in referred))


QUOTED = re.compile(r"[`\"](\w+)[`\"]")


def only(frame, columns):
    """Return these columns of results; each topic or document once, if they lack the other id."""
    ids = [name for name in ("qid", "docno") if name in columns] or ["docno"]
    return frame.drop_duplicates(ids)[columns]


@EVERY
def test_columns_are_the_documented_ones(make, full):
    """The columns that inspection finds are enough, and documented; so are those that come out."""
    transformer = make()
    frame = input_of(transformer, full)
    (needed,) = pt.inspect.transformer_inputs(transformer)
    out = transformer(only(frame, needed))
    assert list(out.columns) == pt.inspect.transformer_outputs(transformer, needed)
    assert list(transformer(frame).columns) == pt.inspect.transformer_outputs(
        transformer, list(frame.columns)
    )

    template = getattr(transformer, "query", "") + getattr(transformer, "document", "")
    fields_of_template = set(re.findall(r"{(\w+)}", template))
    assert {*needed, *out.columns} <= documented(type(transformer)) | fields_of_template


@EVERY
def test_a_missing_column_is_named_with_a_remedy(make, full):
    """By PyTerrier's own error, before anything runs; the remedy says what adds the column."""
    transformer = make()
    frame = input_of(transformer, full)
    (needed,) = pt.inspect.transformer_inputs(transformer)
    for column in needed:
        with pytest.raises(pt.validate.InputValidationError, match=column) as caught:
            transformer(only(frame, needed).drop(columns=column))
        if column in ADDED_BY_STEPS:
            assert re.search(r"(Put|Pass|Load|pass|use) \S+", str(caught.value))


ADDED_BY_STEPS = ("docno", "paper", "query_paper", "query_sentence_ids", "facet", "score", "text")


@EVERY
def test_zero_rows_are_ordinary(make, full):
    """Zero rows in, zero rows out, with the columns that rows would have."""
    transformer = make()
    frame = input_of(transformer, full)
    empty = transformer(frame.iloc[:0])
    assert len(empty) == 0
    assert list(empty.columns) == list(transformer(frame).columns)


@EVERY
def test_the_input_stays_as_it_is(make, full):
    """Neither the frame nor a list in it is changed; ranked rows have a new index."""
    transformer = make()
    frame = input_of(transformer, full)
    frame = frame.set_axis([f"row {number}" for number in range(len(frame))])
    # a copy of the frame alone would have the same lists
    before = frame.map(copy_list).astype(frame.dtypes)
    out = transformer(frame)
    pd.testing.assert_frame_equal(frame, before)
    keeps_rows = isinstance(transformer, (FacetQuery, PaperLoader, PlainText, FacetLabeller))
    assert list(out.index) == (list(frame.index) if keeps_rows else list(range(len(out))))


def copy_list(value):
    """A copy of a list or an array; papers cannot be changed."""
    return value.copy() if isinstance(value, (list, np.ndarray)) else value


@EVERY
def test_equal_twins(make):
    """Equal settings give equal objects and hashes; changing a parameter makes them differ."""
    one, two = make(), make()
    assert one == two
    assert hash(one) == hash(two)
    for name in [field.name for field in fields(one) if field.compare]:
        two = make()
        vars(two)[name] = "scholarly-mini/method"  # unchecked, because few settings take a text
        assert two.get_parameter(name) == "scholarly-mini/method"
        assert one != two


@EVERY
def test_a_tree_plan_runs_twins_once(make, full):
    """Two systems that begin with equal steps share their work, and that of the step behind."""
    frame, runs = input_of(make(), full), []
    results = pt.apply.generic(
        lambda _: runs.append(1) or full, transform_outputs=lambda _: list(full.columns)
    )
    systems = [make() >> results % 5, make() >> results % 6]
    qrels = full[["qid", "docno"]].assign(label=1)
    pt.Experiment(systems, frame, qrels, ["map"], plan="tree", validate="ignore")
    assert len(runs) == 1


@pytest.mark.parametrize(
    "make", [value for name, value in [*EXAMPLES.items(), *MORE.items()] if "function" not in name]
)
def test_repr_can_be_pasted_back(make):
    """The repr evaluates to an equal transformer, and omits defaults."""
    made = make()
    assert eval(repr(made), {**vars(transformers), **globals()}) == made
    same = [field.name for field in fields(made) if getattr(made, field.name) is field.default]
    assert [name for name in same if f"{name}=" in repr(made)] == []


@EVERY
def test_drawing_needs_no_network(make, monkeypatch):
    """PyTerrier's own test case passes, labels are short, nobody asks PyTerrier's website."""
    monkeypatch.setenv("PT_TEST_TRANSFORMER_REPORTS", "0")
    monkeypatch.setattr(pt.documentation, "objects_inv", lambda: pytest.fail("asked the network"))
    case = pt.testing.transformer_test_class(make)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun > 0
    assert result.wasSuccessful(), result.failures + result.errors


@EVERY
def test_encoders_are_no_steps(make):
    """A pipeline shows our transformers without their encoders, but a sum with its scorers."""
    assert {*pt.inspect.subtransformers(make())} <= {"scorers"}


def test_verbose_takes_no_part():
    """A progress bar is no setting."""
    assert SentenceMaxSim(lengths, verbose=True) == SentenceMaxSim(lengths)


IDS = ("qid", "docno", "query_docno")
NO_IDS = {"7 (int)": 7, "None (NoneType)": None, "nan (float)": float("nan"), "[1] (list)": [1]}


def with_value(frame, column, value):
    """A copy of `frame` whose last row has another value in `column`."""
    return frame.assign(**{column: pd.Series([*frame[column][:-1], value], frame.index, object)})


def refused(transformer, frame, *parts):
    """Whether the frame is refused with an error that has these parts, and stays as it is."""
    before = frame.copy()
    with pytest.raises(ValueError) as caught:
        transformer(frame)
    pd.testing.assert_frame_equal(frame, before)
    return all(part in str(caught.value) for part in parts)


@EVERY
def test_ids_are_texts(make, full):
    """Ids of other types are refused; the error names column, value and remedy."""
    transformer = make()
    frame = input_of(transformer, full)
    present = [column for column in IDS if column in frame]
    for column, (named, value) in product(present, NO_IDS.items()):
        bad = with_value(frame, column, value)
        assert refused(transformer, bad, f"{column!r} must hold texts", named, ".astype(")


@EVERY
def test_a_document_is_once_in_a_query(make, full):
    """Neither a document twice in results, nor a query twice in topics."""
    frame = input_of(make(), full)
    assert refused(make(), pd.concat([frame, frame.tail(1)]), frame["qid"].iloc[-1], "drop_dupl")


@EVERY
def test_any_kind_of_column_and_index(make, full):
    """Categories, PyArrow's texts and an index with a column's name change nothing."""
    frame = input_of(make(), full)
    expected = make()(frame).reset_index(drop=True)
    texts = [name for name in ("qid", "docno", "query_docno", "query", "facet") if name in frame]
    for dtype in ("category", "string[pyarrow]", pd.ArrowDtype(pa.string())):
        out = make()(frame.astype(dict.fromkeys(texts, dtype))).reset_index(drop=True)
        pd.testing.assert_frame_equal(out, expected, check_dtype=False)
    named = frame.set_index(pd.MultiIndex.from_arrays([frame["qid"], frame["qid"]]))
    pd.testing.assert_frame_equal(make()(named).reset_index(drop=True), expected)


def test_no_index_keeps_its_names():
    """Also those that are no column's."""

    class Same(Step):
        def transform(self, frame):
            return self.check(frame, ["qid"])

    frame = pd.DataFrame(
        {"qid": ["1"]}, index=pd.MultiIndex.from_tuples([(1, 2)], names=["a", "b"])
    )
    assert list(Same()(frame).index.names) == [None, None]
    assert list(frame.index.names) == ["a", "b"]


def sequences(frame, kind):
    """A copy of `frame` whose lists are of another kind."""
    return frame.map(lambda value: kind(value) if isinstance(value, list) else value)


@EVERY
def test_sequences_may_be_of_any_kind(make, full):
    """Tuples and arrays work as lists do."""
    frame = input_of(make(), full)
    expected = make()(frame).map(lambda own: list(own) if np.ndim(own) else own)
    for kind in (tuple, partial(np.array, dtype=object)):
        out = make()(sequences(frame, kind)).map(lambda own: list(own) if np.ndim(own) else own)
        pd.testing.assert_frame_equal(out, expected, check_dtype=False)


#: columns that steps need -> a value that they cannot hold
WRONG = {
    "score": [None, float("nan"), float("inf"), "high"],
    **{name: [None, "A text."] for name in ("paper", "query_paper")},
    **{name: [None, 7] for name in ("query", "facet", "text", "title")},
}


@EVERY
def test_what_is_needed_holds_what_its_name_says(make, full):
    """Papers, texts and finite numbers, or the error names column and value."""
    transformer = make()
    frame = input_of(transformer, full)
    (needed,) = pt.inspect.transformer_inputs(transformer)
    for column in {*needed} & {*WRONG}:
        for value in WRONG[column]:
            bad = with_value(only(frame, needed), column, value)
            assert refused(transformer, bad, f"{column!r} must hold", f"Found: {value!r}")


#: columns of queries -> another value of the same kind
OTHER = {
    "query": "Another text.",
    "facet": "another facet",
    "query_paper": Paper("another", "", ["A sentence."]),
    "query_sentence_ids": [0, 0, 0],
    "query_title": "Another title",
}


@EVERY
def test_rows_of_a_query_agree(make, full):
    """They share what the query asks with: one edited row is refused, and named."""
    transformer = make()
    frame = input_of(transformer, full)
    (needed,) = pt.inspect.transformer_inputs(transformer)
    if "docno" not in needed or isinstance(transformer, PaperLoader):
        return
    for column in {*needed} & {*OTHER}:
        edited = with_value(frame, column, OTHER[column])
        parts = f"{column!r} must hold one value in all rows", edited["qid"].iloc[-1]
        assert refused(transformer, edited, *parts)


@EVERY
def test_weights_are_read_or_refused(make, full):
    """No scorer of the query's sentences ignores weights of theirs."""
    transformer = make()
    frame = input_of(transformer, full)
    (needed,) = pt.inspect.transformer_inputs(transformer)
    weights = [[1.0 + place for place in range(len(ids))] for ids in frame["query_sentence_ids"]]
    weighted = frame.assign(query_sentence_weights=pd.Series(weights, frame.index, dtype=object))
    ignores_weights = "query_paper" in needed and not transformer.uses_weights
    try:
        transformer(weighted)
        problem = ""
    except ValueError as error:
        problem = str(error)
    assert ("does not use column 'query_sentence_weights'" in problem) == ignores_weights
    assert bool(problem) == ignores_weights
