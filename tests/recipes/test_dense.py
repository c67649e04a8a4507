"""LitSearch's dense systems over a made-up release: from questions, again, and after a kill."""

import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import reproduce, systems
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import VectorCache

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.*is not the release's file"),
]
KEYS = {"e5_large_v2": "bert", "gritlm_7b": "mistral", "gtr_t5_large": "t5", "instructor_xl": "t5"}


def backwards(messages):
    """A language model that turns the order round."""
    return " > ".join(f"[{number}]" for number in range((len(messages) - 4) // 2, 0, -1))


@pytest.fixture
def stand_ins(tiny):
    """A tiny random model for each of the paper's."""
    return {f"{key}{form}": tiny(kind) for key, kind in KEYS.items() for form in ("", "_full")}


@pytest.fixture
def topics():
    """All questions."""
    return lambda: pt.get_dataset("irds:litsearch").get_topics("query")


def brute_force(encoder, texts, queries):
    """Cosines in float64 of vectors in float16, (queries, texts), and the last id of each text."""
    last = dict(zip(texts.values(), texts))
    theirs = encoder.encode(list(last), "document").astype(np.float16).astype(float)
    ours = encoder.encode(list(queries), "query").astype(np.float16).astype(float)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    return ours @ theirs.T, np.array(list(last.values()))


@pytest.mark.parametrize("key", [*KEYS, "gritlm_7b_full"])
def test_a_dense_system_searches_the_release(key, made_litsearch, stand_ins, topics):
    """The 200 of all papers with the highest cosines, of title and abstract or of full texts."""
    made_litsearch(280)
    named = systems("litsearch", models=stand_ins)
    papers = irds("litsearch/full-text").docs_iter()
    template = "{0.full_text}" if "full" in key else "Title: {0.title}\nAbstract: {0.text}"
    texts = {paper.doc_id: template.format(paper) for paper in papers}
    asked = topics()
    scores, docnos = brute_force(named.encoder(key), texts, asked["query"])
    assert len(docnos) == 240
    run = named[key](asked)
    for number, (_, own) in enumerate(run.groupby("qid", sort=False)):
        assert len(own) == 200
        place = [np.flatnonzero(docnos == docno)[0] for docno in own["docno"]]
        np.testing.assert_allclose(own["score"], scores[number][place], atol=1e-6)
        assert own["score"].min() >= np.sort(scores[number])[-200] - 1e-6


def test_candidates_are_ranked_again(made_litsearch, stand_ins, topics):
    """Those of another system, or of `candidates`, and no others."""
    made_litsearch(100)
    five = pd.DataFrame({"docno": ["1", "20", "33", "34", "77"]})
    given = pt.Transformer.from_df(topics().merge(five, how="cross").assign(score=1.0))
    behind = given >> systems("litsearch", models=stand_ins)["e5_large_v2"]
    within = systems("litsearch", models=stand_ins, candidates=given)["e5_large_v2"]
    for system in (behind, within):
        run = system(topics())
        assert len(run) == 8 * 5
        assert set(run["docno"]) == set(five["docno"])
        assert run["score"].nunique() > 5


def test_language_models_rank_what_a_dense_system_finds(made_litsearch, stand_ins, topics):
    """From questions: the first hundred are turned round; of one-hop, 50 papers and their cited."""
    made_litsearch(280)
    named = systems("litsearch", models=stand_ins, client=backwards)
    asked = topics().head(1)
    first = named["gritlm_7b"](asked)["docno"].tolist()
    run = named["gpt_4o_gritlm_7b"](asked)["docno"].tolist()
    assert run == first[:100][::-1] + first[100:]
    hops = named["gpt_4o_one_hop_gritlm_7b"](asked)["docno"].tolist()
    cited = [pair for docno in first[:50] for pair in (docno, str(int(docno) + 1))]
    assert hops == list(dict.fromkeys(one for one in cited if int(one) < 280))[::-1]


@pytest.mark.parametrize("cache", [None, False])
def test_a_table_keeps_its_vectors(cache, made_litsearch, tiny, tmp_path, monkeypatch):
    """In the default folder: a second one adds none to those of 86 texts and 8 questions."""
    made_litsearch(100)
    monkeypatch.setenv("SCHOLARLY_CACHE", str(tmp_path / "vectors"))
    options = {"models": {"e5_large_v2": tiny("bert")}, "cache": cache}
    sizes = []
    for _ in range(2):
        reproduce("litsearch", ["e5_large_v2"], **options)
        sizes.append(VectorCache().bytes)
    assert sizes[0] == sizes[1]
    assert sizes[0] > (86 + 8) * 16 * 4 if cache is None else sizes[0] == 0


class Counting(VectorCache):
    """Says how many documents it is given to keep; the questions are eight."""

    def put_many(self, settings, made):
        """Keep them."""
        if len(made) > 8:
            self.given = [*getattr(self, "given", ()), len(made)]
        super().put_many(settings, made)


KILLED = """
import os, signal, sys
from pyterrier_scholarly import reproduce
from pyterrier_scholarly.encoders import VectorCache

class Deadly(VectorCache):
    given = 0
    def put_many(self, settings, made):
        self.given += len(made) > 8
        if self.given == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        super().put_many(settings, made)

folder, model = sys.argv[1:]
reproduce("litsearch", ["e5_large_v2"], models={"e5_large_v2": model}, cache=Deadly(folder))
"""


@pytest.mark.slow
def test_a_killed_table_encodes_only_what_is_missing(made_litsearch, tiny, tmp_path):
    """Of blocks of 512 and 88 texts the second is lost, with the process; then none is.

    The table is that of a run without a cache, where nothing was lost.
    """
    made_litsearch(700)
    models, folder = {"e5_large_v2": tiny("bert")}, tmp_path / "vectors"
    code = [sys.executable, "-c", KILLED, str(folder), models["e5_large_v2"]]
    assert subprocess.run(code, capture_output=True).returncode == -signal.SIGKILL
    resumed, again = Counting(folder), Counting(folder)
    assert resumed.bytes > 0
    tables = [
        reproduce("litsearch", ["e5_large_v2"], table=3, models=models, cache=cache)
        for cache in (resumed, again, False)
    ]
    assert resumed.given == [88]
    assert not hasattr(again, "given")
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table.figures, tables[0].figures)
    own = tables[0].figures[tables[0].figures["source"] == "this run"]
    assert own["value"].notna().all()
