"""DORIS-MAE's systems that need no trained weights."""

import pyterrier as pt
import pytest

from pyterrier_scholarly import systems

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
    keys = ["bm25", "tf_idf", "sentence_maxsim", "in_context", "three_parts"]
    named = systems(DATASET, encoder=lengths)[keys]
    assert list(named) == keys
    for system in named.values():
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

    systems(DATASET, encoder=encoder)["sentence_maxsim"](topics)
    for text in topics["query"]:
        assert text not in seen
        assert sum(sentence in text for sentence in seen) > 1


def test_in_context_queries_and_abstracts_are_read_as_a_whole(topics):
    """A query is one passage of its sentences, an abstract another; nobody's title is read."""
    encoder = Passages()
    system = systems(DATASET, encoder=encoder)["in_context"]
    run = system(topics)
    records = pt.get_dataset(DATASET).irds_ref().docs_store().get_many(list(run["docno"]))
    texts = {"".join("".join(passage).split()) for passage in encoder.seen}
    whole = [*topics["query"], *(record.text for record in records.values())]
    assert texts == {"".join(text.split()) for text in whole}


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
