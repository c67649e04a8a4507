"""DORIS-MAE's file: documents and what they cite, annotations, and what may be wrong with it."""

import io
import json
import tracemalloc
import warnings

import ir_datasets
import pytest
from ir_datasets.commands.export import JsonlExporter

from ir_datasets_ext.files import DownloadError, hash_file

pytestmark = pytest.mark.filterwarnings("ignore:.*is built again. its files have changed")


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


def put(doris, section, number, **fields):
    """Change an entry of a list; a field with the value ... is removed."""
    entry = {**doris.content[section][number], **fields}
    doris.content[section][number] = {k: v for k, v in entry.items() if v is not ...}
    doris.write()


def test_documents(doris):
    """By abstract_id, not by position; all fields; what is null is empty."""
    put(doris, "Corpus", 2, title=None, url=None, categories=None)
    five, _, nine, _ = load().docs_iter()
    categories, citations = ("cs.LG", "cs.CV"), ("286749", "7", "7")
    url = "http://arxiv.org/abs/5"
    mask = "Abstract."
    first_fields = ("5", "Five", "Abstract five.", url, categories, citations)
    assert five == (*first_fields, mask, "cs.LG", "f5", ("7",))
    assert nine == ("9", "", "Abstract nine.", "", (), (), mask, "", "f9", ())
    assert five.default_text() == "Five Abstract five."
    assert nine.default_text() == "Abstract nine."
    assert load("test").docs_store().get("28674").title == "Long"


def test_categories_in_one_string(doris):
    """As arXiv gives them: apart by blanks."""
    put(doris, "Corpus", 0, categories="cs.LG stat.ML")
    assert next(load().docs_iter()).categories == ("cs.LG", "stat.ML")


def test_annotations(doris):
    """Each with its reply and score, in the file's order, from any dataset of the collection."""
    put(doris, "Annotation", 1, gpt_response="It is on dogs. I AGREE.")
    put(doris, "Annotation", 2, gpt_response=...)
    found = list(load("dev").annotations_iter())
    assert found[:3] == [
        ("10", "7", "", 2),
        ("11", "7", "It is on dogs. I AGREE.", 1),
        ("12", "7", "", 2),
    ]
    assert [row.score for row in found] == [row["score"] for row in doris.content["Annotation"]]


def test_annotations_are_not_in_memory_at_once(doris):
    """Of replies of 10 MB, an eighth is in memory at a time."""
    doris.content["Annotation"] += [{**doris.content["Annotation"][0], "gpt_response": "x" * 1000}]
    doris.content["Annotation"] += doris.content["Annotation"][-1:] * 9_999
    doris.write()
    with pytest.warns(UserWarning, match="10000 annotations repeat a pair"):
        load().docs_count()
    tracemalloc.start()
    assert sum(len(row.reply) for row in load().annotations_iter()) == 10_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000


def test_citations(doris):
    """Abstract ids, or Semantic Scholar's; each once, in order, and only what is in the corpus."""
    dataset = load("dev")
    assert dataset.citations("5") == ("7",)  # 286749 is no abstract, though 28674 is
    assert dataset.citations("7") == ("9", "5")  # f9 and 5; f0 is nobody
    assert dataset.citations("9") == ()
    with pytest.raises(KeyError, match="6"):
        dataset.citations("6")


def test_a_replaced_file_is_followed(doris):
    """All parts are those of the file that is there; queries are derived once until it changes."""
    first = list(load().queries_iter())
    assert all(query is again for query, again in zip(first, load().queries_iter(), strict=True))
    assert load().citations("9") == ()
    doris.content["Query"].pop()
    doris.content["Corpus"].append({**doris.content["Corpus"][0], "abstract_id": 6})
    put(doris, "Corpus", 2, outgoing_citations=[5])
    assert (load().docs_count(), load().queries_count(), load().qrels_count()) == (5, 1, 3)
    assert load().citations("9") == ("5",)


@pytest.mark.parametrize(
    ("below", "kind"),
    [("", "docs"), ("", "queries"), ("/aspects", "queries"), ("", "annotations")],
)
def test_every_field_is_exported(doris, below, kind):
    """The exporter leaves out fields of types that it does not know: none of these."""
    dataset, file = ir_datasets.load(f"doris-mae{below}"), io.StringIO()
    record = next(getattr(dataset, f"{kind}_iter")())
    JsonlExporter(getattr(dataset, f"{kind}_cls")(), file).next(record)
    assert json.loads(file.getvalue()) == json.loads(json.dumps(record._asdict()))


def test_texts_are_strings_for_pyterrier():
    """text_loader() keeps fields whose annotation is `str` itself."""
    fields = load().docs_cls().__annotations__
    assert fields["text"] is fields["title"] is str


def test_the_order_of_the_sections_does_not_matter(doris):
    """Nor do inner objects with keys of their names."""
    before = list(load().qrels_iter()), list(load("human").qrels_iter())
    about = {"Annotation": 5, "Query": "Annotation", "Corpus": None}
    doris.content = {"about": about, **dict(reversed(doris.content.items()))}
    doris.write()
    assert (list(load().qrels_iter()), list(load("human").qrels_iter())) == before


def test_numbers_as_aspect_ids_and_repeated_candidates(doris):
    """An annotation may name its aspect by a number; a pool is a set, in the order of the file."""
    put(doris, "Annotation", 0, aspect_id=10)
    put(doris, "Query", 1, candidate_pool=[9, 5, 9])
    assert next(q.relevance for q in load().qrels_iter() if q.doc_id == "7") == 6
    assert [c.doc_id for c in load("test").scoreddocs_iter()] == ["9", "5"]


