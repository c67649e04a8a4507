"""What every dataset of the collection offers, on the file made by hand."""

import warnings

import ir_datasets
import pytest

from ir_datasets_ext.doris_mae import DERIVATIONS, datasets, list_human_derivations

pytestmark = pytest.mark.filterwarnings("ignore:.*was not compared with the release's")
WAYS = [*DERIVATIONS, *list_human_derivations()]


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


def test_ids():
    """Each way to ask has parts, people's judgements and the first release have none."""
    ways = {"", "aspect-queries", "aspects", "subqueries-2", "subqueries-3"}
    parts = {f"{way}/{part}".lstrip("/") for way in ways for part in ("dev", "test")}
    human = {"human", *(f"human/annotator-{number}" for number in (1, 2, 3))}
    human |= {"human-dev", "human-dev/annotator-1", "human-dev/annotator-2"}
    first = {"v0", "v0/subqueries-2", "v0/human"}
    found = {dataset_id.removeprefix("doris-mae").lstrip("/") for dataset_id in datasets()}
    assert found == ways | parts | human | first
    assert set(datasets()) == {i for i in ir_datasets.registry if i.split("/")[0] == "doris-mae"}


def test_registering_reads_nothing(home, offline):
    """Neither making nor asking for the kinds of things touches home or network."""
    for dataset_id in datasets():
        dataset = ir_datasets.load(dataset_id)
        assert dataset.has_docs() and dataset.has_queries()
        assert dataset.has_qrels() and dataset.has_scoreddocs()
        assert dataset.documentation()["pretty_name"].startswith("DORIS-MAE")
        assert "CC BY-NC 4.0" in dataset.documentation()["data_access"]
    assert not home.exists()


@pytest.mark.parametrize("below", WAYS)
def test_kinds(doris, below):
    """The same kinds of records everywhere, ids in one namespace, in English."""
    dataset = load(below)
    assert dataset.docs_namespace() == dataset.queries_namespace() == "doris-mae"
    assert dataset.docs_lang() == dataset.queries_lang() == "en"
    assert dataset.qrels_cls()._fields == ("query_id", "doc_id", "relevance", "iteration")
    assert dataset.scoreddocs_cls()._fields == ("query_id", "doc_id", "score")
    assert {type(query) for query in dataset.queries_iter()} == {dataset.queries_cls()}
    assert {type(qrel) for qrel in dataset.qrels_iter()} == {dataset.qrels_cls()}
    assert {type(qrel.relevance) for qrel in dataset.qrels_iter()} == {int}
    assert {candidate.score for candidate in dataset.scoreddocs_iter()} == {0.0}
    assert not set(dataset.queries_cls()._fields) & set(dataset.docs_cls()._fields)
    assert ir_datasets.docs_parent_id(f"doris-mae/{below}".rstrip("/")) == "doris-mae"


@pytest.mark.parametrize("below", WAYS)
def test_relevance_is_explained(doris, below):
    """Every relevance that occurs is explained, the single scores one by one."""
    definitions = load(below).qrels_defs()
    single = below.split("/")[0] in ("aspects", "human", "human-dev")
    assert set(definitions) == ({0, 1, 2} if single else {0, 1})
    assert single or "|Q|" in definitions[1]
    found = {qrel.relevance for qrel in load(below).qrels_iter()}
    assert set() < found <= (set(definitions) if single else set(range(9)))


def test_queries_by_id(doris):
    """Found in any of the ways to ask."""
    assert load().queries_store().get("1").query == "Alpha. Beta."
    assert load("aspects").queries_store().get("12").query == "Twelve."
    with pytest.raises(KeyError, match="query_id=2 not found"):
        load().queries_store().get("2")


def test_of_queries_alone_nothing_else_is_said(doris):
    """What the file made by hand holds is as the release has it: no warning but on the md5."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*was not compared with the release's")
        assert [load(below).queries_count() for below in WAYS] == [2, 2, 2, 1, 7, *[2] * 7]
