"""Writing a collection: all of it or nothing, and nothing that does not fit together."""

import json
import resource
import shutil
import time
import warnings
from collections import namedtuple

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.writing import write_folder

SAID = {"description": "A collection", "licence": "CC0-1.0"}
DOCS = [{"doc_id": name, "title": name.upper(), "sentences": ["X."]} for name in "abc"]
QUERIES = [{"query_id": "q", "query": "which?"}, {"query_id": "r", "query": "and?"}]


def write(docs=DOCS, name="x", more=None, **tables):
    """Write made/x with `QUERIES` and `tables`, and load it."""
    tables = {"queries": QUERIES, **tables}
    write_folder(folder_of("made", name), docs, {"": tables}, **{**SAID, **(more or {})})
    return ir_datasets.load(f"made/{name}")


def judged(*rows):
    """Judgements."""
    return [dict(zip(("query_id", "doc_id", "relevance"), row)) for row in rows]


def visible(folder):
    """The names in a folder, without hidden ones, such as locks."""
    return sorted(path.name for path in folder.glob("[!.]*"))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_what_is_written_is_read(form):
    """Every kind of table comes back as it was, in its order, in either form."""
    ratings = [
        {"query_id": "q", "doc_id": "b", "annotator": "first", "rating": 2},
        {"query_id": "q", "doc_id": "b", "annotator": "second", "rating": None},
    ]
    pools = [{"query_id": "q", "doc_id": "c", "sources": ["bm25", "cited"], "score": 1}]
    found = write(
        qrels=judged(("r", "c", 0), ("q", "b", 2)),
        scoreddocs=pools,
        ratings=ratings,
        pairs=[{"doc_id_a": "a", "doc_id_b": "b", "times": 11}],
        more={"form": form, "definitions": {np.int64(0): "no", 2: "yes"}, "overwrite": True},
    )
    assert [doc._asdict() for doc in found.docs] == [
        {**doc, "sentences": tuple(doc["sentences"])} for doc in DOCS
    ]
    assert [tuple(query) for query in found.queries] == [("q", "which?"), ("r", "and?")]
    assert [tuple(qrel) for qrel in found.qrels] == [("r", "c", 0), ("q", "b", 2)]
    assert found.qrels.defs == {0: "no", 2: "yes"}
    assert [tuple(row) for row in found.scoreddocs] == [("q", "c", 1.0)]
    assert [tuple(row) for row in found.pool_sources_iter()] == [("q", "c", ("bm25", "cited"))]
    assert [row._asdict() for row in found.ratings_iter()] == ratings
    assert [tuple(pair) for pair in found.pairs_iter()] == [("a", "b", 11)]


def test_rows_may_be_frames_or_named_tuples():
    """A data frame with PyTerrier's names, and named tuples, are rows as dicts are."""
    qrels = pd.DataFrame({"label": np.array([1, 0]), "docno": ["a", "b"], "qid": ["q", "r"]})
    Paper = namedtuple("Paper", "doc_id year")
    found = write([Paper("a", 1), Paper("b", np.int64(2))], qrels=qrels)
    assert [tuple(doc) for doc in found.docs] == [("a", 1), ("b", 2)]
    assert [tuple(qrel) for qrel in found.qrels] == [("q", "a", 1), ("r", "b", 0)]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_numpys_values_are_plain_ones(form):
    """Scalars and arrays, as Parquet gives lists, are read as Python's; a list may be empty."""
    row = {"doc_id": np.str_("a"), "n": np.int64(3), "x": np.float32(0.5), "t": np.array(["s"])}
    found = write(
        pd.DataFrame([row, {**row, "doc_id": "b", "t": np.array([])}]), more={"form": form}
    )
    assert [tuple(doc) for doc in found.docs] == [("a", 3, 0.5, ("s",)), ("b", 3, 0.5, ())]


