"""DORIS-MAE's systems that need no trained weights."""

import pyterrier as pt
import pytest
from ir_measures import NDCG

from pyterrier_scholarly import doris_mae_systems

DATASET = "irds:doris-mae/dev"


@pytest.fixture
def topics(real_home):
    """Two development queries."""
    return pt.get_dataset(DATASET).get_topics("query").head(2)


@pytest.mark.slow
def test_every_system_ranks_the_whole_pool(topics):
    """Each query's candidates are all there, once, with distinct ranks."""
    pools = {
        q: set(d["docno"]) for q, d in pt.get_dataset(DATASET).get_results("query").groupby("qid")
    }
    systems = doris_mae_systems(DATASET, encoder=lengths)
    assert len(systems) > 1
    for system in systems.values():
        run = system(topics)
        assert set(run["qid"]) == set(topics["qid"])
        for qid, rows in run.groupby("qid"):
            assert set(rows["docno"]) == pools[qid]
            assert sorted(rows["rank"]) == list(range(len(pools[qid])))


def test_max_sim_is_over_the_querys_own_sentences(topics):
    """The query's text is split: the encoder sees its sentences, and those of abstracts."""
    seen = []

    def encoder(texts):
        seen.extend(texts)
        return lengths(texts)

    doris_mae_systems(DATASET, encoder=encoder)["sentence max-sim"](topics)
    for text in topics["query"]:
        assert text not in seen
        assert sum(sentence in text for sentence in seen) > 1


def test_in_context_queries_and_abstracts_are_read_as_a_whole(topics):
    """A query is one passage of its sentences, an abstract another; nobody's title is read."""
    encoder = Passages()
    system = doris_mae_systems(DATASET, encoder=encoder)["in context"]
    run = system(topics)
    records = pt.get_dataset(DATASET).irds_ref().docs_store().get_many(list(run["docno"]))
    texts = {"".join("".join(passage).split()) for passage in encoder.seen}
    whole = [*topics["query"], *(record.text for record in records.values())]
    assert texts == {"".join(text.split()) for text in whole}


def test_without_context(topics):
    """The two rows can be left out, for they take longer to encode."""
    names = doris_mae_systems(DATASET, encoder=lengths, in_context=False)
    assert list(names) == ["BM25", "TF-IDF", "sentence max-sim"]


@pytest.mark.java
def test_terriers_bm25_is_better_than_chance(real_home):
    """Over all development queries its NDCG%20 is above that of shuffled pools."""
    system = doris_mae_systems(DATASET, terrier=True)["Terrier BM25"]
    dataset = pt.get_dataset(DATASET)
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    shuffled = qrels.sample(frac=1, random_state=0).assign(score=range(len(qrels)))
    table = pt.Experiment([system, shuffled], topics, qrels, [NDCG % 20], ["Terrier", "chance"])
    terrier, chance = table["NDCG%20"]
    assert terrier > chance


class Passages:
    """An encoder of passages that remembers what it was asked for."""

    def __init__(self):
        self.seen = []

    def encode_passages(self, passages):
        """Two numbers for the whole and for each part."""
        self.seen.extend(passages)
        return [lengths(["", *passage]) for passage in passages]


def lengths(texts):
    """A toy encoder: two numbers from the length of a text."""
    import numpy as np

    return np.array([[len(text), 100.0] for text in texts], dtype="float32")
