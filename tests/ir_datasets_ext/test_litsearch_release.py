"""LitSearch's files, whole and damaged, and subsets of questions, on a release written by hand."""

import shutil
from itertools import product
from pathlib import Path

import ir_datasets
import pyarrow
import pytest
from pyarrow import parquet

from ir_datasets_ext.files import DownloadError

QUERIES = "query/full-00000-of-00001.parquet"
SHARDS = [f"corpus_clean/full-0000{number}-of-00006.parquet" for number in range(6)]
TEXT = "Text " * 900

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*is not the release's file", "ignore:.*is built again. its files have changed"
)


class Files:
    """A release of six papers, one per file, under the release's paths.

    Paper 7 cites 8, 99 (which is no paper of the release) and 7.
    """

    def __init__(self, folder):
        self.folder = folder
        for number, name in enumerate(SHARDS):
            self.papers(name, [paper(7 + number, citations=[[8, 99, 7], None][number > 0])])
        first = {"query_set": "inline_acl", "query": "Who?", "quality": 2, "specificity": 0}
        second = {"query_set": "manual_iclr", "query": "What?", "quality": 1, "specificity": 1}
        self.write(QUERIES, [{**first, "corpusids": [7, 12]}, {**second, "corpusids": [9]}])

    def write(self, name, rows):
        """Write rows to a file of that path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)

    def papers(self, name, rows):
        """Write papers to a file, with the release's columns in another order and one more."""
        self.write(name, [{"more": 1, **dict(sorted(row.items()))} for row in rows])

    def change(self, name, change):
        """Replace the bytes of a file by what a function makes of them."""
        path = self.folder / name
        path.write_bytes(change(path.read_bytes()))

    def spoil(self, name, column):
        """Overwrite what a file has in one column, and nothing else."""
        group = parquet.ParquetFile(self.folder / name).metadata.row_group(0)
        chunks = [group.column(number) for number in range(group.num_columns)]
        (chunk,) = [chunk for chunk in chunks if chunk.path_in_schema == column]
        start, size = chunk.dictionary_page_offset, chunk.total_compressed_size
        self.change(
            name, lambda content: content[:start] + b"\xff" * size + content[start + size :]
        )


def paper(number, title="Title", abstract="Abstract", citations=(), full_paper=TEXT):
    """A row of a paper."""
    named = {"corpusid": number, "title": title, "abstract": abstract}
    cited = None if citations is None else list(citations)
    return {**named, "citations": cited, "full_paper": full_paper}


@pytest.fixture
def files(home):
    """`Files` in this test's home."""
    return Files(home / "litsearch")


@pytest.fixture
def light():
    """The documents without full texts."""
    return ir_datasets.load("litsearch")


@pytest.fixture
def full():
    """The documents with full texts."""
    return ir_datasets.load("litsearch/full-text")


def built(files):
    """The stores that were built."""
    return {path.name for path in (files.folder.parent / ".stores").glob("*.sqlite")}


def test_records(files, light, full):
    """Ids are strings, citations are as listed, and each record says its text."""
    document = light.docs_store().get("7")
    assert document == ("7", "Title", "Abstract", ("8", "99", "7"))
    assert document.default_text() == "Title Abstract"
    assert full.docs_store().get("7").default_text() == f"Title Abstract {TEXT}"
    questions = list(light.queries_iter())
    assert questions[0] == ("0", "Who?", "inline_acl", "broad", 2)
    assert questions[1] == ("1", "What?", "manual_iclr", "specific", 1)
    assert list(light.qrels_iter()) == [("0", "7", 1), ("0", "12", 1), ("1", "9", 1)]


def test_empty_and_repeated_texts_survive(files, light, full):
    """Papers without title, abstract, citations or text are there, and so are equal ones."""
    empty = paper(8, title="", abstract="", full_paper="")
    missing = paper(9, title=None, abstract=None, citations=None, full_paper=None)
    files.papers(SHARDS[1], [paper(21), empty, paper(20)])
    files.papers(SHARDS[2], [missing])
    documents = list(light.docs_iter()[1:5])
    same = ("Title", "Abstract", ())
    assert documents == [("21", *same), ("8", "", "", ()), ("20", *same), ("9", "", "", ())]
    full_texts = [document.full_text for document in full.docs_iter()[1:5]]
    assert full_texts == [TEXT, "", TEXT, ""]


def test_many_rows_are_read_in_order(files, light):
    """Batches of a file, and files one after the other, keep the release's order."""
    files.papers(SHARDS[0], [paper(1000 + number) for number in range(1000)])
    ids = [document.doc_id for document in light.docs_iter()]
    assert ids == [*(str(1000 + number) for number in range(1000)), "8", "9", "10", "11", "12"]


@pytest.mark.parametrize("below", ["", "/author", "/full-text"])
def test_citations(files, below):
    """As listed, with papers that are not in the collection, and those of the present files."""
    dataset = ir_datasets.load(f"litsearch{below}")
    assert dataset.citations("7") == ("8", "99", "7")
    assert dataset.citations("8") == ()
    with pytest.raises(KeyError, match="99"):
        dataset.citations("99")
    files.papers(SHARDS[0], [paper(7, citations=[1, 1])])
    assert dataset.citations("7") == ("1", "1")


