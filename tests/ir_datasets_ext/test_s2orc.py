"""CSFCube over the 800,000 abstracts: an archive in two layouts, and wrong ones."""

import hashlib
import io
import json
import zipfile

import ir_datasets
import pytest

from ir_datasets_ext.files import DownloadError

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def make_paper(number, **fields):
    """Return a paper as the archive has it."""
    return {
        "paper_id": str(number),
        "title": f"Archived {number}",
        "abstract": ["First.", "Second."],
        "pred_labels": ["background_label", "method_label"],
        "metadata": {"year": 1990},
        **fields,
    }


def as_lines(papers):
    """Return JSON lines."""
    return "".join(json.dumps(paper) + "\n" for paper in papers)


def as_object(papers):
    """Return one object with the papers by their id, which they then need not repeat."""
    return json.dumps({paper.pop("paper_id"): paper for paper in papers}, indent=1)


def make_archive(content, name="abstracts-preds.json", extra=()):
    """Return the bytes of a zip archive with a JSON file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (name, *extra):
            archive.writestr(each, content)
    return file.getvalue()


@pytest.fixture
def place(files, offline):
    """Where the archive belongs, beside a small CSFCube; figshare does not answer."""
    return files.folder / "abstracts-preds.zip"


@pytest.mark.parametrize("layout", [as_lines, as_object])
@pytest.mark.parametrize("first", ["paper_id", "metadata", "abstract"])
def test_both_layouts_are_read(place, layout, first):
    """A paper a line, or one object of papers; whatever field a paper begins with."""
    papers = [make_paper(number) for number in (11, 12)]
    papers = [{first: paper[first], **paper} for paper in papers]
    content = layout(papers)
    place.write_bytes(make_archive(content, "x/abstracts.jsonl", ["__MACOSX/x/._a.jsonl", "x/b"]))
    docs = list(ir_datasets.load("csfcube/s2orc").docs_iter()[:2])
    assert [(doc.doc_id, doc.title, doc.year) for doc in docs] == [
        ("11", "Archived 11", 1990),
        ("12", "Archived 12", 1990),
    ]
    assert docs[0].labels == ("background", "method")


def test_the_collection(place):
    """CSFCube's own papers as they are there, in the archive's order; what it lacks at the end."""
    place.write_bytes(make_archive(as_lines(make_paper(number) for number in (11, 2, 12))))
    dataset = ir_datasets.load("csfcube/s2orc/method")
    assert dataset.docs_count() == 6
    assert [doc.doc_id for doc in dataset.docs_iter()] == ["11", "2", "12", "1", "3", "7"]
    assert dataset.docs_store().get("2").title == "Title 2"
    assert not dataset.has_scoreddocs()
    plain = ir_datasets.load("csfcube/method")
    assert list(dataset.queries_iter()) == list(plain.queries_iter())
    assert list(dataset.qrels_iter()) == list(plain.qrels_iter())
    assert ir_datasets.docs_parent_id("csfcube/s2orc/method") == "csfcube/s2orc"


def test_the_archive_is_compared_with_what_figshare_states(place, world):
    """The article names address and md5; another content is not kept."""
    content = make_archive(as_lines([make_paper(11)]))
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


LINE = as_lines([make_paper(11)])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"no archive", ": BadZipFile: .*"),
        (make_archive(LINE * 99)[:150], ": BadZipFile: .*"),
        (
            make_archive("x", "readme.txt"),
            ": ValueError: expected one .json or .jsonl file in it, got []",
        ),
        (
            make_archive("{}", extra=["b.json"]),
            ": ValueError: expected one .json or .jsonl file in it, got .*b.json.*",
        ),
        (make_archive('{"1": {"title": "T"}}'), ".*missing required field `abstract`"),
        (make_archive('{"1": [1]}'), ".*Expected `object`, got `array`.*"),
        (make_archive('{"1": {"title": "cut'), ": DecodeError: .*"),
        (make_archive(LINE + "[]"), ", line 2: ValidationError: Expected `object`, got `array`"),
        (make_archive(LINE + LINE[:-9]), ", line 2: DecodeError: Input data was truncated"),
    ],
)
def test_wrong_archives(place, content, problem, refused):
    """The error names the archive, and the line of a paper."""
    place.write_bytes(content)
    refused(ir_datasets.load("csfcube/s2orc").docs_iter, place, problem)
