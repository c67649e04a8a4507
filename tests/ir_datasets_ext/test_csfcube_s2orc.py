"""CSFCube over the 800,000 abstracts: an archive in two layouts, what stands over it, bad input."""

import hashlib
import io
import json
import zipfile

import ir_datasets
import pytest

from ir_datasets_ext.releases import DownloadError

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's", "ignore:.*is not the release's file"
)


def paper(number, **fields):
    """A paper as the archive has it."""
    return {
        "paper_id": str(number),
        "title": f"Archived {number}",
        "abstract": ["First.", "Second."],
        "pred_labels": ["background_label", "method_label"],
        "metadata": {"year": 1990},
        **fields,
    }


def as_lines(papers):
    """JSON lines."""
    return "".join(json.dumps(one) + "\n" for one in papers)


def as_object(papers):
    """One object with the papers by their id, which they then need not repeat."""
    return json.dumps({one.pop("paper_id"): one for one in papers}, indent=1)


def archive(content, name="abstracts-preds.json", extra=()):
    """The bytes of a zip archive with one JSON file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(name, content)
        for other in extra:
            zipped.writestr(other, "nothing")
    return file.getvalue()


@pytest.fixture
def place(files, offline):
    """Where the archive belongs, beside a small CSFCube; figshare does not answer."""
    return files.folder / "abstracts-preds.zip"


@pytest.mark.parametrize("layout", [as_lines, as_object])
@pytest.mark.parametrize("first", ["paper_id", "metadata", "abstract"])
def test_both_layouts_are_read(place, layout, first):
    """A paper a line, or one object of papers; whatever field a paper begins with."""
    papers = [paper(number) for number in (11, 12)]
    papers = [{first: one[first], **one} for one in papers]
    place.write_bytes(archive(layout(papers), "x/abstracts.jsonl", ["__MACOSX/x/._a.jsonl", "x/"]))
    docs = list(ir_datasets.load("csfcube/s2orc").docs_iter()[:2])
    assert [(doc.doc_id, doc.title) for doc in docs] == [
        ("11", "Archived 11"),
        ("12", "Archived 12"),
    ]
    assert docs[0].labels == ("background", "method")
    assert docs[0].year == 1990


def test_the_collection(place):
    """CSFCube's own papers as they are there, in the archive's order, what it lacks at the end."""
    place.write_bytes(archive(as_lines(paper(number) for number in (11, 2, 12))))
    dataset = ir_datasets.load("csfcube/s2orc/method")
    assert dataset.docs_count() == 6
    assert [doc.doc_id for doc in dataset.docs_iter()] == ["11", "2", "12", "1", "3", "7"]
    assert dataset.docs_store().get("2").title == "Title 2"
    assert not dataset.has_scoreddocs()
    plain = ir_datasets.load("csfcube/method")
    assert list(dataset.queries_iter()) == list(plain.queries_iter())
    assert list(dataset.qrels_iter()) == list(plain.qrels_iter())
    assert ir_datasets.docs_parent_id("csfcube/s2orc/method") == "csfcube/s2orc"


def test_half_a_surrogate_pair_stops_no_archive(place):
    """A title with half a surrogate pair is read, as are all other papers."""
    place.write_bytes(archive(as_lines([paper(11), paper(13, title="\ud83d cut"), paper(12)])))
    titles = {doc.doc_id: doc.title for doc in ir_datasets.load("csfcube/s2orc").docs}
    found = [titles[doc_id] for doc_id in ("11", "13", "12")]
    assert found == ["Archived 11", "\ud83d cut", "Archived 12"]


def test_the_bare_collection_says_where_queries_are(place):
    """By ids that exist."""
    with pytest.raises(NotImplementedError, match="csfcube/s2orc/method"):
        list(ir_datasets.load("csfcube/s2orc").queries_iter())
    assert "csfcube/s2orc/method" in ir_datasets.registry


def test_the_archive_is_downloaded_and_compared_with_what_figshare_states(place, world):
    """The article names address and md5; another content is not kept."""
    content = archive(as_lines([paper(11)]))
    entry = {
        "name": "abstracts-preds.zip",
        "download_url": world.url("/files/1"),
        "computed_md5": hashlib.md5(content).hexdigest(),
    }
    world.pages["/v2/articles/14796339"] = json.dumps({"files": [entry]}).encode()
    world.pages["/files/1"] = content[:-1]
    with pytest.raises(DownloadError, match=r"14796339 in a browser, download abstracts-preds"):
        ir_datasets.load("csfcube/s2orc").docs_store()
    assert not place.exists()
    world.pages["/files/1"] = content
    assert ir_datasets.load("csfcube/s2orc").docs_store().get("11").doc_id == "11"
    assert place.read_bytes() == content


@pytest.mark.parametrize("md5", [None, "", 7])
def test_an_archive_without_a_stated_md5_is_not_downloaded(place, world, md5):
    """An archive that cannot be verified is not kept, whatever figshare states instead."""
    url = world.url("/files/1")
    entry = {"name": "abstracts-preds.zip", "download_url": url, "supplied_md5": md5}
    world.pages["/v2/articles/14796339"] = json.dumps({"files": [entry]}).encode()
    world.pages["/files/1"] = archive(as_lines([paper(11)]))
    with pytest.raises(DownloadError, match=r"expected 32 hex digits.* in a browser"):
        ir_datasets.load("csfcube/s2orc").docs_store()
    assert not place.exists()
