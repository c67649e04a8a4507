"""The table of named systems, and a pipeline for each of its rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import (
    LSA,
    OneHop,
    OpenAIChat,
    SentenceTransformer,
    SparseEncoder,
    encoders,
    published,
    systems,
)
from pyterrier_scholarly.collect import citation_graph
from pyterrier_scholarly.encoders import Isolated
from pyterrier_scholarly.protocols import PROTOCOLS
from pyterrier_scholarly.step import best_first
from pyterrier_scholarly.text import nltk_sentences, split_sentences
from pyterrier_scholarly.transformers import (
    Pool,
    SentenceMaxSim,
    SentenceTransport,
    TextSimilarity,
)

from ..transformers.test_transport import by_loops
from .stand_ins import backwards, letters, stand_ins

MINI = "scholarly-mini/all"
COLLECTIONS = {"csfcube": MINI, "doris-mae": "doris-mae/dev", "litsearch": "litsearch"}
EVERY = [(name, row.key) for name in COLLECTIONS for row in PROTOCOLS[name].systems]


@pytest.fixture
def models_of(tiny, tmp_path):
    """A function from a collection to `models`: a tiny one of its architecture for each."""
    return lambda name: stand_ins(name, tiny, tmp_path / "adapter")


@pytest.fixture
def mini():
    """The embedded collection's queries of all facets."""
    return MINI


@pytest.fixture
def full_home(litsearch_home, tmp_path, monkeypatch):
    """LitSearch's files at hand, whose papers have full texts, and cite themselves.

    The files at hand have neither.
    """
    from pyarrow import Table, parquet

    home = tmp_path / "full"
    for file in sorted((litsearch_home / "litsearch").glob("*/*.parquet")):
        rows = parquet.read_table(file).to_pylist()
        if file.parent.name == "corpus_clean":
            more = [{"full_paper": row["abstract"], "citations": [row["corpusid"]]} for row in rows]
            rows = [row | own for row, own in zip(rows, more)]
        copy = home / file.relative_to(litsearch_home)
        copy.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(Table.from_pylist(rows), copy)
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))


@pytest.fixture
def topics(request):
    """From a collection to its shortest query; of LitSearch, with four candidates."""

    def of(name):
        if name == "litsearch":
            request.getfixturevalue("full_home")
        elif COLLECTIONS[name] != MINI:
            request.getfixturevalue("real_home")
        dataset = pt.get_dataset(f"irds:{COLLECTIONS[name]}")
        topics = dataset.get_topics("query")
        first = topics.loc[[topics["query"].str.len().idxmin()]]
        if name != "litsearch":
            return first
        docnos = [doc.doc_id for doc, _ in zip(dataset.irds_ref().docs_iter(), range(4))]
        return first.merge(pd.DataFrame({"docno": docnos}), how="cross")

    return of


RETRIEVERS = [key for name, key in EVERY if name == "litsearch" and "bm25" in key]
RERANKERS = [pair for pair in EVERY if pair not in [("litsearch", key) for key in RETRIEVERS]]


@pytest.mark.torch
@pytest.mark.parametrize(("name", "key"), RERANKERS, ids=lambda value: value)
def test_every_system_ranks_a_query(name, key, topics, models_of, offline):
    """With a tiny random model of its architecture: four candidates, each once, scored apart."""
    pool = None if name == "litsearch" else Pool(COLLECTIONS[name]) % 4
    asked, models = topics(name), models_of(name)
    named = systems(COLLECTIONS[name], models=models, candidates=pool, client=backwards)
    run = with_texts(named[key])(asked)
    expected = (asked if pool is None else pool(asked))["docno"]
    assert sorted(run["docno"]) == sorted(expected)
    assert sorted(run["rank"]) == [0, 1, 2, 3]
    assert np.isfinite(run["score"]).all()
    assert run["score"].nunique() > 1


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
@pytest.mark.parametrize(
    ("key", "window", "results"),
    [
        ("bm25", 0, 200),
        ("bm25_full", 0, 200),
        ("gpt_4o_bm25", 100, 200),
        ("gpt_4o_one_hop_bm25", 200, 50),  # the papers cite themselves alone
    ],
)
def test_every_retriever_ranks_a_query(key, window, results, topics):
    """A language model turns BM25's first papers round; what is behind its window stays."""
    assert key in RETRIEVERS
    asked = topics("litsearch")[["qid", "query"]].head(1)
    named = systems("litsearch", client=backwards)
    first = best_first(named["bm25"](asked))["docno"].tolist()[:results]
    run = best_first(with_texts(named[key])(asked))["docno"].tolist()
    assert sorted(run) == sorted(first)
    assert run == first[:window][::-1] + first[window:]


