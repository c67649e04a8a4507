"""Folders that are collections: whatever wrote them, from their manifest alone."""

import json
import os
import pickle

import ir_datasets
import pandas as pd
import pytest

import ir_datasets_ext
from ir_datasets_ext.local import collections, folder_of

MAIN = ("-m", "ir_datasets")


def lines(*records):
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


class ByHand:
    """A folder as somebody may write it without this package."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "judged").mkdir(parents=True)
        doc = {"doc_id": "str", "title": "str", "sentences": "list", "year": "int"}
        self.manifest = {
            "format": 1,
            "description": "Two papers",
            "licence": "CC0-1.0",
            "docs": {"file": "docs.jsonl", "fields": doc},
            "parts": {
                "": {
                    "queries": self.table("queries", query_id="str", query="str"),
                    "scoreddocs": self.table("pools", query_id="str", doc_id="str"),
                    "qrels": self.table("qrels", doc_id="str", query_id="str", relevance="int"),
                },
                "100q": {"pairs": self.table("pairs", doc_id_a="str", doc_id_b="str", n="float")},
            },
        }
        self.manifest["parts"][""]["qrels"]["definitions"] = {"2": "the same"}
        titles = {"a": "One", "b": "Two"}
        papers = [
            dict(doc_id=i, title=t, sentences=["X.", "Y."], year=9) for i, t in titles.items()
        ]
        self.write("docs", *papers)
        self.write("judged/queries", dict(query_id="q", query="which?", unused=1))
        self.write("judged/pools", dict(query_id="q", doc_id="b"), dict(query_id="q", doc_id="a"))
        self.write("judged/qrels", dict(query_id="q", doc_id="b", relevance=2))
        self.write("judged/pairs", dict(doc_id_a="a", doc_id_b="b", n=3))
        self.save()

    def table(self, name, **fields):
        """An entry of the manifest."""
        return {"file": f"judged/{name}.jsonl", "fields": fields}

    def write(self, name, *records):
        """Write a table."""
        (self.folder / f"{name}.jsonl").write_text(lines(*records))

    def save(self):
        """Write the manifest."""
        (self.folder / "collection.json").write_text(json.dumps(self.manifest))


@pytest.fixture
def by_hand(home):
    """`ByHand` as made/hand."""
    return ByHand(home / "made" / "hand")


def test_a_folder_is_a_collection(by_hand):
    """Documents, queries, pools and judgements have the fields of the manifest."""
    found = ir_datasets.load("made/hand")
    assert found.docs.lookup("b")._asdict() == {
        "doc_id": "b",
        "title": "Two",
        "sentences": ("X.", "Y."),
        "year": 9,
    }
    assert [doc.default_text() for doc in found.docs] == ["One X. Y.", "Two X. Y."]
    assert [tuple(query) for query in found.queries] == [("q", "which?")]
    assert [tuple(row) for row in found.scoreddocs] == [("q", "b", 0.0), ("q", "a", 0.0)]
    assert [tuple(row) for row in found.qrels] == [("q", "b", 2)]
    assert found.qrels.defs == {2: "the same"}
    counts = (found.docs_count(), found.queries_count(), found.scoreddocs_count())
    assert (counts, found.qrels_count()) == ((2, 1, 2), 1)


def test_a_part_shares_the_documents(by_hand):
    """`made/hand/100q` has its own pairs, and ir_datasets knows whose documents these are."""
    part = ir_datasets.load("made/hand/100q")
    assert [tuple(pair) for pair in part.pairs_iter()] == [("a", "b", 3.0)]
    assert (part.pairs_count(), part.has_queries()) == (1, False)
    assert ir_datasets.docs_parent_id("made/hand/100q") == "made/hand"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("qrels", "q 0 b 2\n"), ("queries", "q\twhich?\n"), ("scoreddocs", "q Q0 b 0 0.0 run\n")],
)
def test_export_in_a_fresh_shell(by_hand, python, kind, expected):
    """`ir_datasets export made/hand …` needs no import of ours: `scholarly.pth` is enough."""
    output, errors = python(*MAIN, "export", "made/hand", kind).communicate()
    assert output.startswith(expected), errors


def test_download_logs_have_a_place_of_their_own(home, python):
    """`ir_datasets export download-log/<name>/<part> …` reads the folder of that name."""
    log = ByHand(home / "download-log" / "ads")
    log.manifest["parts"]["100q"] = log.manifest["parts"][""]
    log.save()
    output, errors = python(*MAIN, "export", "download-log/ads/100q", "qrels").communicate()
    assert output == "q 0 b 2\n", errors


def test_datasets_and_records_are_pickled(by_hand):
    """For process pools: a dataset as its id, a record as its fields."""
    found = ir_datasets.load("made/hand")
    doc = found.docs.lookup("a")
    assert pickle.loads(pickle.dumps(found)).dataset_id() == "made/hand"
    assert pickle.loads(pickle.dumps(doc)) == doc


def test_pyterrier_reads_it(by_hand):
    """Topics have the column `query`, results are the pools, judgements have `label`."""
    import pyterrier as pt

    found = pt.get_dataset("irds:made/hand")
    assert found.get_topics().to_dict("records") == [{"qid": "q", "query": "which?"}]
    assert list(found.get_results()["docno"]) == ["a", "b"]
    assert list(found.get_qrels()["label"]) == [2]


def test_a_changed_folder_is_followed(by_hand):
    """A loaded dataset has the folder's present content."""
    found = ir_datasets.load("made/hand")
    assert found.has_scoreddocs()
    del by_hand.manifest["parts"][""]["scoreddocs"]
    by_hand.write("docs", *(dict(doc_id="c", title="", sentences=[], year=0) for _ in "1"))
    by_hand.save()
    assert not found.has_scoreddocs()
    assert [doc.doc_id for doc in found.docs] == ["c"]
    by_hand.manifest["docs"]["fields"] = {"title": "str", "doc_id": "str"}
    by_hand.save()
    assert [doc._asdict() for doc in found.docs] == [{"title": "", "doc_id": "c"}]


