"""The table of named systems, and a pipeline for each of its rows."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, WholeText, encoders, published, systems
from pyterrier_scholarly.encoders import Isolated
from pyterrier_scholarly.recipes.named import ROWS, SHAPES
from pyterrier_scholarly.transformers import (
    ContextTransport,
    Pool,
    SentenceMaxSim,
    TextSimilarity,
)

MINI = "scholarly-mini/all"
COLLECTIONS = {"csfcube": MINI, "doris-mae": "doris-mae/dev", "litsearch": "litsearch"}
EVERY = [(name, row.key) for name in COLLECTIONS for row in ROWS[name]]
#: the architecture of a model on the hub, where it is not BERT
KINDS = {
    "sentence-transformers/nli-roberta-base-v2": "roberta",
    "sentence-transformers/msmarco-roberta-base-ance-firstp": "roberta",
    "princeton-nlp/sup-simcse-roberta-large": "roberta",
    "sentence-transformers/all-mpnet-base-v2": "mpnet",
    "nghuyong/ernie-2.0-large-en": "ernie",
    "huggyllama/llama-7b": "llama",
    "sentence-transformers/gtr-t5-large": "t5",
    "hkunlp/instructor-xl": "t5",
    "GritLM/GritLM-7B": "mistral",
}


def letters(texts):
    """How often each letter is in a text: in the place of models that are no transformers."""
    return np.array([[text.count(letter) + 0.1 for letter in "abcdefghijklm"] for text in texts])


@pytest.fixture(scope="session")
def adapter(tmp_path_factory):
    """A folder with a random adapter for the tiny BERT."""
    torch = pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("adapter")
    shapes = {"down.0.weight": (4, 16), "down.0.bias": (4,), "up.weight": (16, 4), "up.bias": (16,)}
    weights = {
        f"layer.{layer}.output.adapters.p.adapter_{name}": torch.randn(shape)
        for layer in range(2)
        for name, shape in shapes.items()
    }
    torch.save(weights, folder / "pytorch_adapter.bin")
    (folder / "adapter_config.json").write_text(json.dumps({"config": {}}))
    return str(folder)


@pytest.fixture
def stand_ins(tiny, adapter):
    """A function from a collection to `models`: a tiny one of its architecture for each."""

    def models(name):
        found = {}
        for row in ROWS[name]:
            transformer = row.encoder in ("WholeText", "Contextual")
            found[row.key] = tiny(KINDS.get(row.run, "bert")) if transformer else letters
            if "adapter" in row.settings:
                found[row.settings["adapter"]] = adapter
        return found

    return models


@pytest.fixture
def mini():
    """The embedded collection's queries of all facets."""
    return MINI


@pytest.fixture
def topics(request):
    """From a collection to its shortest query; of LitSearch, with four candidates."""

    def of(name):
        if COLLECTIONS[name] != MINI:
            request.getfixturevalue("real_home")
        dataset = pt.get_dataset(f"irds:{COLLECTIONS[name]}")
        topics = dataset.get_topics("query")
        first = topics.loc[[topics["query"].str.len().idxmin()]]
        if name != "litsearch":
            return first
        docnos = [doc.doc_id for doc, _ in zip(dataset.irds_ref().docs_iter(), range(4))]
        return first.merge(pd.DataFrame({"docno": docnos}), how="cross")

    return of


@pytest.mark.torch
@pytest.mark.parametrize(("name", "key"), EVERY, ids=lambda value: value)
def test_every_system_ranks_a_query(name, key, topics, stand_ins, offline):
    """With a tiny random model of its architecture: four candidates, each once, scored apart."""
    pool = None if name == "litsearch" else Pool(COLLECTIONS[name]) % 4
    asked = topics(name)
    run = systems(COLLECTIONS[name], models=stand_ins(name), candidates=pool)[key](asked)
    expected = (asked if pool is None else pool(asked))["docno"]
    assert sorted(run["docno"]) == sorted(expected)
    assert sorted(run["rank"]) == [0, 1, 2, 3]
    assert np.isfinite(run["score"]).all()
    assert run["score"].nunique() > 1


@pytest.mark.parametrize("name", COLLECTIONS)
def test_names_are_those_of_the_published_tables(name):
    """Where a row names a table it joins: so printed figures stand beside own ones."""
    table = systems(COLLECTIONS[name]).table
    printed = published(name)
    joined = table[table["table"] != ""].merge(
        printed.drop_duplicates(["system", "table"]),
        left_on=["name", "table"],
        right_on=["system", "table"],
        how="left",
    )
    assert joined["value"].notna().all()


def test_csfcubes_published_systems_are_there():
    """All but SciFACE, whose weights are not public, and otAspire's unreleased weights."""
    printed = set(published("csfcube")["system"])
    assert printed - set(systems("csfcube").table["name"]) == {"SciFACE", "otAspire"}


def test_doris_maes_systems_are_there():
    """All of tables 11 and 12 that encode texts or sentences."""
    printed = published("doris-mae")
    printed = printed[printed["table"].isin(["11", "12"])]
    table = systems("doris-mae").table
    missing = set(zip(printed["system"], printed["table"])) - set(
        zip(table["name"], table["table"])
    )
    assert {name for name, _ in missing} == {"random", "RocketQA-v2", "RocketQA", "SPLADE-v2"}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_sound(name):
    """Every row can be built; a paper's system says where, and what was run or why not."""
    rows = ROWS[name]
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        assert row.key.isidentifier() and row.key.islower()
        assert not row.name or (row.source and row.named)
        assert row.run or not row.encoder or "not published" in row.note
        assert isinstance(systems(name)[row.key], pt.Transformer)
    assert SHAPES.get(name, name) in COLLECTIONS


