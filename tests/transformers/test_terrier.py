"""With the real Terrier."""

import os

import pyterrier as pt
import pytest

from pyterrier_scholarly import reproduce
from pyterrier_scholarly.recipes import terrier_bm25
from pyterrier_scholarly.transformers import FacetQuery, Pool

pytestmark = pytest.mark.java


@pytest.fixture
def dataset(mini):
    """PyTerrier's view of the embedded collection."""
    return pt.get_dataset(f"irds:{mini}")


@pytest.fixture
def index(dataset, tmp_path):
    """A Terrier index of its documents."""
    indexer = pt.terrier.IterDictIndexer(str(tmp_path / "index"))
    documents = ({"docno": doc["docno"], "text": doc["text"]} for doc in dataset.get_corpus_iter())
    return indexer.index(documents)


@pytest.fixture
def topics(dataset):
    """Ids alone: the query comes from FacetQuery."""
    return dataset.get_topics("query")[["qid"]]


def test_retrieve_and_restrict(dataset, index, topics):
    """Terrier ranks the collection, the pool stays, and with "append" it is whole."""
    retrieve = (
        FacetQuery(dataset)
        >> pt.rewrite.tokenise()
        >> pt.terrier.Retriever(index, wmodel="BM25", num_results=30)
        >> pt.rewrite.reset()
    )
    pool = Pool(dataset)
    found = retrieve(topics)
    dropped = (retrieve >> pool.restrict())(topics)
    whole = (retrieve >> pool.restrict(missing="append"))(topics)

    candidates = set(zip(*pool(topics)[["qid", "docno"]].to_numpy().T))
    ranked = set(zip(found["qid"], found["docno"]))
    assert set(zip(dropped["qid"], dropped["docno"])) == ranked & candidates
    assert set(zip(whole["qid"], whole["docno"])) == candidates
    assert 0 < len(dropped) < len(whole)
    assert (pool.coverage(whole)["coverage"] == 1).all()
    assert pool.coverage(dropped)["ranked"].sum() == len(dropped)
    # reset() brings back the query as it was before tokenise(), punctuation and all
    expected = FacetQuery(dataset)(topics).set_index("qid")["query"]
    assert (whole["query"] == whole["qid"].map(expected)).all()


def test_terriers_scorer_over_a_pool(dataset, topics):
    """Candidates first, then the query, then the texts: every candidate gets a score."""
    pipeline = (
        Pool(dataset)
        >> FacetQuery(dataset)
        >> pt.rewrite.tokenise()
        >> dataset.text_loader(["text"])
        >> pt.text.scorer(body_attr="text", wmodel="BM25")
    )
    out = pipeline(topics)
    assert len(out) == len(Pool(dataset)(topics))
    assert (out.groupby("qid")["score"].max() > 0).all()
    assert set(FacetQuery(dataset)(topics).columns) <= set(out.columns)


def test_queries_that_terriers_parser_refuses(index):
    """Its parser raises on `O(n^2)` and the like; tokenise() avoids that."""
    topics = pt.new.queries(["q"]).assign(query_text="It takes O(n^2) steps. Is that fast?")
    ask = FacetQuery()
    retrieve = pt.terrier.Retriever(index, wmodel="BM25")
    with pytest.raises(Exception, match="Failed to process"):
        (ask >> retrieve)(topics)
    out = (ask >> pt.rewrite.tokenise() >> retrieve >> pt.rewrite.reset())(topics)
    assert set(out["query"]) == {"It takes O(n^2) steps. Is that fast?"}


def test_a_run_over_an_index_on_disk_is_saved(dataset, index, tmp_path, capfd):
    """A table reuses it, by whatever names the index, until the index changes."""
    folder = str(tmp_path / "index")
    for named, said in (
        (index, "terrier: ranking for 16 queries"),
        (pt.IndexFactory.of(index), "terrier: read from"),
        (index, "terrier: ranking for 16 queries"),
    ):
        systems = {"terrier": terrier_bm25(dataset, named)}
        reproduce("scholarly-mini", systems, save_dir=tmp_path / "runs", resamples=10)
        assert said in capfd.readouterr().err
        if "read" in said:
            os.utime(f"{folder}/data.properties", (1, 1))