def test_repeated_annotations(doris):
    """They add up in a total: 6 (2 + 1 + 2 + 0 + 1), and 1. An aspect has the highest score."""
    again = [{**row, "score": score} for row, score in zip(doris.content["Annotation"], (0, 1))]
    doris.content["Annotation"] += again
    doris.write()
    with pytest.warns(UserWarning, match="2 annotations repeat a pair .* add up"):
        totals = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in load().qrels_iter()}
    assert totals["0", "7"] == 6 + 0 + 1
    scores = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in load("aspects").qrels_iter()}
    assert (scores["10", "7"], scores["11", "7"]) == (2, 1)


def test_an_empty_pool_is_warned_of_once(doris):
    """The query stays, without judgements and candidates. Opened again, the file is silent."""
    put(doris, "Query", 1, candidate_pool=[])
    with pytest.warns(UserWarning, match="1 of 2 queries have no candidate pool"):
        assert load().queries_count() == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {qrel.query_id for qrel in load().qrels_iter()} == {"0"}
        assert {candidate.query_id for candidate in load().scoreddocs_iter()} == {"0"}
        assert load("test").queries_count() == 1
    for read in (load("test").qrels_iter, load("test").scoreddocs_iter):
        with pytest.raises(ValueError, match="expected queries of this part with candidate pools"):
            list(read())


def test_queries_without_maps_of_sentences_have_no_subqueries(doris):
    """They are warned of; if no query has one, asking for sub-queries is an error."""
    put(doris, "Query", 0, sent2aspect_id={}, aspect_id2sent={})
    with pytest.warns(UserWarning, match="1 of 2 queries do not map their sentences"):
        ids = [query.query_id for query in load("subqueries-2").queries_iter()]
    assert ids == ["1_14_15"]

    put(doris, "Query", 1, sent2aspect_id={}, aspect_id2sent={})
    with pytest.warns(UserWarning, match="2 of 2 queries do not map their sentences"):
        assert load().queries_count() == 2
    with pytest.raises(ValueError, match="expected queries that map sentences to 2 aspects"):
        load("subqueries-2").queries_count()


def test_nothing_is_read_before_there_is_a_file(home, offline):
    """Counts are the release's where they are known, or unknown; nothing is made or fetched."""
    for below in ("", "dev", "subqueries-2", "aspects", "human"):
        assert load(below).docs_count() == 363_133
        assert "CC BY-NC 4.0" in load(below).documentation()["data_access"]
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


def test_without_file_and_zenodo(home, offline):
    """The error says how to do it by hand."""
    place = home / "doris-mae" / "DORIS-MAE_dataset_v1.json"
    with pytest.raises(DownloadError, match=rf"records/8299749 in a browser.*put it at {place}"):
        load().docs_iter()


def test_downloaded_and_verified(doris, world):
    """From a server that answers as Zenodo does, without a word of warning."""
    content, name = doris.path.read_bytes(), doris.path.name
    checksum = f"md5:{hash_file(doris.path, 'md5')}"
    doris.path.unlink()
    entry = {"key": name, "checksum": checksum, "links": {"self": world.url("/content")}}
    world.pages["/api/records/8299749"] = json.dumps({"files": [entry]}).encode()
    world.pages["/content"] = content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(load("dev").qrels_iter())) == 3
    assert [path for path, _ in world.requests] == ["/api/records/8299749", "/content"]


@pytest.mark.parametrize(
    "change",
    [
        *(
            lambda content, keep=keep: content[: int(keep * len(content))]
            for keep in (0, 0.5, 0.99)
        ),
        lambda content: b"<html>403</html>",
        lambda content: b'{"Corpus": []}',
        lambda content: content + b" and more",
        lambda content: content.replace(b'"Seven"', b'"Sev\xffn"'),
    ],
)
def test_another_file_is_named(doris, change):
    """A file that is truncated, or has another content: the error has its name and the remedy."""
    doris.path.write_bytes(change(doris.path.read_bytes()))
    with pytest.raises(ValueError, match=r"v1\.json.*: .*delete it to download"):
        load().docs_iter()
    assert not list((doris.folder.parent / ".stores").glob("*.sqlite"))


@pytest.mark.parametrize(
    ("section", "number", "fields", "problem"),
    [
        ("Annotation", 2, {"score": 3}, "Annotation entry 3: .*`int` <= 2"),
        ("Annotation", 2, {"score": "1"}, "Annotation entry 3: .*Expected `int`, got `str`"),
        ("Annotation", 1, {"score": ...}, "Annotation entry 2: .*required field `score`"),
        ("Query", 1, {"candidate_pool": [9, 6]}, "has the unknown abstract_id '6'"),
        ("Query", 1, {"candidate_pool": 9}, r"at `\$.Query\[1\].candidate_pool`"),
        ("Query", 1, {"query_text": ...}, "missing required field `query_text`"),
        ("Corpus", 1, {"abstract_id": ...}, "Corpus entry 2: .*required field `abstract_id`"),
        ("Corpus", 1, {"abstract_id": 5}, "the id '5' is there twice in docs"),
        ("Corpus", 1, {"categories": ["cs.LG", 3]}, r"Corpus entry 2: .*`\$.categories\[1\]`"),
    ],
)
def test_a_wrong_entry_is_named(doris, section, number, fields, problem):
    """Entries are counted from 1 in their list; nothing is left of what was being built."""
    put(doris, section, number, **fields)
    with pytest.raises(ValueError, match=problem):
        load().qrels_count()
    assert not list((doris.folder.parent / ".stores").glob("*.sqlite"))
