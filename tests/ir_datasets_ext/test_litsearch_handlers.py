"""What papers cite, asked of the dataset."""

import os

import ir_datasets
import pyarrow
import pytest
from pyarrow import parquet

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def write(home, cited):
    """Write six files of one paper each, 0 to 5; paper 0 cites `cited`."""
    for number in range(6):
        path = home / "litsearch" / "corpus_clean" / f"full-0000{number}-of-00006.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        row = {"corpusid": number, "title": "", "abstract": "", "full_paper": "Text"}
        row["citations"] = cited if number == 0 else [0] * number
        parquet.write_table(pyarrow.Table.from_pylist([row]), path)


@pytest.fixture
def dataset(home):
    """A subset of LitSearch with six papers."""
    write(home, [3, 77])
    return ir_datasets.load("litsearch/inline/broad")


@pytest.mark.parametrize("below", ["", "/author", "/full-text"])
def test_every_dataset_says_what_a_paper_cites(dataset, below):
    """As listed, with papers that are not in the collection, and repetitions."""
    dataset = ir_datasets.load(f"litsearch{below}")
    assert dataset.citations("0") == ("3", "77")
    assert dataset.citations("2") == ("0", "0")


def test_an_unknown_paper_is_an_error(dataset):
    """Also one that a paper of the collection cites."""
    with pytest.raises(KeyError, match="77"):
        dataset.citations("77")


def test_replaced_files_are_followed(dataset, home):
    """Citations are those of the present files."""
    assert dataset.citations("0") == ("3", "77")
    write(home, [1, 2, 4])
    assert dataset.citations("0") == ("1", "2", "4")


def test_the_store_is_opened_once(dataset):
    """A graph asks for thousands of papers: the same store has them all."""
    store = dataset.docs_store()
    assert [len(dataset.citations(str(number))) for number in range(1, 6)] == [1, 2, 3, 4, 5]
    assert dataset.docs_store() is store


def test_a_forked_process_may_read_at_the_same_time(dataset):
    """Reading moves no shared position in the file."""
    dataset.citations("1")
    child = os.fork()
    if child == 0:
        same = all(dataset.citations("5") == ("0",) * 5 for _ in range(500))
        os._exit(0 if same else 1)
    assert all(dataset.citations("4") == ("0",) * 4 for _ in range(500))
    assert os.waitpid(child, 0)[1] == 0