def test_nothing_is_built_in_the_folder(by_hand):
    """The store of documents is outside the folder, which people share."""
    before = sorted(by_hand.folder.rglob("*"))
    ir_datasets.load("made/hand").docs_store()
    assert sorted(by_hand.folder.rglob("*")) == before
    assert (by_hand.folder.parents[1] / ".stores" / "made" / "hand.sqlite").is_file()


@pytest.mark.parametrize("name", ["..", ".hidden", "a/../b", "a\nb", "", "-x", "ä"])
def test_names_lead_nowhere_else(by_hand, name):
    """Only plain names are collections or parts: no parent, no hidden folder, no line break."""
    with pytest.raises(ValueError, match="no name of a collection"):
        folder_of("made", name)
    for dataset_id in (f"made/{name}", f"made/{name}/x", f"made/hand/{name}"):
        with pytest.raises(KeyError):
            ir_datasets.load(dataset_id)


def test_a_line_break_after_the_name_is_no_name(by_hand):
    """`made/hand` with a line break is an unknown id."""
    with pytest.raises(KeyError):
        ir_datasets.load("made/hand\n")


def test_a_missing_folder(home):
    """The error names the place that was searched, and the remedy."""
    with pytest.raises(
        FileNotFoundError, match=r"home/made/none/collection.json.*IR_DATASETS_HOME"
    ):
        ir_datasets.load("made/none")


def test_a_missing_part(by_hand):
    """The error names the parts."""
    with pytest.raises(
        ValueError, match=r"Unknown part '1m' of .*made/hand, .* Choose one of: 100q"
    ):
        ir_datasets.load("made/hand/1m")


def broken(change):
    """The error of a collection whose manifest was changed."""

    def error(by_hand):
        change(by_hand.manifest)
        by_hand.save()
        with pytest.raises(ValueError) as caught:
            ir_datasets.load("made/hand")
        assert str(caught.value).startswith(str(by_hand.folder / "collection.json"))
        assert "Restore a copy of its folder, or delete the folder" in str(caught.value)
        return str(caught.value)

    return error


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(format=2), "Invalid enum value 2 - at `$.format`"),
        (lambda m: m.pop("docs"), "Object missing required field `docs`"),
        (lambda m: m.update(licence=3), "Expected `str`, got `int` - at `$.licence`"),
        (lambda m: m["docs"]["fields"].pop("doc_id"), "docs lack doc_id"),
        (
            lambda m: m["docs"]["fields"].update(year="date"),
            "docs have a field year of type date: expected str or int or float or list",
        ),
        (
            lambda m: m["docs"]["fields"].update(title="int"),
            "a field title of type int: expected str",
        ),
        (
            lambda m: m["docs"]["fields"].update(__class__="str"),
            "cannot start with an underscore: '__class__'",
        ),
        (lambda m: m["docs"].update(file=None), "Expected `str`, got `null` - at `$.docs.file`"),
        (
            lambda m: m["parts"][""]["qrels"].update(definitions={"two": "x"}),
            "Expected `int`, got `str`",
        ),
        (
            lambda m: m["parts"][""].update(runs=m["docs"]),
            "unknown table runs: expected docs, queries, sco",
        ),
    ],
)
def test_a_damaged_manifest(by_hand, change, said):
    """The error names the file, what is wrong in it, what was expected, and the remedy."""
    assert said in broken(change)(by_hand)