def test_other_tables_keep_names_that_are_pyterriers():
    """`label` of a query is no relevance, a pair's `qid` no query's id."""
    queries = [{**query, "label": "method", "docno": "a", "score": 3} for query in QUERIES]
    pairs = [{"doc_id_a": "a", "doc_id_b": "b", "qid": "q", "score": 2}]
    found = write(queries=queries, pairs=pairs)
    assert [query._asdict() for query in found.queries] == queries
    assert [pair._asdict() for pair in found.pairs_iter()] == pairs
    assert [type(pair.score) for pair in found.pairs_iter()] == [int]


def test_documents_may_be_ids_alone():
    """As a download log knows them."""
    found = write([{"doc_id": "1998ApJ...500..525S"}])
    assert [doc.default_text() for doc in found.docs] == [""]


def test_the_page_and_the_licence():
    """Documentation says what the writer said, by part; the licence's text lies beside it."""
    page = {"_": {"bibtex": "@misc{x}"}, "dev": {"desc": "<p>for settings</p>"}}
    tables = {"": {}, "dev": {"queries": QUERIES}}
    said = {"description": "Made of <five> papers", "licence": "CC0-1.0\n\nNo rights reserved."}
    folder = write_folder(folder_of("made", "x"), DOCS, tables, page=page, **said)
    texts = ir_datasets.load("made/x").documentation()
    assert texts["desc"] == "<p>Made of &lt;five&gt; papers</p>"
    assert (texts["bibtex"], "CC0-1.0." in texts["data_access"]) == ("@misc{x}", True)
    assert ir_datasets.load("made/x/dev").documentation()["desc"] == "<p>for settings</p>"
    (licence,) = folder.rglob("LICENCE.txt")
    assert licence.read_text() == said["licence"] + "\n"
    assert json.loads((folder / "collection.json").read_text())["licence"] == "CC0-1.0"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_equal_input_gives_equal_bytes(form):
    """Two writings of the same rows differ in no byte of any file."""
    folders = [folder_of("made", "x"), folder_of("download-log", "x")]
    for folder in folders:
        write_folder(folder, DOCS, {"": {"queries": QUERIES}}, form=form, **SAID)
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in folders
    )
    assert first == second


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"docs": [*DOCS, DOCS[0]]}, "docs to be written, row 4: duplicate of doc_id a"),
        ({"docs": [{"doc_id": "a"}, 3]}, "docs have 3: expected a data frame, or an iterable"),
        ({"docs": []}, "has no documents: expected one or more"),
        ({"docs": [{"doc_id": "a b"}]}, "doc_id is 'a b': expected a text without blanks"),
        ({"docs": [{"doc_id": ""}]}, "doc_id is '': expected a text"),
        ({"docs": [{"doc_id": 3}]}, "row 1: Expected `str`, got `int` - at `$.doc_id`"),
        ({"docs": [{"doc_id": "a", "title": None}]}, "Expected `str`, got `null` - at `$.title`"),
        (
            {"docs": [{"doc_id": "a", "x": True}]},
            "docs have a field x of type bool: expected st",
        ),
        ({"docs": [{"doc_id": "a"}, {"id": "b"}]}, "row 2: Object contains unknown field `id`, in"),
        ({"docs": [DOCS[0], {"doc_id": "b"}]}, "row 2: Object missing required field `title`, in"),
        ({"docs": [{"doc_id": "a", "sentences": "X."}]}, "Expected `array`, got `str`"),
        ({"docs": [{"doc_id": "a", "rating": 1}, {"doc_id": "b", "rating": None}]}, "got `null`"),
        ({"docs": [{"title": "a"}]}, "docs lack doc_id"),
        ({"docs": [{"doc_id": "a", "docno": "b"}]}, "docs have two columns for doc_id: leave one"),
        ({"docs": [{"doc_id": "a", "my year": 1}]}, "must be valid identifiers: 'my year'"),
        ({"docs": [{"doc_id": "a", "x": float("nan")}]}, "Expected `float`"),
        (
            {"docs": [{"doc_id": "a", "title": "\ud800"}]},
            "docs to be written, row 1: 'utf-8' codec",
        ),
        ({"queries": QUERIES * 2}, "row 3: duplicate of query_id q"),
        ({"queries": [{"query_id": "q", "text": "?"}]}, "queries lack query"),
        ({"queries": [{**QUERIES[0], "text": "?"}]}, "queries may not have the field text"),
        ({"qrels": judged(("z", "a", 1))}, "query_id is 'z': expected one of the collection's 2"),
        ({"qrels": judged(("q", "z", 1))}, "doc_id is 'z': expected one of the collection's 3"),
        ({"qrels": judged(("q", "a", 1.0))}, "Expected `int`, got `float`"),
        ({"qrels": judged(("q", "b", 1), ("q", "b", 0))}, "duplicate of query_id q, doc_id b"),
        ({"qrels": [{**judged(("q", "a", 1))[0], "why": "x"}]}, "qrels have a field why"),
        ({"scoreddocs": judged(("q", "a", 1))}, "scoreddocs have a field relevance"),
        ({"pairs": [{"doc_id_a": "a", "doc_id_b": "z"}]}, "doc_id_b is 'z': expected one of the c"),
        ({"runs": []}, "has runs: expected queries, scoreddocs, qrels, ratings, pairs"),
        ({"more": {"licence": " "}}, "licence is empty: write what applies"),
        ({"more": {"form": "csv"}}, "Unknown form 'csv'. Choose one of: jsonl, parquet"),
        ({"name": "a" * 201}, "is no name of a collection: expected"),
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_what_does_not_fit_is_refused(home, tables, said, form):
    """The error names kind, row, value and expectation; no file is left."""
    more = {"form": form, **tables.get("more", {})}
    with pytest.raises(ValueError) as caught:
        write(**{**tables, "more": more})
    assert said in str(caught.value)
    assert visible(home / "made") == []