def test_ts_aspire_is_what_its_authors_ran():
    """Nearest pair, in context, without titles, by the model trained for single matches."""
    score = systems("doris-mae")["ts_aspire"][-1]
    assert isinstance(score, ContextTransport)
    assert (score.method, score.context, score.title) == ("single", "abstract", "[SEP]")
    assert score.encoder.model == "allenai/aspire-contextualsentence-singlem-compsci"


def test_doris_maes_encoders_are_not_given_the_five_longest_abstracts():
    """The word-based systems are: an encoder's ranking is shorter where a pool has one of them."""
    long = ("205580", "28674", "346695", "346826", "346836")
    for key in ("e5", "sentbert", "ot_aspire"):
        assert f"without={long!r}" in repr(systems("doris-mae")[key])
    assert "205580" not in repr(systems("doris-mae")["bm25"])


def test_prompts_arrive():
    """GritLM's tags around the instruction of the paper's appendix D; documents bare."""
    encoder = systems("litsearch").encoder("gritlm_7b")
    task = "Given a research query, retrieve the title and abstract of the relevant research paper"
    assert encoder.query_prompt == f"<|user|>\n{task}\n<|embed|>\n"
    assert encoder.document_prompt == "<|embed|>\n"
    assert not encoder.prompt_pooled
    assert encoder.bidirectional


def test_precision_and_device_are_the_encoders():
    """Those of `systems` go to all encoders that have them."""
    for name, key in [("doris-mae", "e5"), ("doris-mae", "ot_aspire"), ("csfcube", "six_parts")]:
        encoder = systems(name, precision="bf16", device="cpu").encoder(key)
        assert (encoder.precision, encoder.device) == ("bf16", "cpu")


def test_any_encoder(mini):
    """The package's own systems take what is given; others stay as named."""
    encoder = Isolated(LSA(MINI))
    named = systems(MINI, encoder=encoder)
    run = named["one_encoding"](pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1))
    assert len(run) > 1
    assert named.encoder("six_parts") is encoder
    assert named.encoder("specter") == WholeText("allenai/specter", pooling="cls")


def test_models_by_key_go_before_models_by_name():
    """A key is one system, a name on the hub all that are run with it."""
    named = systems("doris-mae", models={"allenai/specter": "/a", "specter_id": "/b"})
    assert named.encoder("specter").model == "/a"
    assert named.encoder("specter_id").model == "/b"
    assert named.encoder("e5").model == "intfloat/e5-large-v2"


def test_an_encoder_goes_in_as_it_is():
    """A function or an encoder in the place of a model keeps its own settings."""
    assert systems("csfcube", models={"specter": letters}).encoder("specter") is letters


def test_candidates_of_ones_own(mini):
    """In the place of the pool: here the first two of it."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)
    two = systems(MINI).candidates % 2
    assert len(systems(MINI, candidates=two)["fabs_tfidf"](topics)) == 2


def test_it_is_a_dict():
    """Keys, length, membership, and pipelines of the kinds that the rows say."""
    named = systems("csfcube/method")
    assert list(named)[:2] == ["fabs_tfidf", "fabs_bm25"]
    assert len(named) == len(named.table) == len(dict(named))
    assert "specter" in named
    assert "nothing" not in named
    assert isinstance(named["sentbert_pp"][-1], SentenceMaxSim)
    assert isinstance(named["specter"][-1], TextSimilarity)
    assert "six_parts" in repr(named)


def test_an_unknown_key():
    """Lists the keys."""
    with pytest.raises(KeyError, match="no system 'gpt'; there are gtr_t5_large, instructor_xl"):
        systems("litsearch")["gpt"]


def test_an_unknown_collection():
    """Lists the collections."""
    with pytest.raises(ValueError, match="'cranfield': there are for csfcube, scholarly-mini"):
        systems("cranfield")


def test_models_that_no_system_uses():
    """Are most likely a slip."""
    with pytest.raises(ValueError, match="'allenai/spectre'"):
        systems("csfcube", models={"allenai/spectre": "/a"})


def test_weights_that_were_never_published(mini):
    """The pipeline is there; ranking says what to give."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)
    with pytest.raises(ValueError, match=r"SPECTER-ID were never published.*\{'specter_id': …"):
        systems(MINI)["specter_id"](topics)


def test_building_loads_nothing():
    """All pipelines of all collections are built without PyTorch, Java, or network."""
    code = (
        "import sys; from pyterrier_scholarly import systems;"
        "[dict(systems(name)) for name in ('csfcube', 'doris-mae', 'litsearch')];"
        "assert 'torch' not in sys.modules and 'jnius' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("key", ["fabs_cbow200", "fabs_tfidfcbow200"])
def test_word_vectors_are_trained_on_the_collection(mini, key):
    """Without a stand-in: cbow of 200 dimensions, plain or weighted."""
    pytest.importorskip("gensim")
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)
    named = systems(MINI)
    assert named[key](topics)["score"].nunique() > 1
    assert named.encoder(key).dimensions == 200
    assert named.encoder(key).weighted == (key == "fabs_tfidfcbow200")


def test_ada_is_asked_for_by_its_name():
    """OpenAI's name of the model, at whatever endpoint the environment says."""
    encoder = systems("doris-mae", device="cpu").encoder("ada_002")
    assert isinstance(encoder, encoders.OpenAIEmbeddings)
    assert encoder.model == "text-embedding-ada-002"
