"""Explanations of pipelines: the shown contributions add up to the pipeline's score."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets import Dataset
from ir_datasets.formats import BaseDocs
from scipy.sparse import csr_array

from pyterrier_scholarly.datasets import read_papers
from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.explanation import explain
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.recipes import one_encoding, six_parts
from pyterrier_scholarly.similarity.matches import Matches
from pyterrier_scholarly.transformers import (
    FacetMiss,
    FacetQuery,
    PaperLoader,
    PaperSimilarity,
    PaperTfIdf,
    PlainText,
    Pool,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransport,
    TfIdfScore,
    WeightedSum,
    ZScore,
)

MINI = "scholarly-mini/all"
LIGHT = LSA(MINI)
QUERY = "104_background"

#: directions in the plane
PLANE = {"east": (1, 0), "north": (0, 1), "up": (0.6, 0.8), "down": (0.8, -0.6)}


def test_a_pool_of_a_frame():
    """A frame's scores are a part like any other, and its name shows the frame's size."""
    pool = pt.get_dataset(f"irds:{MINI}").get_results()
    table = pool[pool["qid"] == QUERY].assign(score=2.0).reset_index(drop=True)
    papers = Pool(table) >> FacetQuery(MINI) >> PaperLoader(MINI)
    told = explain(papers + (papers >> SentenceMaxSim(LIGHT)), QUERY, table["docno"].iloc[0])
    assert [part.value for part in told.parts if not part.matches] == [2.0]
    assert f"Pool(source=<frame of {len(table)} rows>)" in {part.name for part in told.parts}


def plane(texts):
    """An encoder whose cosines are known."""
    return np.array([PLANE[text] for text in texts])


def sparse(texts):
    """An encoder of sparse vectors, as SPLADE is: letters and how often they are there."""
    return csr_array([[float(text.count(letter)) for letter in "aeiourst"] for text in texts])


class Long:
    """Passages whose parts get longer vectors in the context of a longer title."""

    def encode_passages(self, passages):
        """The whole, then the parts."""
        return [
            np.float32(len(passage[0]) * sparse(("", *passage)).toarray() / 99)
            for passage in passages
        ]


SYSTEMS = {
    **{
        f"max-sim, {aggregate}": PaperLoader(MINI) >> SentenceMaxSim(LIGHT, aggregate=aggregate)
        for aggregate in ("max", "mean", "sum", "symmetric")
    },
    **{
        f"max-sim, {similarity}": PaperLoader(MINI) >> SentenceMaxSim(LIGHT, similarity=similarity)
        for similarity in ("dot", "l2")
    },
    **{
        f"transport, {method}": PaperLoader(MINI) >> SentenceTransport(LIGHT, method=method)
        for method in ("sinkhorn", "plan", "exact", "single", "mean")
    },
    **{
        f"transport in context, {method}": PaperLoader(MINI)
        >> SentenceTransport(Long(), "abstract", method=method)
        for method in ("sinkhorn", "plan", "exact", "single", "mean")
    },
    "sparse": PaperLoader(MINI) >> SentenceMaxSim(sparse, aggregate="mean"),
    "sparse transport": PaperLoader(MINI) >> SentenceTransport(sparse),
    "light default": PaperLoader(MINI) >> SentenceMaxSim(dataset=MINI),
    "after a cutoff": PaperLoader(MINI) >> SentenceMaxSim(LIGHT) % 5,
    "context": PaperLoader(MINI) >> SentenceMaxSim(LIGHT, "abstract", aggregate="mean"),
    "symmetric in context": PaperLoader(MINI)
    >> SentenceMaxSim(LIGHT, "title", aggregate="symmetric"),
    "centroid": PaperLoader(MINI) >> SentenceCentroid(LIGHT, "title"),
    "passage": PaperLoader(MINI) >> PaperSimilarity(LIGHT, facet_only=True),
    "abstracts": PaperLoader(MINI) >> PaperSimilarity(LIGHT),
    "one encoding": PaperLoader(MINI) >> one_encoding(MINI, LIGHT),
    "six parts": PaperLoader(MINI) >> six_parts(MINI, LIGHT),
    "behind another scorer": TfIdfScore(MINI) >> PaperLoader(MINI) >> SentenceMaxSim(LIGHT),
    "weighted": PaperLoader(MINI)
    >> WeightedSum([SentenceMaxSim(LIGHT) >> ZScore(), SentenceTransport(LIGHT)], (0.7, -0.3)),
    "minus": PaperLoader(MINI) >> 0.7 * SentenceMaxSim(LIGHT) + -0.3 * SentenceTransport(LIGHT),
}
CANDIDATES = Pool(MINI) >> FacetQuery(MINI)
OWN_TEXTS = FacetQuery() >> PaperLoader()


@pytest.fixture(autouse=True)
def _home(mini):
    """The embedded collection."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_contributions_add_up_to_the_pipelines_score(name):
    """Contributions of the first, a middle and the last candidate add up to their scores."""
    system = CANDIDATES >> SYSTEMS[name]
    results = system(pd.DataFrame({"qid": [QUERY]})).set_index("docno")["score"]
    for docno in results.index[[0, len(results) // 2, -1]]:
        explanation = explain(system, QUERY, docno)
        assert explanation.score == pytest.approx(results[docno], abs=1e-6)
        contributions = explanation.frame["contribution"]
        size = contributions.abs().sum()
        assert contributions.sum() == pytest.approx(explanation.score, rel=0, abs=1e-9 * size)


def test_sentences_and_the_rest_add_up():
    """Each sentence of the facet has a row, in order; a last row has the rest."""
    system = CANDIDATES >> SYSTEMS["six parts"]
    found = explain(system, QUERY, system.search("", qid=QUERY)["docno"][0])
    asked = found.query.only(found.query.find("background")).sentences
    assert found.by_sentence["query_sentence"].tolist() == [*asked, ""]
    assert found.by_sentence["query_sentence_id"].isna().tolist() == [False] * len(asked) + [True]
    assert found.by_sentence["contribution"].sum() == pytest.approx(found.score, abs=2e-6)


def test_a_penalty_and_the_pools_mean_are_rows():
    """Of (a - 0.1, b, c), standardised: each part and minus the mean, over the deviation."""
    rows = [("a", ["east"], ["result"]), ("b", ["up"], ["method"]), ("c", ["north"], ["method"])]
    papers = pd.DataFrame(rows, columns=["docno", "sentences", "labels"])
    asked = {"qid": "1", "query_sentences": [["east"]] * 3, "query_labels": [["method"]] * 3}
    papers = OWN_TEXTS(papers.assign(**asked, facet="method"))
    system = SentenceMaxSim(plane) >> FacetMiss() >> ZScore()
    scores = np.array([1 - 0.1, 0.6, 0])
    frame = explain(system, papers, "a").frame.set_index("part")["contribution"]
    expected = np.array([1, -0.1, -scores.mean()]) / scores.std()
    assert frame.tolist() == pytest.approx(expected)
    assert frame.index.tolist() == [
        "SentenceMaxSim(context='sentence', aggregate='max')",
        "FacetMiss()",
        "minus the candidates' mean of 2 parts",
    ]


def test_rows_are_matched_pairs():
    """A row has a query's sentence, its best match, their cosine and contribution."""
    frame = explain(
        SentenceMaxSim(plane, aggregate="mean"), ["east", "north"], ["up", "down"]
    ).frame
    assert frame["query_sentence"].tolist() == ["east", "north"]
    assert frame["sentence"].tolist() == ["down", "up"]
    assert frame["sentence_id"].tolist() == [1, 0]
    assert frame["similarity"].tolist() == pytest.approx([0.8, 0.8])
    assert frame["contribution"].tolist() == pytest.approx([0.4, 0.4])


def test_a_sentence_may_have_half_a_surrogate_pair(tmp_path):
    """It is replaced: pandas groups no such texts, and no page has them."""
    shown = explain(SentenceMaxSim(sparse), ["a \ud800", "trees"], ["b \udfff"])
    assert shown.frame["query_sentence"].tolist() == ["a \ufffd", "trees"]
    assert shown.by_sentence["contribution"].sum() == pytest.approx(shown.score)
    assert "a \ufffd" in shown.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "b \ufffd" in shown._repr_html_()


def test_the_matrix_is_of_all_sentences():
    """The matrix has cosines by position, for scorers in a context too."""
    for scorer in (
        SentenceMaxSim(plane),
        SentenceMaxSim(lambda t: [PLANE.get(s, (0, 0)) for s in t], "title", aggregate="mean"),
    ):
        matrix = explain(scorer, ["east", "north"], ["up", "down"]).matrix
        assert matrix.to_numpy() == pytest.approx(np.array([[0.6, 0.8], [0.8, -0.6]]))
        assert matrix.index.tolist() == matrix.columns.tolist() == [0, 1]


def test_places_are_those_of_the_whole_papers():
    """Positions of the facet's sentences count in the query's and in the document's abstract."""
    of_facet = PaperLoader(MINI, facet_only=True)
    system = CANDIDATES >> of_facet >> SentenceMaxSim(LIGHT)
    results = system(pd.DataFrame({"qid": ["104_result"]}))
    row = results[results["sentence_ids"].map(len) > 0].iloc[0]
    explanation = explain(system, "104_result", row["docno"])
    (part,) = explanation.parts
    for paper, places, label in (
        (explanation.query, part.query_ids, "result"),
        (explanation.document, part.document_ids, "result"),
    ):
        assert [n for n, own in enumerate(paper.labels) if own == label] == list(places)
    assert len(explanation.document.sentences) > len(part.document_ids)
    assert explanation.facet == "result"


def test_equal_sentences_are_found_by_their_ids():
    """Of three equal sentences on either side, those that were scored are shown, not the first."""
    paper = Paper("d", "", ["east", "up", "east", "east"])
    row = {"qid": "1", "docno": "d", "query_paper": paper, "query_sentence_ids": [[2]]}
    results = FacetQuery()(pd.DataFrame(row)).assign(paper=paper, sentence_ids=[[3, 0]])
    told = explain(SentenceMaxSim(plane, aggregate="mean"), results, "d")
    (part,) = told.parts
    assert (part.query_ids, part.document_ids) == ((2,), (3, 0))
    assert told.query == told.document == paper


def test_a_step_may_drop_a_sentence():
    """The paper is shown as it was scored, without what a step dropped."""
    clean = PlainText(shortest=12)
    system = FacetQuery() >> PaperLoader(Dataset(Papers())) >> clean >> SentenceMaxSim(sparse)
    row = {"qid": "1", "docno": "d", "query_sentences": [["Is a tall tree pruned?"]]}
    told = explain(system, pd.DataFrame(row), "d")
    assert told.document.sentences == ("Trees are tall.",)
    assert told.frame["sentence_id"].tolist() == [0]


def test_parts_that_read_other_sentences():
    """Branches that scored two texts under one id cannot be shown together."""
    row = {"qid": "1", "docno": "d", "query_sentences": [["Is $x$ pruned?"]]}
    both = SentenceMaxSim(sparse) + (PlainText() >> SentenceMaxSim(sparse, aggregate="mean"))
    system = FacetQuery() >> PaperLoader(Dataset(Papers())) >> both
    with pytest.raises(ValueError, match=r"scored 'Is x pruned\?', where another .*'Is \$x\$ pr"):
        explain(system, pd.DataFrame(row), "d")


def test_the_system_and_the_rank():
    """The rank is that of the pipeline, from 1; the system is its pipeline, or has a name."""
    system = CANDIDATES >> SYSTEMS["one encoding"]
    ranking = system(pd.DataFrame({"qid": [QUERY]}))
    row = ranking[ranking["rank"] == 4].iloc[0]
    told = explain(system, QUERY, row["docno"])
    assert (told.rank, told.candidates) == (5, len(ranking))
    assert told.system.startswith("(Pool('scholarly-mini/all') >> FacetQuery(")
    assert "0x" not in told.system + "".join(part.name for part in told.parts)
    assert explain(system, QUERY, row["docno"], name="one_encoding").system == "one_encoding"


def test_titles_that_no_scorer_read():
    """They are shown if the pipeline's own dataset has them, or the one that is named."""
    row = {"qid": "1", "docno": "105", "query_text": "On graphs.", "query_docno": "104"}
    topics = FacetQuery()(pd.DataFrame(row, index=[0]))
    titles = [paper.title for paper in read_papers(MINI, ["104", "105"]).values()]
    load = PaperLoader(MINI, titles=False)
    scorer = SentenceMaxSim(LIGHT)

    told = explain(load >> scorer, topics, "105")
    assert (told.query.title, told.document.title) == ("", titles[1])
    assert explain(scorer, load(topics), "105").document.title == ""
    told = explain(scorer, load(topics), "105", dataset=MINI)
    assert [told.query.title, told.document.title] == titles


def test_a_weighted_sum_is_explained_as_a_sum():
    """Its parts are those of its scorers, each times its weight."""
    papers = CANDIDATES >> PaperLoader(MINI)
    one, other = SentenceMaxSim(LIGHT), SentenceCentroid(LIGHT, "title")
    summed = explain(papers >> (0.7 * one + -0.3 * other), QUERY, "105")
    weighted = explain(papers >> WeightedSum([one, other], [0.7, -0.3]), QUERY, "105")
    assert weighted.frame.equals(summed.frame)
    assert (weighted.score, weighted.rank) == (summed.score, summed.rank)


class Changed(NamedTuple):
    """A paper of which `PlainText` changes a sentence."""

    doc_id: str = "d"
    title: str = "On x"
    text: str = "We prune $x$. Trees are tall."
    sentences: tuple = ("We prune $x$.", "Trees are tall.")
    labels: tuple = ("method", "result")


class Papers(BaseDocs):
    """One paper."""

    def docs_iter(self):
        """It."""
        return iter([Changed()])

    def docs_store(self):
        """Itself."""
        return self

    def get_many(self, doc_ids):
        """It, by id."""
        return {doc_id: Changed(doc_id) for doc_id in doc_ids}


def test_sentences_that_a_step_changed_are_shown_as_they_were_scored():
    """A cleaned sentence is shown clean, in its paper, on both sides."""
    row = {"qid": "1", "docno": "d", "query_docno": "q", "query_sentences": [["Is $x$ pruned?"]]}
    load = PaperLoader(Dataset(Papers()))
    system = FacetQuery() >> load >> PlainText() >> SentenceMaxSim(sparse)
    told = explain(system, pd.DataFrame(row), "d")
    assert told.query == Paper("q", "", ["Is x pruned?"])
    assert told.document == Paper("d", "On x", ["We prune x.", "Trees are tall."], Changed().labels)
    assert told.frame["sentence_id"].tolist() == [0]


def test_equal_names_are_told_apart():
    """Two encoders give two matrices."""
    system = SentenceMaxSim(plane) + SentenceMaxSim(lambda texts: plane(texts)[:, ::-1] * [1, 2])
    explanation = explain(system, ["east"], ["up"])
    name = "SentenceMaxSim(context='sentence', aggregate='max')"
    assert list(explanation.matrices) == [name, f"{name} (2)"]


def test_every_text_is_encoded_once():
    """An explanation reuses the embeddings that the pipeline scored with."""
    seen = []

    def encoder(texts):
        seen.extend(texts)
        return plane(texts)

    explain(SentenceMaxSim(encoder), ["east", "north"], ["up", "down", "up"])
    assert sorted(seen) == ["down", "east", "north", "up"]


def test_scorers_of_ones_own():
    """A scorer with a method `explained` is explained."""

    class Same(pt.Transformer):
        def transform(self, results):
            return results.assign(score=3.0, rank=0)

        def explained(self, row):
            return Matches(np.array([[1.0]]), np.array([[3.0]]), np.array([[True]]))

    assert explain(Same(), ["east"], ["up"]).frame["contribution"].tolist() == [3.0]


def test_a_document_that_is_not_there():
    """An unknown document raises and lists the pipeline's documents."""
    with pytest.raises(ValueError, match=r"'9' is not in the pipeline's output.*23 documents \(\d"):
        explain(CANDIDATES >> SYSTEMS["context"], QUERY, "9")


def test_a_document_without_sentences():
    """A document without sentences raises, with its score."""
    papers = pd.DataFrame(
        {
            "qid": "1",
            "docno": ["a", "b"],
            "query_sentences": [["up"]] * 2,
            "sentences": [["up"], []],
        }
    )
    with pytest.raises(ValueError, match=r"'b' has no sentences .* its score, -1.0"):
        explain(OWN_TEXTS >> SentenceMaxSim(plane), papers, "b")


def test_a_pipeline_without_sentences():
    """A pipeline without a similarity of sentences raises and lists the known scorers."""
    with pytest.raises(ValueError, match=r"no similarity of sentences.*one of .*SentenceCentroid"):
        explain(CANDIDATES >> PaperLoader(MINI) >> PaperTfIdf(MINI), QUERY, "105")


def test_a_step_that_is_not_known():
    """An unknown step that changes a score made of pairs raises."""
    square = pt.apply.doc_score(lambda row: row["score"] ** 2 + 1)
    with pytest.raises(ValueError, match=r"changes scores in a way that explain does not know"):
        explain(SentenceMaxSim(plane) >> square, ["east"], ["up"])


def test_a_query_that_is_none_or_many():
    """Several queries raise with their ids, an unknown one with its own."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query")
    with pytest.raises(ValueError, match=r"one query, not 16 \(104_background"):
        explain(CANDIDATES >> SYSTEMS["context"], topics, "105")
    with pytest.raises(ValueError, match="nonesuch"):
        explain(CANDIDATES >> SYSTEMS["context"], "nonesuch", "105")


@pytest.mark.parametrize(
    ("query", "document", "said"),
    [
        ("104_method", ["One."], "must be a docno, as the query has an id"),
        ("104_method", ("One.", "Two."), "must be a docno, as the query has an id"),
        (pd.DataFrame({"qid": ["104_method"]}), ["102"], "must be a docno"),
        (["One."], "102", "must be a list of sentences, as the query is"),
        (["One.", 5], ["Two."], r"explain, query\[1\]=5: expected a text"),
        (["One."], [None], r"explain, document\[0\]=None: expected a text"),
        ({"One."}, ["Two."], r"expected a text, a pandas.DataFrame or a list of texts"),
        (5, "102", r"explain, query=5: expected"),
        ("104_method", 102, r"explain, document=102: expected a text or a list of texts"),
    ],
)
def test_lists_and_ids_that_do_not_go_together(query, document, said):
    """Ids explain a document of a pipeline, lists of sentences each other; nothing else does."""
    with pytest.raises(ValueError, match=said):
        explain(SentenceMaxSim(LSA(MINI)), query, document)


def test_arrays_of_sentences_are_lists():
    """An array of texts is a list of sentences."""
    lists = ["One graph of users.", "A walk."], ["Users of graphs."]
    arrays = [np.array(sentences) for sentences in lists]
    scorer = SentenceMaxSim(LSA(MINI))
    assert explain(scorer, *arrays).score == explain(scorer, *lists).score


def test_a_frame_without_queries():
    """A missing column is named."""
    with pytest.raises(pt.validate.InputValidationError, match=r"missing_columns=\['qid'\]"):
        explain(SentenceMaxSim(LSA(MINI)), pd.DataFrame({"query": ["x"]}), "102")