def test_full_texts_are_not_decoded_for_titles_and_abstracts(files, light, full):
    """A column of full texts that cannot be read hinders those alone who want it."""
    files.spoil(SHARDS[3], "full_paper")
    assert light.docs_count() == 6
    with pytest.raises(ValueError, match=r"(?s)00003-of-00006\.parquet: .*delete it to download"):
        full.docs_count()
    assert built(files) == {"litsearch.sqlite"}


@pytest.mark.parametrize("size", [0, 3, 100, -100, -1])
def test_a_truncated_file_is_an_error(files, light, size):
    """A rest of any length is an error, and no store is left."""
    files.change(SHARDS[5], lambda content: content[:size])
    with pytest.raises(ValueError, match=r"(?s)00005-of-00006\.parquet: .*delete it to download"):
        light.docs_iter()
    assert built(files) == set()


@pytest.mark.parametrize("name", [QUERIES, SHARDS[0]])
def test_another_file_of_that_name_is_an_error(files, light, name):
    """The error for a file that is no Parquet, or has other columns, names it."""
    files.change(name, lambda _: b"<html>")
    with pytest.raises(ValueError, match=f"{name}: .*delete it to download"):
        list(light.docs_iter()), list(light.queries_iter())
    files.write(name, [{"corpusid": 1, "query": "Who?", "specificity": 0}])
    with pytest.raises(ValueError, match=f"{name}: .*(title|query_set).*delete it to download"):
        list(light.docs_iter()), list(light.queries_iter())


def test_a_repeated_paper_is_an_error(files, light):
    """The error names the id, and the files."""
    files.papers(SHARDS[3], [paper(7)])
    with pytest.raises(ValueError, match=r"parquet \(and 5 more files\): the id '7' is there tw"):
        light.docs_count()


def test_files_are_downloaded_when_something_is_read(files, light, world, home):
    """Questions need their file alone; documents need the six. A wrong download is not kept."""
    shutil.rmtree(home / "litsearch" / "corpus_clean")
    assert len(list(light.queries_iter())) == 2
    with pytest.raises(DownloadError, match=rf"{SHARDS[0]} could not be downloaded.*put it at"):
        light.docs_store()
    requested_paths = {path for path, _ in world.requests}
    assert {Path(path).name for path in requested_paths} == {Path(SHARDS[0]).name}

    world.pages[requested_paths.pop()] = b"another file"
    with pytest.raises(DownloadError, match="is not the release's file: expected sha256 f0477a38"):
        light.docs_store()
    assert not list((home / "litsearch" / "corpus_clean").glob("*.parquet"))


def test_files_put_there_by_hand_are_warned_of_and_used(files, light):
    """Each of the six is named, the last with the remark that its hash is uncertain."""
    with pytest.warns(UserWarning, match="is not the release's file") as caught:
        light.docs_count()
    texts = [str(warning.message) for warning in caught]
    named = [name for name in SHARDS if any(name in text for text in texts)]
    uncertain = [name for name in SHARDS if any(name in t and "uncertain" in t for t in texts)]
    assert (named, uncertain) == (SHARDS, SHARDS[5:])


SETS = {
    "inline_acl": {"inline", "inline-acl"},
    "inline_nonacl": {"inline", "inline-nonacl"},
    "manual_acl": {"author", "author-acl2023"},
    "manual_iclr": {"author", "author-iclr2024"},
    "of another release": set(),
}
SPECIFICITY, QUALITY = ("broad", "specific"), ("quality-1", "quality-2")


def subsets():
    """The names that the ids of datasets are made of: a list of lists."""
    ids = [name.split("/") for name in ir_datasets.registry if name.startswith("litsearch")]
    return [names[1:] for names in ids if names[1:] != ["full-text"]]


def test_a_question_belongs_to_its_source_and_what_holds_that(files):
    """A set, the half it is of, its specificity, its quality: and to what all these have."""
    rows, belongs = [], []
    for name, specificity, quality in product(SETS, (0, 1), (1, 2)):
        row = {"query_set": name, "specificity": specificity, "quality": quality}
        rows.append({**row, "query": "?", "corpusids": [1]})
        belongs.append({*SETS[name], SPECIFICITY[specificity], QUALITY[quality - 1]})
    files.write(QUERIES, rows)
    for names in subsets():
        questions = ir_datasets.load("/".join(["litsearch", *names])).queries_iter()
        found = [int(question.query_id) for question in questions]
        assert found == [n for n, own in enumerate(belongs) if own.issuperset(names)], names


def test_every_combination_is_there_once():
    """All questions, and none or one name of each kind, in one order."""
    kinds = {*set().union(*SETS.values())}, {*SPECIFICITY}, {*QUALITY}
    orders = product(*([[], *([name] for name in names)] for names in kinds))
    assert sorted(subsets()) == sorted([*source, *broad, *good] for source, broad, good in orders)
    assert len(subsets()) == 63