def with_texts(system):
    """`system`, on title and abstract where it wants full texts."""
    if "litsearch/full-text" not in repr(system):
        return system
    assert system.document == "{full_text}"
    system.set_parameter("document", "Title: {title}\nAbstract: {text}")
    return system


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_printed_row_has_one_key(name):
    """Each row of every table is one system's, or of a name that is left out, with a reason."""
    named, printed = systems(name), published(name)
    printed = printed[["name", "table"]].drop_duplicates()
    rows = named.table[["name", "table"]]
    joined = rows.merge(printed, how="outer", indicator=True)
    assert not joined[joined["_merge"] == "both"].duplicated().any()
    keyless = joined[joined["_merge"] == "right_only"]
    assert set(keyless["name"]) == set(named.left_out)
    assert (joined[joined["_merge"] == "left_only"]["table"] == "").all()
    assert all(len(reason) > 20 for reason in named.left_out.values())


def test_the_documented_merge_gives_every_printed_figure():
    """Of DORIS-MAE: 7 figures of each of 106 rows but the 6 of random orders."""
    figures = published("doris-mae")
    beside = systems("doris-mae").table.merge(figures, on=["name", "table"])
    assert len(beside) == (figures["name"] != "random").sum()
    of = beside.drop_duplicates(["key", "table"]).groupby("table")["key"].agg(set)
    assert {"sentbert_text", "ance_text"} <= of["11"] & of["15"]
    assert all({"sentbert", "ance"} <= of[table] for table in ("12", "13", "14", "16"))


def test_table_13_asterisks_are_systems_on_sentences():
    """An asterisk there is the paper's approach 2, aspects and abstracts sentence by sentence."""
    table = systems("doris-mae").table
    row = table[table["table"] == "13"].set_index("name")["form"]
    for name in ["SentBERT", "ANCE", "ColBERT-v2", "ERNIE", "SciBERT", "SciBERT ID"]:
        assert row[name] == "sentences"
    for name in ["SPLADE-v2", "ada-002", "E5-L-v2", "SimLM", "SimCSE", "SPECTER", "SPECTER-v2"]:
        assert row[name] == "text"
    keys = table[table["table"] == "13"].set_index("name")["key"]
    assert keys["RocketQA"] == "rocketqa_v2_sentences"


def test_bm25_is_on_whole_texts_in_every_table():
    """The released config.py has a paragraph for BM25, also of concatenated aspects (table 13)."""
    table = systems("doris-mae").table
    rows = table[table["name"] == "BM25"]
    assert dict(zip(rows["table"], rows["key"])) == dict.fromkeys(
        ["11", "13", "14", "15", "16"], "bm25"
    )
    assert set(rows["form"]) == {"pool_bm25"}
    assert table.set_index("key").loc["bm25_sentences", "table"] == ""


def test_table_14_is_of_whole_texts():
    """What all queries give and what 60 test queries give says what the other 40 must give.

    NDCG counts every query. On whole texts nobody does a point better on the others than on test
    (seven by exponential gain); on sentences ColBERT-v2 and SciBERT (SimLM) would.
    """
    figures = published("doris-mae")
    beside = systems("doris-mae").table.merge(figures, on=["name", "table"])
    value = beside.set_index(["label", "key", "table"])["value"].sort_index()

    def ahead(label, key, tested):
        whole = value[label, key].reindex(["11", "12"]).dropna().iloc[0]
        test = value[label, tested, "14"]
        return (whole - 0.6 * test) / 0.4 - test

    keys = set(value.xs("14", level="table").index.get_level_values("key"))
    assert max(ahead("NDCG%10", key, key) for key in keys) < 0.01
    assert max(ahead("NDCGexp%10", key, key) for key in keys) < 0.07
    for key, label in [("colbert_v2", ""), ("scibert", ""), ("simlm", "exp")]:
        most = 0.06 if not label else 0.15
        assert ahead(f"NDCG{label}%10", f"{key}_sentences", key) > most


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if PROTOCOLS[name].systems])
def test_rows_are_sound(name):
    """Every row can be built; a paper's system says where, and what was run or why not."""
    rows = PROTOCOLS[name].systems
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        assert row.key.isidentifier() and row.key.islower()
        assert not row.printed_name or (row.source and row.named)
        assert row.model or not row.encoder or "not published" in row.note
        assert not row.reranks or row.reranks in systems(name)
        assert isinstance(systems(name)[row.key], pt.Transformer)


def test_ts_aspire_is_what_its_authors_ran():
    """In context, without titles, by the model trained for single matches."""
    score = systems("doris-mae")["ts_aspire"][-1]
    assert isinstance(score, SentenceTransport)
    assert (score.method, score.context, score.title) == ("mean", "abstract", "[SEP]")
    assert score.encoder.model == "allenai/aspire-contextualsentence-singlem-compsci"
    assert systems("csfcube")["ts_aspire"][-1].method == "single"  # the ASPIRE paper's own