def test_a_page(by_hand):
    """Its texts go before the usual ones, by part; one of another content is an error."""
    path = by_hand.folder / "page.yaml"
    path.write_text("_: {bibtex: '@misc{x}'}\n100q: {desc: mined}\n")
    by_hand.manifest["page"] = "page.yaml"
    by_hand.save()
    texts = ir_datasets.load("made/hand").documentation()
    assert (texts["bibtex"], texts["desc"]) == ("@misc{x}", "<p>Two papers</p>")
    assert ir_datasets.load("made/hand/100q").documentation()["desc"] == "mined"
    for content in ("a: [", "- a", "[" * 3000, "\0"):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"(?s)page\.yaml: .*delete the folder and write"):
            ir_datasets.load("made/hand").documentation()


def test_a_manifest_that_is_no_json(by_hand):
    """A truncated manifest is an error."""
    path = by_hand.folder / "collection.json"
    path.write_text(path.read_text()[:40])
    with pytest.raises(ValueError, match=r"collection\.json: .*truncated.* delete"):
        ir_datasets.load("made/hand")


@pytest.mark.parametrize("text", ["[" * 99_999, "\0", "7"])
def test_one_damaged_manifest_does_not_stop_the_listing(by_hand, text):
    """The listing shows its error, and all other collections."""
    other = by_hand.folder.parent / "other"
    other.mkdir()
    (other / "collection.json").write_text(text)
    found = {found.path.name: found for found in collections()}
    assert found["hand"].ids == ("made/hand", "made/hand/100q")
    assert found["other"].error.startswith(f"{other / 'collection.json'}: ")
    assert "delete the folder and write the collection again" in found["other"].error


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ('{"query_id": "q", "doc_id": "b", "relevance": 1.5}', "Expected `int`, got `float`"),
        ('{"query_id": "q", "doc_id": "b"}', "Object missing required field `relevance`"),
        ('{"query_id": "q", "doc_', "truncated"),
        ('{"query_id": 3, "doc_id": "b", "relevance": 1}', "Expected `str`, got `int`"),
    ],
)
def test_a_damaged_record(by_hand, record, said):
    """The error names the file and the number of the record."""
    path = by_hand.folder / "judged" / "qrels.jsonl"
    path.write_text(path.read_text() + record)
    with pytest.raises(ValueError, match=r"qrels\.jsonl, line 2.* delete the folder and") as caught:
        list(ir_datasets.load("made/hand").qrels)
    assert said in str(caught.value)


def test_a_missing_file(by_hand):
    """The error names the missing file."""
    path = by_hand.folder / "judged" / "qrels.jsonl"
    os.remove(path)
    with pytest.raises(ValueError, match=f"{path}: FileNotFoundError.* delete"):
        list(ir_datasets.load("made/hand").qrels)


@pytest.mark.parametrize("table", ["docs", "qrels"])
def test_a_file_that_is_not_as_vouched_for(by_hand, table):
    """A file with another hash than the manifest's is never read."""
    tables = {"docs": by_hand.manifest["docs"], **by_hand.manifest["parts"][""]}
    tables[table]["sha256"] = "0" * 64
    by_hand.save()
    with pytest.raises(ValueError, match=f"damaged or was edited: expected sha256 {'0' * 64}, got"):
        list(getattr(ir_datasets.load("made/hand"), table))


def test_collections_lists_what_there_is(by_hand):
    """Each folder once, with its datasets' ids; a damaged one with its error."""
    (by_hand.folder.parent / "half").mkdir()
    (by_hand.folder.parent / ".half.1234.tmp").mkdir()
    half, hand = sorted(collections(), key=lambda found: found.path)
    assert (hand.ids, hand.error) == (("made/hand", "made/hand/100q"), "")
    assert (half.ids, half.manifest) == ((), None)
    assert "no collection in" in half.error


def test_the_pattern_is_registered_once():
    """Registering again adds nothing."""
    before = len(ir_datasets.registry._patterns)
    ir_datasets_ext.register()
    assert len(ir_datasets.registry._patterns) == before


def test_a_score_that_is_not_finite(by_hand):
    """JSON has none, but Parquet may: it is an error."""
    pools = pd.DataFrame({"query_id": ["q"], "doc_id": ["b"], "score": [float("inf")]})
    pools.to_parquet(by_hand.folder / "judged" / "pools.parquet")
    table = by_hand.manifest["parts"][""]["scoreddocs"]
    table["file"] = "judged/pools.parquet"
    table["fields"]["score"] = "float"
    by_hand.save()
    with pytest.raises(ValueError, match=r"pools\.parquet: ValidationError: Expected `float` <= "):
        list(ir_datasets.load("made/hand").scoreddocs_iter())


def test_a_mistyped_name_is_corrected(by_hand):
    """The error names the nearest collection on this machine, and none for another word."""
    with pytest.raises(FileNotFoundError, match=r"Did you mean 'hand'\? Write it"):
        ir_datasets.load("made/hnad")
    with pytest.raises(FileNotFoundError, match=r"is missing\. Write it"):
        ir_datasets.load("made/quite-another")
