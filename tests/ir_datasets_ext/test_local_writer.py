"""Writing a collection: all of it or nothing, and nothing that does not fit together."""

import json
import os
import time
from collections import namedtuple

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.writer import write_folder
from ir_datasets_ext.store.atomic_files import find_leftovers

SAID = {"description": "A collection", "licence": "CC0-1.0"}
DOCS = [{"doc_id": name, "title": name.upper(), "sentences": ["X."]} for name in "abc"]
QUERIES = [{"query_id": "q", "query": "which?"}, {"query_id": "r", "query": "and?"}]


def write(docs=DOCS, name="x", said=SAID, more=None, **tables):
    """Write made/x with `QUERIES` and `tables`, and load it."""
    tables = {"queries": QUERIES, **tables}
    write_folder(folder_of("made", name), docs, {"": tables}, **said, **(more or {}))
    return ir_datasets.load(f"made/{name}")


def judged(*rows):
    """Judgements."""
    return [dict(zip(("query_id", "doc_id", "relevance"), row)) for row in rows]


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
        more={"form": form, "definitions": {0: "no", 2: "yes"}, "overwrite": True},
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
    qrels = pd.DataFrame({"label": np.array([1, 0]), "qid": ["q", "r"], "docno": ["a", "b"]})
    Paper = namedtuple("Paper", "doc_id year")
    found = write([Paper("a", 1), Paper("b", np.int64(2))], qrels=qrels)
    assert [tuple(doc) for doc in found.docs] == [("a", 1), ("b", 2)]
    assert [tuple(qrel) for qrel in found.qrels] == [("q", "a", 1), ("r", "b", 0)]


def test_arrays_are_lists():
    """A frame that was read from Parquet has arrays where it had lists; the first may be short."""
    authors = [np.array(names, dtype=object) for names in (["Ann"], ["Bo", "Cy"], [])]
    found = write(pd.DataFrame({"doc_id": list("abc"), "authors": authors}))
    assert [doc.authors for doc in found.docs] == [("Ann",), ("Bo", "Cy"), ()]


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


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "- a", "a: b", "[" * 3000, "\0", "a: !!x y"])
def test_a_page_that_is_no_yaml_is_named(text):
    """The error has the cause and the remedy; the data are still readable."""
    said = {"description": "Made", "licence": "CC0-1.0"}
    page = {"_": {"bibtex": "@misc{x}"}}
    folder = write_folder(folder_of("made", "x"), DOCS, {"": {}}, page=page, **said)
    (path,) = folder.rglob("*.yaml")
    path.write_text(text)
    with pytest.raises(ValueError, match=r"(?s)\.yaml.*Delete .* and write the collection again"):
        ir_datasets.load("made/x").documentation()
    assert ir_datasets.load("made/x").docs_count() == len(DOCS)


