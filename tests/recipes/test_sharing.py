"""Systems and steps share the encoder that was built for them, and let go of those of others."""

import gc
import shutil
import weakref

import pyterrier as pt
import pytest

from pyterrier_scholarly import (
    FacetQuery,
    PaperLoader,
    Pool,
    SentenceMaxSim,
    systems,
)
from pyterrier_scholarly.recipes import scored_parts

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]

MINI = "scholarly-mini/all"
SENTENCES = ("sentbert_nli", "sentbert_pp", "unsimcse", "susimcse", "mpnet")


@pytest.fixture
def loads(monkeypatch):
    """Weak references to the transformers that are loaded by name from now on."""
    import sentence_transformers

    made, library = [], sentence_transformers.SentenceTransformer

    def load(*given, **named):
        model = library(*given, **named)
        if given:  # not of modules that are there
            made.append(weakref.ref(model[0].auto_model))
        return model

    monkeypatch.setattr("sentence_transformers.SentenceTransformer", load)
    return made


@pytest.fixture
def topics():
    """Of one query."""
    return pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)


def test_a_model_is_loaded_once(tiny, loads, topics, passes):
    """For all steps of three systems of one encoder, which read a passage once between them."""
    named = systems(MINI, tiny("bert"))
    named["six_parts"](topics)
    read = sum(passes)
    for key in ("one_encoding", "in_context"):
        named[key](topics)
    assert len(loads) == 1
    assert sum(passes) == read > 0


def test_a_step_loads_a_name_once(tiny, loads, topics):
    """However often it ranks."""
    papers = Pool(MINI) >> FacetQuery(MINI) >> PaperLoader(MINI)
    system = papers >> SentenceMaxSim(tiny("bert"))
    system(topics)
    system(topics)
    assert len(loads) == 1


def test_parts_share_one_encoder(tiny, loads, topics):
    """Those whose weights are to be chosen, too."""
    papers = Pool(MINI) >> FacetQuery(MINI) >> PaperLoader(MINI)
    (papers >> scored_parts(MINI, tiny("bert")))(topics)
    assert len(loads) == 1


def test_memory_does_not_grow_with_systems(tiny, loads, topics, tmp_path):
    """Of five models the three that ran last are in memory, though all pipelines are."""
    models = {key: str(shutil.copytree(tiny("bert"), tmp_path / key)) for key in SENTENCES}
    named = systems(MINI, models=models)
    pipelines = [named[key] for key in SENTENCES]
    for pipeline in pipelines:
        pipeline(topics)
    gc.collect()
    assert [one() is None for one in loads] == [True, True, False, False, False]
    pipelines[0](topics)  # loaded again
    gc.collect()
    assert [one() is None for one in loads] == [True, True, True, False, False, False]