def test_metrics_are_the_authors():
    """Minus L2 for SPECTER's three and TS-ASPIRE, the plan for OT-ASPIRE, cosines for others.

    Over sentences, all but ASPIRE's are means of the query's maxima; CrossEncoderScore has means.
    """
    named = systems("doris-mae")
    forms = named.table.drop_duplicates("key").groupby("form")["key"].agg(list)
    l2 = {key for key in forms["text"] if named[key][-1].similarity == "l2"}
    assert l2 == {"specter", "specter_v2", "specter_id"}
    assert {named[key][-1].similarity for key in set(forms["text"]) - l2} == {"cosine"}
    sentences = [named[key][-1] for key in forms["sentences"]]
    assert {(score.aggregate, score.similarity) for score in sentences} == {("mean", "cosine")}


@pytest.mark.parametrize("key", ["ts_aspire", "ot_aspire"])
def test_aspire_on_doris_mae_by_the_formula(key, topics):
    """By any encoder: minus the mean over the query's sentences of the distance to the nearest.

    OT-ASPIRE's is minus the plan's cost, by plain loops.
    """
    asked = topics("doris-mae")
    pool = Pool("doris-mae/dev") % 5
    run = systems("doris-mae/dev", models={key: letters}, candidates=pool)[key](asked)
    query = letters(split_sentences(asked["query"].iloc[0]))
    store = pt.get_dataset("irds:doris-mae/dev").irds_ref().docs_store()
    for row in run.itertuples():
        document = letters(nltk_sentences(store.get(row.docno).text))
        distances = np.linalg.norm(query[:, None] - document, axis=2)
        mean = distances.min(axis=1).mean()
        expected = mean if key == "ts_aspire" else by_loops(query, document)[1]
        assert row.score == pytest.approx(-expected, abs=1e-6)
    assert len(run) == 5


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


def test_precision_device_and_cache_are_the_encoders(tmp_path):
    """Those of `systems` go to all encoders that have them."""
    for name, key in [("doris-mae", "e5"), ("doris-mae", "ot_aspire"), ("csfcube", "six_parts")]:
        encoder = systems(name, precision="bf16", device="cpu", cache=tmp_path).encoder(key)
        assert (encoder.precision, encoder.device, encoder.cache) == ("bf16", "cpu", tmp_path)
    assert systems("doris-mae", cache=tmp_path).encoder("ada_002").cache == tmp_path


def test_lsa_is_fitted_on_the_dataset():
    """The word "lsa" stands for `LSA` of the dataset whose queries are answered."""
    for name, queries in [("scholarly-mini", MINI), ("doris-mae/dev", "doris-mae/dev")]:
        expected = systems(name, LSA(queries))["in_context"]
        assert systems(name, "lsa")["in_context"] == expected


def test_any_encoder(mini):
    """The package's own systems take what is given; others stay as named."""
    encoder = Isolated(LSA(MINI))
    named = systems(MINI, encoder=encoder)
    run = named["one_encoding"](pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1))
    assert len(run) > 1
    assert named.encoder("six_parts") is encoder
    assert named.encoder("specter") == SentenceTransformer("allenai/specter", pooling="cls")


def test_models_by_key_go_before_models_by_name():
    """A key is one system, a name on the hub all that are run with it."""
    named = systems("doris-mae", models={"allenai/specter": "/a", "specter_id": "/b"})
    assert named.encoder("specter").model == "/a"
    assert named.encoder("specter_id").model == "/b"
    assert named.encoder("e5").model == "intfloat/e5-large-v2"


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
    with pytest.raises(KeyError, match=r"Unknown system 'gpt'. .*: bm25, bm25_full, gtr_t5_large"):
        systems("litsearch")["gpt"]


@pytest.mark.parametrize(
    ("dataset", "protocol", "expected"),
    [
        ("highwire", None, "none of the fields text, abstract, .*csfcube, doris-mae, litsearch"),
        ("csfcube", "vaswani", "Protocol 'vaswani' has no systems. Choose one of: csfcube"),
        ("csfcube", "rhsa", "Protocol 'rhsa' has no systems"),
        ("csfcube", "litsaerch", "Did you mean 'litsearch'"),
        ("no-such", None, "Unknown dataset 'no-such'"),
    ],
)
def test_collections_without_systems(dataset, protocol, expected):
    """The error names what is missing, and the collections that have systems."""
    with pytest.raises(ValueError, match=expected):
        systems(dataset, protocol=protocol)