def test_the_page_and_the_licence(home):
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


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("*/page.yaml", "A collection", "No collection"),
        ("collection.json", '"1": "yes"', '"1": "yet"'),
        ("collection.json", '"lang": "en"', '"lang": "et"'),
    ],
)
def test_texts_that_changed_are_said(home, name, old, new):
    """A changed page or manifest is an error; a manifest without a digest may be changed."""
    write(qrels=judged(("q", "b", 1)), more={"definitions": {1: "yes"}})
    (path,) = (home / "made" / "x").glob(name)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=rf"{path.name}.* expected .*, got .*\. Delete"):
        ir_datasets.load("made/x").documentation()
    if name == "collection.json":
        manifest = json.loads(path.read_text())
        del manifest["digest"]
        path.write_text(json.dumps(manifest))
        assert ir_datasets.load("made/x").docs_count() == 3


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
        ({"docs": [*DOCS, DOCS[0]]}, "duplicate document a"),
        ({"docs": 3}, "docs are 3: expected a data frame, or an iterable"),
        ({"docs": [{"doc_id": "a"}, 3]}, "row 2 of the docs is 3: expected doc_id"),
        ({"docs": []}, "has no documents: expected one or more"),
        ({"docs": [{"doc_id": "a b"}]}, "'a b' is no id of a document: expected a text without"),
        ({"docs": [{"doc_id": ""}]}, "'' is no id of a document"),
        (
            {"docs": [{"doc_id": 3}]},
            "docs to be written, row 1: Expected `str`, got `int` - at `$.doc_id`",
        ),
        (
            {"docs": [{"doc_id": "a", "title": None}]},
            "row 1: Expected `str`, got `null` - at `$.title`",
        ),
        ({"docs": [{"doc_id": "a", "x": True}]}, "field x of docs is of type bool: expected one"),
        ({"docs": [{"doc_id": "a"}, {"id": "b"}]}, "row 2 of the docs is {'id': 'b'}: expected"),
        ({"docs": ["a"]}, "'a' has no field names: expected a data frame"),
        (
            {"docs": [{"doc_id": "a", "sentences": "X."}]},
            "Expected `array`, got `str` - at `$.sentences`",
        ),
        ({"docs": [{"title": "a"}]}, "docs lack doc_id"),
        ({"docs": [{"doc_id": "a", "docno": "b"}]}, "docs have two columns for doc_id: leave one"),
        (
            {"docs": [{"doc_id": "a", "title": "\ud800"}]},
            "row 1: expected texts that UTF-8 can hold",
        ),
        ({"docs": [{"doc_id": "a", "sentences": ["\udfff"]}]}, r"can hold, got '\udfff'"),
        ({"docs": [{"doc_id": "a", "n": 2**63}]}, "Expected `int` <= 9223372036854"),
        ({"docs": [{"doc_id": "a", "n": -(2**70)}]}, "Expected `int` >= -92233720"),
        ({"docs": [{"doc_id": "a", "x": float("nan")}]}, "Expected `float`"),
        ({"docs": [{"doc_id": "a", "x": float("inf")}]}, "Expected `float` <= 1.79"),
        ({"queries": [{**QUERIES[0], "qid": "r"}]}, "queries have two columns for query_id"),
        ({"queries": QUERIES * 2}, "duplicate query q"),
        ({"queries": [{"query_id": "q", "text": "?"}]}, "queries lack query"),
        ({"queries": [{**QUERIES[0], "text": "?"}]}, "queries have a field text"),
        (
            {"qrels": judged(("z", "a", 1))},
            "the unknown query 'z': expected one of the collection's 2",
        ),
        (
            {"qrels": judged(("q", "z", 1))},
            "the unknown document 'z': expected one of the collection's 3",
        ),
        ({"qrels": judged(("q", "a", 1.0))}, "Expected `int`, got `float`"),
        ({"qrels": judged(("q", "a", True))}, "Expected `int`, got `bool`"),
        ({"qrels": judged(("q", "b", 1), ("q", "c", 0), ("q", "b", 0))}, "query q and document b"),
        ({"qrels": [{**judged(("q", "a", 1))[0], "why": "x"}]}, "qrels have a field why"),
        ({"scoreddocs": judged(("q", "a", 1))}, "scoreddocs have a field relevance"),
        ({"pairs": [{"doc_id_a": "a", "doc_id_b": "z"}]}, "pairs name the unknown document 'z'"),
        ({"runs": []}, "has runs: expected queries, scoreddocs, qrels, ratings, pairs"),
    ],
)
def test_what_does_not_fit_is_refused(home, tables, said):
    """The error names kind, row, value and expectation; no file is left."""
    with pytest.raises(ValueError) as caught:
        write(**tables)
    assert said in str(caught.value)
    assert list((home / "made").iterdir()) == []


def test_a_rating_is_there_once_for_each_annotator():
    """Two annotators may rate one document, but each of them only once."""
    row = {"query_id": "q", "doc_id": "b", "annotator": "me", "rating": 1}
    write(ratings=[row, {**row, "annotator": "you"}])
    with pytest.raises(ValueError, match=r"duplicates of .* document b by annotator me"):
        write(name="y", ratings=[row, {**row, "annotator": "you"}, row])


def test_ratings_of_a_frame():
    """With one that is missing, a frame has floats and NaN for whole numbers and None."""
    frame = pd.DataFrame({"qid": "q", "docno": list("abc"), "annotator": "me"})
    found = write(ratings=frame.assign(rating=[2, None, 0]))
    assert [row.rating for row in found.ratings_iter()] == [2, None, 0]
    assert [type(row.rating) for row in found.ratings_iter()] == [int, type(None), int]
    with pytest.raises(
        ValueError, match=r"row 1: Expected `int \| null`, got `float` - at `\$\.rating`"
    ):
        write(name="y", ratings=frame.assign(rating=[0.5, None, 0]))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_numpys_values_are_plain_ones(form):
    """Scalars and arrays, as Parquet gives lists, are read as Python's."""
    row = {"doc_id": np.str_("a"), "n": np.int64(3), "x": np.float32(0.5), "t": np.array(["s"])}
    found = write([{**row, "t": list(row["t"])}, {**row, "doc_id": "b"}], more={"form": form})
    assert [tuple(doc) for doc in found.docs] == [("a", 3, 0.5, ("s",)), ("b", 3, 0.5, ("s",))]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"description": "\ud800"}, "description is"),
        ({"licence": "CC0\n\ud800"}, "licence is"),
        ({"about": {"seed": "\ud800"}}, "about is"),
        ({"about": {"seed": {1}}}, "about is"),
        ({"page": {"_": {"desc": "\udc00"}}}, "page is"),
        ({"definitions": {1: "\ud800"}}, "definitions is"),
    ],
)
def test_what_is_said_of_it_must_be_json(home, said, expected):
    """Half a surrogate pair or an object cannot be in a manifest: no file is written."""
    with pytest.raises(ValueError, match=f"^{expected} .*: expected a value that JSON"):
        write_folder(folder_of("made", "x"), DOCS, {}, **{**SAID, **said})
    assert not (home / "made" / "x").exists()


