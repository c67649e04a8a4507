"""The file of the release: documents and what they cite, and all that can go wrong."""

import errno
import json
import os
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import ir_datasets
import pytest

from ir_datasets_ext.releases import DownloadError
from ir_datasets_ext.store import folders
from ir_datasets_ext.store.hashes import file_hash

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's",
    "ignore:.*have an empty candidate pool",
    "ignore:.*do not say which of their sentences",
)


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


def left(doris):
    """What was built; nothing lies beside the release's files."""
    assert {path.suffix for path in doris.folder.iterdir()} == {".json"}
    return {path.name for path in (doris.folder.parent / ".stores" / "doris-mae").glob("*")}


def test_documents(doris):
    """By abstract_id, not by position; all fields; what is null is empty."""
    doris.content["Corpus"][2].update({"title": None, "url": None, "categories": None})
    doris.write()
    five, _, nine, _ = load().docs_iter()
    assert five == (
        "5",
        "Five",
        "Abstract five.",
        "http://arxiv.org/abs/5",
        ("cs.LG", "cs.CV"),
        ("286749", "7", "7"),
        "Abstract.",
        "cs.LG",
        "f5",
        ("7",),
    )
    assert nine == ("9", "", "Abstract nine.", "", (), (), "Abstract.", "", "f9", ())
    assert five.default_text() == "Five Abstract five."
    assert nine.default_text() == "Abstract nine."
    assert load("test").docs_store().get("28674").title == "Long"


def test_a_store_of_fewer_fields_is_built_again(doris):
    """One that an earlier version built lacks the masked abstracts: it is not read as it is."""
    load().docs_count()
    path = doris.folder.parent / ".stores" / "doris-mae" / "docs"
    about = folders.read_folder(path)
    folders.write_manifest(
        path, {**about, "recipe": about["recipe"].replace("masked_abstract", "")}
    )
    assert [doc.masked_abstract for doc in load().docs_iter()] == ["Abstract."] * 4
    assert folders.read_folder(path)["recipe"] == about["recipe"]


def test_annotations(doris):
    """Each with its reply and score, in the file's order, from any dataset of the collection."""
    doris.content["Annotation"][1]["gpt_response"] = "It is on dogs. I AGREE."
    del doris.content["Annotation"][2]["gpt_response"]
    doris.write()
    found = list(load("dev").annotations_iter())
    assert found[:3] == [
        ("10", "7", "", 2),
        ("11", "7", "It is on dogs. I AGREE.", 1),
        ("12", "7", "", 2),
    ]
    assert [row.score for row in found] == [row["score"] for row in doris.content["Annotation"]]
    assert load().annotations_cls()._fields == ("aspect_id", "abstract_id", "reply", "score")


def test_annotations_are_checked_first(doris):
    """One of an unknown abstract is named, none is given out."""
    doris.content["Annotation"][9]["abstract_id"] = 6
    doris.write()
    with pytest.raises(ValueError, match=r"annotation 9, abstract_id: .*, got '6'"):
        next(load().annotations_iter())


def test_categories_in_one_string(doris):
    """As arXiv gives them: apart by blanks."""
    doris.content["Corpus"][0]["categories"] = "cs.LG stat.ML"
    doris.write()
    assert next(load().docs_iter()).categories == ("cs.LG", "stat.ML")


def test_citations(doris):
    """Abstract ids, or Semantic Scholar's; each once, in order, and only what is in the corpus."""
    dataset = load("dev")
    assert dataset.citations("5") == ("7",)  # 286749 is no abstract, though 28674 is
    assert dataset.citations("7") == ("9", "5")  # f9 and 5; f0 is nobody
    assert dataset.citations("9") == ()
    with pytest.raises(KeyError, match="6"):
        dataset.citations("6")


def test_citations_follow_a_replaced_file(doris):
    """What was kept open is left when the file changes."""
    assert load().citations("9") == ()
    doris.content["Corpus"][2]["outgoing_citations"] = [5]
    doris.write()
    assert load().citations("9") == ("5",)


def test_a_replaced_file_is_followed(doris):
    """Queries and judgements are those of the file that is there, as the documents are."""
    assert (load().docs_count(), load().queries_count(), load().qrels_count()) == (4, 2, 5)
    doris.content["Query"].pop()
    doris.content["Corpus"].append({**doris.content["Corpus"][0], "abstract_id": 6})
    doris.write()
    assert (load().docs_count(), load().queries_count(), load().qrels_count()) == (5, 1, 3)


def test_nothing_is_counted_before_there_is_a_file(home, offline):
    """Counts are the release's where they are known, or unknown; nothing is made or fetched."""
    for below in ("", "dev", "subqueries-2", "aspects", "human"):
        assert load(below).docs_count() == 363_133
    assert [load(below).queries_count() for below in ("", "dev", "test")] == [100, 40, 60]
    assert [load(f"{v}subqueries-2").queries_count() for v in ("", "v0/")] == [1003, 426]
    assert load("human").qrels_count() == load("human/annotator-2").scoreddocs_count() == 250
    assert load("dev").qrels_count() is None
    assert not (home / "doris-mae").exists()


