"""Models of one's own, in the forms that the papers use."""

import json
import shutil

import numpy as np
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, Contextual, CrossEncoder, FacetQuery, Pool, systems

from .stand_ins import letters

MINI = "scholarly-mini/method"
KEYS = {
    "bert": {
        "csfcube": ["ours", "ours_sentences"],
        "doris-mae": ["ours", "ours_sentences"],
        "litsearch": ["ours", "ours_full"],
    },
    "cross": {
        "csfcube": ["ours"],
        "doris-mae": ["ours", "ours_sentences"],
        "litsearch": ["ours", "ours_full"],
    },
}


@pytest.fixture
def topics():
    """The embedded collection's queries about methods."""
    return pt.get_dataset(f"irds:{MINI}").get_topics("query")


@pytest.mark.torch
@pytest.mark.parametrize("collection", ["csfcube", "doris-mae", "litsearch"])
@pytest.mark.parametrize("kind", KEYS)
def test_a_folder_says_which_kind_it_is(tiny, kind, collection):
    """An encoder has forms of texts; one with a head of classes scores pairs."""
    named = systems(collection, models={"ours": tiny(kind)})
    assert named.yours == {"ours": KEYS[kind][collection]}
    expected = "CrossEncoder" if kind == "cross" else "SentenceTransformer"
    assert {type(named.encoder(key)).__name__ for key in named.yours["ours"]} == {expected}


@pytest.mark.torch
@pytest.mark.parametrize("kind", KEYS)
def test_a_folder_ranks(tiny, topics, kind):
    """Each form of a tiny random model scores every candidate."""
    named = systems(MINI, models={"ours": tiny(kind)})
    pool = Pool(MINI)(topics.head(1))
    for key in named.yours["ours"]:
        assert set(named[key](topics.head(1))["docno"]) == set(pool["docno"])


def papers():
    """Title and abstract of each paper, joined by a blank, by id."""
    documents = pt.get_dataset(f"irds:{MINI}").irds_ref().docs_iter()
    return {doc.doc_id: f"{doc.title} {doc.text}" for doc in documents}


def test_whole_texts_by_the_formula(topics):
    """A bi-encoder scores minus the distance between the embeddings of the two whole papers."""
    run = systems(MINI, models={"ours": ("bi-encoder", letters)})["ours"](topics)
    texts = papers()
    asked = FacetQuery(MINI)(topics).set_index("qid")["query_docno"]
    pairs = [letters([texts[asked[q]], texts[d]]) for q, d in zip(run["qid"], run["docno"])]
    expected = [-np.linalg.norm(first - second) for first, second in pairs]
    np.testing.assert_allclose(run["score"], expected, rtol=1e-5)


def test_pairs_by_the_formula(topics):
    """A cross-encoder scores the facet's sentences with title and abstract of the candidate."""
    scorer = lambda pairs: [len(a) + 1e-4 * len(b) for a, b in pairs]  # noqa: E731
    run = systems(MINI, models={"ours": ("cross-encoder", scorer)})["ours"](topics)
    texts = papers()
    asked = FacetQuery(MINI)(topics).set_index("qid")["query"]
    expected = [len(asked[q]) + 1e-4 * len(texts[d]) for q, d in zip(run["qid"], run["docno"])]
    np.testing.assert_allclose(run["score"], expected)


def test_sentences_are_scored_as_by_the_papers_systems(topics):
    """The row of sentences equals a named system of sentences with the same model."""
    named = systems(MINI, models={"ours": letters, "mpnet": letters})
    found, expected = (named[key](topics) for key in ("ours_sentences", "mpnet"))
    np.testing.assert_array_equal(found["score"], expected["score"])


def test_litsearchs_pairs_are_the_first_hundred_of_bm25(made_litsearch):
    """As for the language model there; without the other 20 papers."""
    made_litsearch(120)
    questions = pt.get_dataset("irds:litsearch").get_topics("query").head(2)
    named = systems("litsearch", models={"ours": ("cross-encoder", lambda pairs: [0] * len(pairs))})
    for qid, rows in named["ours"](questions).groupby("qid"):
        first = named["bm25"](questions[questions["qid"] == qid]).sort_values("rank").head(100)
        assert set(rows["docno"]) == set(first["docno"])


@pytest.mark.torch
def test_a_models_files_state_its_similarity(tiny, tmp_path):
    """sentence-transformers' file goes before the paper's distances, and the note says which."""
    stated = shutil.copytree(tiny("bert"), tmp_path / "stated")
    text = json.dumps({"similarity_fn_name": "cosine"})
    (stated / "config_sentence_transformers.json").write_text(text)
    table = systems("csfcube", models={"plain": tiny("bert"), "stated": stated}).table
    rows = table.set_index("key").loc[["plain", "stated"]]
    assert rows["similarity"].tolist() == ["l2", "cosine"]
    assert rows["note"].str.rpartition("; by ")[2].tolist() == ["L2 distances", "cosines"]


@pytest.mark.parametrize(
    ("model", "keys"),
    [
        (LSA(MINI), ["ours", "ours_sentences"]),
        (Contextual("any"), ["ours_sentences"]),
        (CrossEncoder("any"), ["ours"]),
        (("sentence-encoder", "any"), ["ours_sentences"]),
        (("cross-encoder", "any"), ["ours"]),
    ],
)
def test_encoders_and_named_kinds(model, keys):
    """An encoder has the forms of its class, a model with a kind those of the kind."""
    assert systems(MINI, models={"ours": model}).yours == {"ours": keys}


@pytest.mark.parametrize(
    ("models", "error", "said"),
    [
        ({"ours": "./no-folder"}, OSError, r"'ours' is no system's name, .*'\./no-folder'"),
        ({"ours": ("encoder", "x")}, ValueError, "of the kind 'encoder'.*bi-encoder, sentence-enc"),
        ({"SPECTER": LSA(MINI)}, ValueError, r"another system\. Pass models=\{'specter': …\}"),
        ({"specter": ("bi-encoder", "x")}, ValueError, "another system"),
        ({"a": LSA(MINI), "a_sentences": LSA(MINI)}, ValueError, "another system"),
    ],
)
def test_what_is_no_model_of_ones_own(models, error, said):
    """A missing folder, an unknown kind, and names of other systems raise before any ranking."""
    with pytest.raises(error, match=said):
        systems("csfcube", models=models)


@pytest.mark.torch
def test_a_class_without_a_form(tiny, tmp_path):
    """A model of tokens, by its files, is told from encoders of texts."""
    tokens = shutil.copytree(tiny("bert"), tmp_path / "tokens")
    text = json.dumps({"model_type": "MultiVectorEncoder"})
    (tokens / "config_sentence_transformers.json").write_text(text)
    with pytest.raises(ValueError, match="is a MultiVectorEncoder, which no form reads"):
        systems("csfcube", models={"ours": tokens})