@pytest.mark.parametrize("part", ["docs.jsonl", "page.yaml", "LICENCE.txt", "x.parquet"])
def test_a_part_is_not_called_as_a_file(part):
    """A part cannot have the name of a file in the folder."""
    with pytest.raises(ValueError, match=f"part '{part}' has the name of a file: choose another"):
        write_folder(folder_of("made", "x"), DOCS, {part: {}}, **SAID)


def test_names_are_not_too_long():
    """A name that is too long for file systems raises before anything is written."""
    with pytest.raises(ValueError, match=r"'a+\.\.\.a+' is no name of a collection: .*200 at most"):
        folder_of("made", "a" * 201)
    with pytest.raises(ValueError, match="is no name of a part"):
        write_folder(folder_of("made", "x"), DOCS, {"a" * 201: {}}, **SAID)
    write_folder(folder_of("made", "a" * 200), DOCS, {"b" * 200: {"queries": QUERIES}}, **SAID)
    assert ir_datasets.load(f"made/{'a' * 200}/{'b' * 200}").queries_count() == len(QUERIES)


def test_a_link_that_leads_nowhere(home):
    """The error names the link and its target; nothing is written."""
    (home / "made").mkdir(parents=True)
    (home / "made" / "x").symlink_to(home / "gone")
    with pytest.raises(FileExistsError, match=f"made/x is a link to {home / 'gone'}, .* remove"):
        write()
    assert sorted(path.name for path in home.iterdir()) == ["made"]
    with pytest.raises(FileNotFoundError, match="no collection in"):
        ir_datasets.load("made/x")


def test_a_file_in_the_place_of_a_collection(home):
    """The file stays, and the error names it."""
    (home / "made").mkdir(parents=True)
    (home / "made" / "x").write_text("mine")
    with pytest.raises(FileExistsError, match="x exists and is no collection"):
        write(more={"overwrite": True})
    assert (home / "made" / "x").read_text() == "mine"


@pytest.mark.parametrize("key", ["description", "licence"])
def test_what_others_rely_on_must_be_said(key):
    """A collection needs a description and a licence, which are texts."""
    with pytest.raises(ValueError, match=f"{key} is 7: expected a text"):
        write(said={**SAID, key: 7})
    with pytest.raises(ValueError, match=f"{key} is empty"):
        write(said={**SAID, key: " "})


def test_another_form_is_refused():
    """The error names the two forms."""
    with pytest.raises(ValueError, match=r"Unknown form 'csv'\. Choose one of: jsonl, parquet"):
        write(more={"form": "csv"})


def test_nothing_is_overwritten_unless_asked_for():
    """With `overwrite` a collection is replaced; without it, the call raises."""
    write()
    with pytest.raises(FileExistsError, match="pass overwrite=True"):
        write(DOCS[:1])
    assert len(list(write(DOCS[:1], more={"overwrite": True}).docs)) == 1


def test_who_reads_while_it_is_overwritten_reads_on(monkeypatch):
    """A reader finishes with the old manifest; an hour later the old tables are removed."""
    old = write(qrels=judged(("q", "a", 1)))
    docs, qrels = old.docs_handler(), old.qrels_handler()
    write(DOCS[:1], more={"overwrite": True})
    assert [tuple(qrel) for qrel in qrels.qrels_iter()] == [("q", "a", 1)]
    assert [doc.doc_id for doc in docs.docs_iter()] == ["a", "b", "c"]
    assert [doc.doc_id for doc in old.docs_iter()] == ["a"]

    def versions():
        return len([path for path in folder_of("made", "x").iterdir() if path.is_dir()])

    assert versions() == 2
    write(DOCS[:2], more={"overwrite": True})
    assert versions() == 3
    monkeypatch.setattr(time, "time", lambda: time.time_ns() / 1e9 + 3_700)
    write(DOCS[:2], more={"overwrite": True})
    assert versions() == 1


def test_what_is_no_collection_is_never_overwritten(home):
    """A folder with other content stays unchanged, even with `overwrite`."""
    (home / "made" / "x").mkdir(parents=True)
    (home / "made" / "x" / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match=r"is no collection"):
        write(more={"overwrite": True})
    assert [path.name for path in (home / "made" / "x").iterdir()] == ["thesis.tex"]


def test_a_damaged_collection_is_repaired_by_writing_it_again():
    """Writing the same content again replaces the damaged file."""
    found = write(qrels=judged(("q", "a", 1)))
    (path,) = folder_of("made", "x").rglob("qrels.jsonl")
    path.write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        list(found.qrels)
    write(qrels=judged(("q", "a", 1)), more={"overwrite": True})
    assert [tuple(qrel) for qrel in found.qrels] == [("q", "a", 1)]


def test_a_full_disk(home, monkeypatch):
    """The error names the folder and the remedy, and nothing is left."""
    (home / "made").mkdir(parents=True)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot write to .*made.*IR_DATASETS_HOME"):
        write()
    assert find_leftovers(home / "made") == []


def full(handle):
    """What fsync says on a disk without room."""
    raise OSError(28, "No space left on device")


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