def test_a_rating_is_there_once_for_each_annotator():
    """Two annotators may rate one document, but each of them only once."""
    row = {"query_id": "q", "doc_id": "b", "annotator": "me", "rating": 1}
    write(ratings=[row, {**row, "annotator": "you"}])
    with pytest.raises(ValueError, match="duplicate of query_id q, doc_id b, annotator me"):
        write(name="y", ratings=[row, {**row, "annotator": "you"}, row])


def test_ratings_of_a_frame():
    """With one that is missing, a frame has floats and NaN for whole numbers and None."""
    frame = pd.DataFrame({"qid": "q", "docno": list("abc"), "annotator": "me"})
    found = write(ratings=frame.assign(rating=[2, None, 0]))
    assert [row.rating for row in found.ratings_iter()] == [2, None, 0]
    assert [type(row.rating) for row in found.ratings_iter()] == [int, type(None), int]
    with pytest.raises(ValueError, match=r"row 1: Expected `int \| null`, got `float`"):
        write(name="y", ratings=frame.assign(rating=[0.5, None, 0]))


def test_long_names():
    """Names of 200 characters fit into the file system, also beside temporary names."""
    write_folder(folder_of("made", "a" * 200), DOCS, {"b" * 200: {"queries": QUERIES}}, **SAID)
    assert ir_datasets.load(f"made/{'a' * 200}/{'b' * 200}").queries_count() == len(QUERIES)
    with pytest.raises(ValueError, match="is no name of a part"):
        write_folder(folder_of("made", "x"), DOCS, {"../b": {}}, **SAID)


@pytest.mark.parametrize("file", ["x", "x/thesis.tex"])
def test_what_is_no_collection_is_never_overwritten(home, file):
    """A file, or a folder with other content, stays unchanged, even with `overwrite`."""
    path = home / "made" / file
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="x exists and is no collection"):
        write(more={"overwrite": True})
    assert path.read_text() == "mine"


