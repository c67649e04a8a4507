"""Registration: ours beside the host's, twice over, without touching the world."""

import copy
import json
import pickle
import warnings

import ir_datasets
import pytest

import ir_datasets_ext

IMPORT = """
import json, os, sys
os.environ["PYTERRIER_SCHOLARLY_DISCOVERY"] = "0"
import ir_datasets
seen = []
sys.addaudithook(lambda event, args: seen.append((event, str(args[0]) if args else "")))
import ir_datasets_ext
seen = list(seen)
assert "csfcube/method" in set(ir_datasets.registry)
print(json.dumps(seen))
"""
LOADED = """
import os, sys
os.environ["PYTERRIER_SCHOLARLY_DISCOVERY"] = "0"
import ir_datasets
before = set(sys.modules)
import ir_datasets_ext
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(loaded - sys.stdlib_module_names))
"""


@pytest.fixture
def registry(monkeypatch):
    """An empty registry in the place of ir_datasets' own."""
    empty = ir_datasets.util.Registry()
    monkeypatch.setattr(ir_datasets, "registry", empty)
    return empty


def test_every_id_is_there(registry):
    """Of CSFCube's shape: the documents, three facets, all, and all with the query paper.

    Each has four parts of folds. Over the 800,000 abstracts there are no folds.
    """
    ir_datasets_ext.register()
    parts = ["", *(f"/fold{n}/{part}" for n in (1, 2) for part in ("dev", "test"))]
    facets = [
        f"/{facet}{part}" for facet in ("background", "method", "result", "all") for part in parts
    ]
    released_pools = [f"/with-query-paper{part}" for part in parts]
    names = ("csfcube", "scholarly-mini")
    expected = {name + below for name in names for below in ["", *facets, *released_pools]}
    assert len(expected) == 2 * (1 + 5 * 5)
    expected |= {f"csfcube/s2orc{facet}" for facet in ("", *facets) if "fold" not in facet}
    assert {name for name in registry if name.split("/")[0] in names} == expected


def test_registering_twice_changes_nothing(registry):
    """The objects of the first time stay, and nobody is warned."""
    ir_datasets_ext.register()
    first = {name: registry[name] for name in registry}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ir_datasets_ext.register()
    assert {name: registry[name] for name in registry} == first


def test_the_host_s_datasets_stay(registry):
    """Taken ids stay the host's, one warning names them, and all other ids are ours."""
    theirs = {name: ir_datasets.Dataset() for name in ("csfcube/method", "scholarly-mini")}
    for name, dataset in theirs.items():
        registry.register(name, dataset)
    theirs = {name: registry[name] for name in theirs}  # as the host keeps them
    with pytest.warns(RuntimeWarning, match=": csfcube/method, scholarly-mini. ") as caught:
        ir_datasets_ext.register()
    assert len(caught) == 1
    assert {name: registry[name] for name in theirs} == theirs
    assert registry["csfcube/result"].documentation()["pretty_name"] == "CSFCube, result"


def test_importing_touches_no_file_but_modules_and_no_network(python, home):
    """The import opens only modules and our list of files, writes nothing, opens no socket."""
    output, errors = python(IMPORT).communicate()
    events = json.loads(output or errors)
    opened = {path for event, path in events if event == "open"}
    others = {path for path in opened if not path.endswith((".py", ".pyc", ".so"))}
    assert {path.rpartition("/ir_datasets_ext/")[2] for path in others} == {"data/files.json"}
    assert any("ir_datasets_ext" in path for path in opened)
    names = {event for event, path in events if "__pycache__" not in path}
    assert not {name for name in names if name.startswith(("socket", "os.mkdir", "urllib"))}
    assert not (home / "csfcube").exists()
    assert not (home / "scholarly-mini").exists()


def test_importing_loads_little(python):
    """The import loads three small libraries; ``benchmarks/startup.py`` prints its time."""
    loaded = set(python(LOADED).communicate()[0].split())
    assert loaded <= {"ir_datasets_ext", "filelock", "lz4", "msgspec", "typing_extensions"}


@pytest.mark.parametrize("name", ["csfcube", "csfcube/method", "scholarly-mini/all/fold1/dev"])
def test_datasets_are_pickled_as_their_ids(name):
    """A copy, or what another process makes of the pickle, is the registered dataset."""
    dataset = ir_datasets.load(name)
    assert pickle.loads(pickle.dumps(dataset)) is dataset
    assert copy.deepcopy({"dataset": dataset})["dataset"] is dataset
    assert isinstance(dataset, ir_datasets.Dataset)


@pytest.mark.parametrize(("name", "count"), [("csfcube", 31), ("scholarly-mini", 26)])
def test_every_dataset_is_documented(name, count):
    """Each has a name and a text of its own; those with judgements have official measures."""
    texts = {}
    for dataset_id in ir_datasets.registry:
        if dataset_id.split("/")[0] == name:
            texts[dataset_id] = ir_datasets.load(dataset_id).documentation()
    assert len(texts) == count
    assert all(text["pretty_name"] and text["desc"] for text in texts.values())
    measured = {dataset_id for dataset_id, text in texts.items() if "official_measures" in text}
    assert measured == texts.keys() - {name}


def test_a_split_s_documentation_is_made_of_its_parts():
    """Name and measures are the facet's, the text is the split's, the citation the collection's."""
    texts = ir_datasets.load("csfcube/method/fold2/dev").documentation()
    assert texts["pretty_name"] == "CSFCube, method"
    assert "fold 2" in texts["desc"]
    assert "NDCG%20" in texts["official_measures"]
    assert texts["bibtex"].startswith("@inproceedings{mysore2021csfcube,")


def test_metadata_answers_where_no_file_is(home):
    """Before a download, counts are the release's; that of documents is unknown."""
    method = ir_datasets.load("csfcube/method")
    assert (method.queries_count(), method.qrels_count(), method.scoreddocs_count()) == (
        17,
        2174,
        2174,
    )
    assert ir_datasets.load("csfcube/all/fold1/test").queries_count() == 26
    assert method.docs_count() is None
    assert method.metadata()["qrels"] == {"count": 2174}
    assert not (home / "csfcube").exists()
