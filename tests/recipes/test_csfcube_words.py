"""CSFCube's word-based rows with vectors of the abstracts that the paper trains on."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from pyterrier_scholarly import WordVectors, systems

from ..ir_datasets_ext.conftest import Files

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file", "ignore:.*compared")
SMALL = {"dimensions": 8, "min_count": 1, "window": 2, "epochs": 5}
WORDS = (
    "pruned small tall fair long short trees queues grow wait of method back obje 1 2 3 7".split()
)


@pytest.fixture
def abstracts(tmp_path, monkeypatch):
    """A small release, and an archive of sixty abstracts beside it; the texts of both."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    folder = Files(tmp_path / "home" / "csfcube").folder
    random = np.random.default_rng(0)
    papers = [
        {
            "paper_id": str(100 + number),
            "title": "",
            "abstract": [" ".join(random.choice(WORDS, 12)) + "."],
            "pred_labels": ["method_label"],
            "metadata": {},
        }
        for number in range(60)
    ]
    with zipfile.ZipFile(folder / "abstracts-preds.zip", "w") as archive:
        archive.writestr("abstracts.jsonl", "".join(json.dumps(one) + "\n" for one in papers))
    lines = (folder / "abstracts-csfcube-preds.jsonl").read_text().splitlines()
    return [" ".join(paper["abstract"]) for paper in [*papers, *map(json.loads, lines)]]


@pytest.mark.parametrize(
    ("key", "weighted"), [("fabs_cbow200", False), ("fabs_tfidfcbow200", True)]
)
@pytest.mark.parametrize("kept", [False, True], ids=["dataset", "folder"])
def test_word_vectors_of_the_800000_abstracts(abstracts, tmp_path, key, weighted, kept):
    """Both rows are cosines of mean vectors that gensim itself trains on those texts."""
    word2vec = pytest.importorskip("gensim.models").Word2Vec
    split = TfidfVectorizer().build_analyzer()
    settings = SMALL if kept else {}
    model = word2vec(
        [split(text) for text in abstracts],
        vector_size=settings.get("dimensions", 200),
        window=settings.get("window", 5),
        min_count=settings.get("min_count", 5),
        epochs=settings.get("epochs", 20),
        seed=1,
        workers=1,
    )
    idf = TfidfVectorizer().fit(abstracts)
    idf = dict(zip(idf.get_feature_names_out(), idf.idf_))

    def vector(text):
        known = [word for word in split(text) if word in model.wv]
        weights = [idf[word] if weighted else 1 for word in known]
        return np.average([model.wv[word] for word in known], axis=0, weights=weights)

    source = "csfcube/s2orc"
    if kept:
        source = str(WordVectors.train(source, tmp_path / "words", **settings).path)
    run = systems("csfcube/method", models={"the collection": source})[key](
        pd.DataFrame({"qid": ["2"], "query": [""]})
    )
    own = dict(zip("1237", abstracts[60:]))
    query = vector("meth of 2.")
    expected = []
    for docno in run["docno"]:
        other = vector(own[docno])
        expected.append(query @ other / np.linalg.norm(query) / np.linalg.norm(other))
    assert sorted(run["docno"]) == ["1", "3", "7"]
    assert run["score"].to_numpy() == pytest.approx(expected, abs=1e-5)