def test_the_first_release_has_a_file_of_its_own(doris):
    """doris-mae/v0 reads DORIS_MAE_dataset_v0.json, and leaves the other alone."""
    first = {**doris.content, "Query": doris.content["Query"][:1]}
    (doris.folder / "DORIS_MAE_dataset_v0.json").write_text(json.dumps(first))
    assert [load(below).queries_count() for below in ("", "v0", "v0/subqueries-2")] == [2, 1, 1]
    assert load("v0/human").qrels_count() == 3
    assert left(doris) == {"docs", "docs-v0"}


def test_without_file_and_zenodo(home, offline):
    """The error says how to do it by hand."""
    place = home / "doris-mae" / "DORIS-MAE_dataset_v1.json"
    with pytest.raises(DownloadError, match=rf"records/8299749 in a browser.*move it to {place}"):
        load().docs_iter()


def test_downloaded_and_verified(doris, world):
    """From a server that answers as Zenodo does, without a word of warning."""
    content, name = doris.path.read_bytes(), doris.path.name
    checksum = f"md5:{file_hash(doris.path, 'md5')}"
    doris.path.unlink()
    entry = {"key": name, "checksum": checksum, "links": {"self": world.url("/content")}}
    world.pages["/api/records/8299749"] = json.dumps({"files": [entry]}).encode()
    world.pages["/content"] = content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(load("dev").qrels_iter())) == 3
    assert [path for path, _ in world.requests] == ["/api/records/8299749", "/content"]


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_named(doris, keep):
    """Wherever it ends, the error has the file and what to do, and nothing is left."""
    text = doris.path.read_text()
    doris.write(text[: int(keep * len(text))])
    with pytest.raises(ValueError, match=r"v1\.json: expected JSON.*delete it"):
        load().docs_iter()
    assert left(doris) == set()


@pytest.mark.parametrize("text", ["", "<html>403</html>", "[]", "{}", '{"Corpus": []}'])
def test_another_file_is_named(doris, text):
    """A web page, or JSON of another shape."""
    doris.path.write_text(text)
    with pytest.raises(ValueError, match=r"DORIS-MAE_dataset_v1\.json"):
        load().docs_iter()
    assert left(doris) == set()


def test_more_behind_the_end_is_named(doris):
    """What follows the object is no part of the release."""
    doris.write(f"{doris.path.read_text()} and more")
    with pytest.raises(ValueError, match=r"v1\.json: expected JSON.*delete it"):
        load().docs_iter()


def test_a_corrupted_middle_is_named(doris):
    """One byte that is wrong is found."""
    doris.path.write_bytes(doris.path.read_bytes().replace(b'"Seven"', b'"Sev\xffn"'))
    with pytest.raises(ValueError, match=r"v1\.json: expected JSON.*invalid bytes in UTF8"):
        load().docs_iter()


@pytest.mark.parametrize("name", ["contents.json", "ss_ids.json", "docs.entries"])
def test_a_lost_part_is_built_again(doris, name):
    """What was built and lost a file is not read by halves: a warning names it."""
    load().docs_count()
    (doris.folder.parent / ".stores" / "doris-mae" / "docs" / name).unlink()
    with pytest.warns(UserWarning, match=rf"{name} cannot be read.*docs is built again"):
        assert len(list(load().qrels_iter())) == 5
    assert load().citations("7") == ("9", "5")


@pytest.mark.parametrize("name", ["docs.entries", "contents.json", "manifest.json"])
def test_a_disk_that_fills_up(doris, monkeypatch, name):
    """While documents, all else or the record are written: the remedy, and nothing is left."""
    replace = os.replace

    def no_room(old, new):
        if Path(new).name == name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_room)
        with pytest.raises(OSError, match=r"cannot write to .*doris-mae: No space.*IR_DATASETS_HO"):
            load().docs_count()
    assert left(doris) == set()
    assert load().docs_count() == 4


@contextmanager
def somebody():
    """Give up the right to write everywhere that root has."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def read_only(doris, monkeypatch):
    """A function that takes away the right to write to a home, a copy that all can read."""
    home = Path(tempfile.mkdtemp())
    shutil.copytree(doris.folder, home / "doris-mae")
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))

    def close():
        for path in (home, *home.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)

    yield close
    for path in (home, *home.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(home)


def test_a_home_that_cannot_be_written(read_only):
    """Building raises an error with the remedy."""
    read_only()
    with somebody(), pytest.raises(OSError, match=r"cannot write to .*doris-mae.*IR_DATASETS_HOME"):
        load().docs_count()


def test_what_is_built_serves_from_a_home_that_cannot_be_written(read_only):
    """Documents, queries and judgements are read from it."""
    load().docs_count()
    read_only()
    with somebody():
        assert (load().docs_count(), load().queries_count(), load().qrels_count()) == (4, 2, 5)
        assert load().citations("7") == ("9", "5")