def test_nothing_is_overwritten_unless_asked_for():
    """With `overwrite` a collection is replaced; without it, or if that fails, it stays."""
    found = write()
    with pytest.raises(FileExistsError, match="pass overwrite=True"):
        write(DOCS[:1])
    with pytest.raises(ValueError, match="duplicate"):
        write(DOCS[:1] * 2, more={"overwrite": True})
    assert found.docs_count() == 3
    for count in (1, 2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it was asked for
            assert write(DOCS[:count], more={"overwrite": True}).docs_count() == count
        assert [doc.doc_id for doc in found.docs] == list("abc")[:count]
    assert visible(folder_of("made", "x")) == ["collection.json", "tables", "tables-2"]


def test_who_reads_while_it_is_overwritten_reads_on():
    """A handler that was taken before has the old judgements; the dataset has the new ones."""
    old = write(qrels=judged(("q", "a", 1)))
    handler = old.qrels_handler()
    write(qrels=judged(("q", "b", 2)), more={"overwrite": True})
    assert [tuple(qrel) for qrel in handler.qrels_iter()] == [("q", "a", 1)]
    assert [tuple(qrel) for qrel in old.qrels] == [("q", "b", 2)]


def test_a_damaged_collection_is_repaired_by_writing_it_again():
    """Writing the same content again replaces the damaged file, or the damaged manifest."""
    found = write(qrels=judged(("q", "a", 1)))
    for name in ("qrels.jsonl", "collection.json"):
        (path,) = folder_of("made", "x").rglob(name)
        path.write_text("{")
        with pytest.raises(ValueError, match=rf"{name}.*delete the folder and write"):
            list(found.qrels)
        write(qrels=judged(("q", "a", 1)), more={"overwrite": True})
        assert [tuple(qrel) for qrel in found.qrels] == [("q", "a", 1)]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_full_disk(home, form):
    """The error names the folder and the remedy, and nothing is left."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"cannot write to .*made.*IR_DATASETS_HOME"):
            write([{"doc_id": str(number)} for number in range(10_000)], more={"form": form})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert visible(home / "made") == []


KILLED = """
from ir_datasets_ext.local import folder_of
from ir_datasets_ext.writing import write_folder
docs = [{"doc_id": str(n), "text": "text " * 20} for n in range(20_000)]
queries = [{"query_id": "q", "query": "?"}]
print("ready", flush=True)
write_folder(folder_of("made", "x"), docs, {"": {"queries": queries}}, description="d",
             licence="l", overwrite=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("earlier", [0, 3])
def test_killed_while_writing(home, python, earlier):
    """The folder has the earlier collection, or the new one, and can be written again."""
    folder = home / "made" / "x"
    for delay in (0.02, 0.1, 0.2, 0.3):
        if earlier:
            write(DOCS[:earlier], more={"overwrite": True})
        process = python(KILLED)
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        counts = [ir_datasets.load("made/x").docs_count()] if folder.exists() else [0]
        assert counts in ([earlier], [20_000])
        shutil.rmtree(folder, ignore_errors=True)
    assert write().docs_count() == 3


def test_two_processes_write_one_after_the_other(home, python):
    """Both succeed with `overwrite`, and the folder has a whole collection."""
    processes = [python(KILLED) for _ in range(2)]
    assert [process.communicate()[1] for process in processes] == ["", ""]
    assert ir_datasets.load("made/x").docs_count() == 20_000


def test_rows_are_streamed():
    """A stream of a hundred thousand pairs is never held as a whole: at most a block is."""
    alive, most = 0, 0

    class Pair(dict):
        def __init__(self, **fields):
            nonlocal alive, most
            super().__init__(fields)
            alive += 1
            most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

    rows = (Pair(doc_id_a="a", doc_id_b="b", n=number) for number in range(100_000))
    found = write(pairs=rows, more={"form": "parquet"})
    assert (found.pairs_count(), most < 10) == (100_000, True)