def test_runs_stand_for_systems(topics):
    """A run of GritLM, say of an index, is what the language model re-ranks; no model is loaded."""
    asked = topics("litsearch")
    frame = asked.assign(score=[4.0, 3.0, 2.0, 1.0])
    named = systems(
        "litsearch", client=backwards, runs={"gritlm_7b": pt.Transformer.from_df(frame)}
    )
    run = named["gpt_4o_gritlm_7b"](asked[["qid", "query"]].head(1))
    assert run["docno"].tolist() == frame["docno"].tolist()[::-1]
    assert named["gritlm_7b"] is named.runs["gritlm_7b"]
    with pytest.raises(ValueError, match="Unknown system 'gritlm' of the argument runs"):
        systems("litsearch", runs={"gritlm": pt.Transformer.from_df(frame)})


@pytest.mark.torch
@pytest.mark.parametrize(("one_hop", "order"), [(None, "paper"), ("released", "released")])
def test_one_hop_is_in_the_paper_s_or_the_released_order(one_hop, order):
    """The system, its candidates' order in the pipeline, and the table say the same."""
    named = systems("litsearch", one_hop=one_hop)
    (expansion,) = [step for step in named["gpt_4o_one_hop_bm25"] if hasattr(step, "m")]
    assert expansion == OneHop(citation_graph("litsearch"), order=order)
    rows = named.table[named.table["form"] == "one_hop"]
    assert set(rows["order"]) == {order}


def test_an_unknown_order_of_one_hop():
    """The error names both orders."""
    with pytest.raises(ValueError, match=r"[Uu]nknown one_hop 'first'.*paper, released"):
        systems("litsearch", one_hop="first")


def test_an_order_for_systems_without_one_hop():
    """It would change nothing, so it is an error."""
    with pytest.raises(ValueError, match="one_hop='paper': CSFCube has no systems of one hop"):
        systems("csfcube", one_hop="paper")


@pytest.mark.torch
def test_language_models_ask_the_client():
    """The one that is given, else the API's by the paper's name: nothing is asked by building."""
    assert systems("litsearch", client=backwards).encoder("gpt_4o_bm25") is backwards
    assert systems("litsearch").encoder("gpt_4o_bm25") == OpenAIChat("gpt-4o-2024-05-13")
    listwise = systems("litsearch")["gpt_4o_one_hop_bm25"][-1]
    assert (listwise.preset, listwise.window) == ("litsearch", 200)
    expansion = next(
        step for step in systems("litsearch")["gpt_4o_one_hop_bm25"] if hasattr(step, "m")
    )
    assert (expansion.m, expansion.n, expansion.order) == (50, 200, "paper")
    assert expansion.graph == citation_graph("litsearch")


def test_rocketqa_is_a_cross_encoder_of_ones_own(real_home):
    """The model is not loaded here, and says so; a function of pairs stands for it."""
    topics = pt.get_dataset("irds:doris-mae/dev").get_topics("query").head(1)
    with pytest.raises(ValueError, match=r"PaddlePaddle.*\{'rocketqa_v2': …"):
        systems("doris-mae/dev")["rocketqa_v2"](topics)
    seen = []

    def score(pairs):
        seen.extend(pairs)
        return [len(document) for _, document in pairs]

    named = systems("doris-mae/dev", models={"v2_marco_ce": score})
    run = named["rocketqa_v2_sentences"](topics)
    sentences = {sentence for sentence, _ in seen}
    assert (
        len(seen) == len(sentences) * len({document for _, document in seen}) > len(sentences) > 1
    )
    assert all(sentence in topics["query"].iloc[0] for sentence in sentences)
    assert len(run) == len(Pool("doris-mae/dev")(topics))  # also the longest abstracts


def test_splade_is_run_by_cosine():
    """On whole texts; sentences have no other."""
    score = systems("doris-mae", precision="bf16")["splade_v2"][-1]
    assert score.similarity == "cosine"
    assert score.encoder == SparseEncoder("naver/splade_v2_distil", precision="bf16")


def test_weights_that_were_never_published(mini):
    """The pipeline is there; ranking says what to give."""
    topics = pt.get_dataset(f"irds:{MINI}").get_topics("query").head(1)
    with pytest.raises(ValueError, match=r"SPECTER-ID were never published.*\{'specter_id': …"):
        systems(MINI)["specter_id"](topics)


@pytest.mark.slow
def test_building_loads_nothing():
    """All pipelines of all collections are built without PyTorch, Java, or network."""
    code = (
        "import os, sys; network = ('socket.connect', 'socket.getaddrinfo');"
        "sys.addaudithook(lambda event, _: os._exit(9) if event in network else None);"
        "from pyterrier_scholarly import systems;"
        "[dict(systems(name)) for name in ('csfcube', 'doris-mae', 'litsearch')];"
        "assert 'torch' not in sys.modules and 'jnius' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


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
