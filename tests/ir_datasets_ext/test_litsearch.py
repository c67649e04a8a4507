"""LitSearch as released: every record against the files themselves, read without our readers."""

import ir_datasets
import ir_measures
import pytest
from pyarrow import parquet

pytestmark = [
    pytest.mark.usefixtures("litsearch_home"),
    pytest.mark.filterwarnings("ignore:.*is not the release's file"),
]
MAIN = "import sys, ir_datasets_ext, ir_datasets\nir_datasets.main(sys.argv[1:])"

#: dataset -> questions, as the paper's Sections 2.1 to 2.4 and the release have it
QUESTIONS = {
    "": 597,
    "broad": 155,
    "specific": 442,
    "inline": 351,
    "author": 246,
    "inline-acl": 98,
    "inline-nonacl": 253,
    "author-acl2023": 155,
    "author-iclr2024": 91,
    "inline/broad": 120,
    "inline/specific": 231,
    "author/broad": 35,
    "author/specific": 211,
    "inline-acl/broad": 32,
    "inline-acl/specific": 66,
    "inline-nonacl/broad": 88,
    "inline-nonacl/specific": 165,
    "author-acl2023/broad": 25,
    "author-acl2023/specific": 130,
    "author-iclr2024/broad": 10,
    "author-iclr2024/specific": 81,
    "quality-1": 294,
    "quality-2": 303,
    "full-text": 597,
}


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"litsearch/{below}".rstrip("/"))


def ours():
    """The ids of all our datasets."""
    return [name for name in ir_datasets.registry if name.split("/")[0] == "litsearch"]


@pytest.fixture(scope="module")
def rows(data):
    """The rows of the file of questions."""
    return parquet.read_table(data("litsearch", "query")).to_pylist()


@pytest.fixture(scope="module")
def papers(data):
    """The rows of the files of papers, in their order."""
    files = sorted(data("litsearch", "corpus_clean").iterdir())
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


@pytest.mark.parametrize("below", QUESTIONS)
def test_counts_of_questions(below):
    """As many as the paper says, whether counted or iterated."""
    dataset = load(below)
    assert dataset.queries_count() == len(list(dataset.queries_iter())) == QUESTIONS[below]


def test_counts_of_judgements():
    """639 positives; 563 questions have one, 29 two, 3 three, 1 four and 1 five."""
    dataset = load()
    assert dataset.qrels_count() == len(list(dataset.qrels_iter())) == 639
    sought = dataset.qrels_dict()
    sizes = [len(papers) for papers in sought.values()]
    assert {size: sizes.count(size) for size in range(1, 6)} == {1: 563, 2: 29, 3: 3, 4: 1, 5: 1}
    assert len({doc_id for papers in sought.values() for doc_id in papers}) == 574


def test_papers_per_question():
    """The release's averages per source and specificity, to the three decimals known."""
    averages = {
        "inline/broad": "1.208",
        "inline/specific": "1.069",
        "author/broad": "1.029",
        "author/specific": "1.000",
    }
    for below, average in averages.items():
        dataset = load(below)
        assert f"{dataset.qrels_count() / dataset.queries_count():.3f}" == average


def test_metadata_is_what_the_files_say():
    """Counts that are known without any file are those of the release, in every dataset."""
    for dataset_id in ours():
        dataset = ir_datasets.load(dataset_id)
        metadata = dataset.metadata()
        assert metadata["docs"]["count"] == 64183
        assert metadata["queries"]["count"] == dataset.queries_count()
        assert metadata["qrels"]["count"] == dataset.qrels_count()


def test_metadata_answers_where_no_file_is(home, monkeypatch):
    """Before a download the counts are the release's, and asking for them makes no folder."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    dataset = load("inline/broad")
    assert (dataset.docs_count(), dataset.queries_count(), dataset.qrels_count()) == (
        64183,
        120,
        145,
    )
    assert not (home / "litsearch").exists()


def test_every_question(rows):
    """The row number is the id; fields are the row's, with words for specificity."""
    words = {0: "broad", 1: "specific"}
    for number, (question, row) in enumerate(zip(load().queries_iter(), rows, strict=True)):
        assert question.query_id == str(number)
        assert question.query == question.default_text() == row["query"]
        assert question.query_set == row["query_set"]
        assert question.specificity == words[row["specificity"]]
        assert question.quality == row["quality"]


def test_every_judgement(rows):
    """1 for each paper of each row, in the file's order, nothing else."""
    expected = [
        (str(number), str(paper), 1)
        for number, row in enumerate(rows)
        for paper in row["corpusids"]
    ]
    assert [tuple(qrel) for qrel in load().qrels_iter()] == expected
    assert [tuple(qrel) for qrel in load("full-text").qrels_iter()] == expected


def test_every_document(papers):
    """The papers at hand in the files' order, texts as they are."""
    documents = list(load("author/broad").docs_iter())
    assert len(documents) == load().docs_count() == 459
    for document, row in zip(documents, papers, strict=True):
        assert document == (str(row["corpusid"]), row["title"], row["abstract"], ())
        assert document.default_text() == f"{row['title']} {row['abstract']}"


def test_a_subset_s_questions_are_those_of_all_its_names():
    """An id of several names has the questions and judgements that each alone has in common."""
    alone = {
        name: {question.query_id for question in load(name).queries_iter()}
        for name in QUESTIONS
        if name and "/" not in name
    }
    for dataset_id in ours():
        names = dataset_id.split("/")[1:]
        every = {question.query_id for question in load().queries_iter()}
        expected = every.intersection(*(alone[name] for name in names))
        dataset = ir_datasets.load(dataset_id)
        assert {question.query_id for question in dataset.queries_iter()} == expected
        assert {qrel.query_id for qrel in dataset.qrels_iter()} == expected != set()


def test_ids_come_in_one_order(python):
    """`ir_datasets list` shows each combination once: source, then specificity, then quality."""
    output, _ = python(MAIN, "list").communicate()
    listed = [line for line in output.splitlines() if line.split("/")[0] == "litsearch"]
    sources = {name.split("-")[0] for name in ("inline", "author")}
    order = [
        {*sources, "inline-acl", "inline-nonacl", "author-acl2023", "author-iclr2024"},
        {"broad", "specific"},
        {"quality-1", "quality-2"},
    ]
    places = [
        [next(place for place, names in enumerate(order) if name in names) for name in parts]
        for parts in (line.split("/")[1:] for line in listed if line != "litsearch/full-text")
    ]
    assert all(place == sorted(set(place)) for place in places)
    assert len(listed) == len(set(listed)) == (6 + 1) * (2 + 1) * (2 + 1) + 1


def test_qrels_are_exported_as_trec(python, rows):
    """Four columns: question, 0, paper, 1."""
    output, _ = python(MAIN, "export", "litsearch", "qrels").communicate()
    lines = [line.split(" ") for line in output.splitlines()]
    assert lines[0] == ["0", "0", str(rows[0]["corpusids"][0]), "1"]
    assert len(lines) == 639
    assert {(len(line), line[1], line[3]) for line in lines} == {(4, "0", "1")}


def test_look_ups_in_a_shell(python, rows, papers):
    """Questions and papers are found by id; an unknown id is an error."""
    wanted = ("--fields", "query_id", "quality", "-q", "596", "597")
    output, errors = python(MAIN, "lookup", "litsearch", *wanted).communicate()
    assert output == f"596\t{rows[596]['quality']}\n"
    assert "query_id 597 not found" in errors
    last = str(papers[-1]["corpusid"])
    output, _ = python(MAIN, "lookup", "litsearch", "--fields", "title", "--", last).communicate()
    assert output == papers[-1]["title"] + "\n"


def test_kinds_and_namespaces():
    """Subsets share the collection's documents; full texts are documents of their own."""
    dataset = load("inline/specific/quality-1")
    assert dataset.docs_namespace() == dataset.queries_namespace() == "litsearch"
    assert dataset.docs_lang() == dataset.queries_lang() == "en"
    assert dataset.qrels_defs().keys() == {1}
    assert not dataset.has_scoreddocs()
    assert ir_datasets.docs_parent_id("litsearch/inline/specific/quality-1") == "litsearch"
    assert ir_datasets.docs_parent_id("litsearch/full-text") == "litsearch/full-text"
    assert ir_datasets.qrels_parent_id("litsearch/full-text") == "litsearch"


def test_full_texts_that_the_files_lack_are_an_error():
    """No paper at hand has one: its documents cannot be read, its questions can."""
    full = load("full-text")
    said = r"full-00000.* \(and 5 more files\), full_paper: expected a value .* 459 .*, got none"
    for read in (full.docs_iter, full.docs_count, full.docs_store):
        with pytest.raises(ValueError, match=said):
            read()
    assert full.queries_count() == 597


def test_citations_that_the_files_lack_are_an_error():
    """A graph without an edge would be taken for one of papers that cite nobody."""
    doc_id = next(load().docs_iter()).doc_id
    with pytest.raises(ValueError, match=r"citations: expected a value in some of 459 documents"):
        load().citations(doc_id)


def test_every_dataset_is_documented():
    """Each has a name and a text of its own, made of those of the names in its id."""
    texts = {dataset_id: ir_datasets.load(dataset_id).documentation() for dataset_id in ours()}
    names = {text["pretty_name"] for text in texts.values()}
    assert len(names) == len({text["desc"] for text in texts.values()}) == len(texts) == 64
    assert texts["litsearch"]["pretty_name"] == "LitSearch"
    assert texts["litsearch/inline/broad"]["pretty_name"] == "LitSearch, inline citations, broad"
    assert texts["litsearch/inline/broad"]["desc"].startswith(texts["litsearch"]["desc"])
    assert all("ajith2024litsearch" in text["bibtex"] for text in texts.values())


#: the released code's nDCG
OWN = "LitSearchNDCG@10"


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("", ["R@5", "R@20", OWN]),
        ("inline", ["R@5", "R@20", OWN]),
        ("author/specific/quality-1", ["R@5", "R@20", OWN]),
        ("inline-acl/broad/quality-2", ["R@20", OWN]),
    ],
)
def test_official_measures(below, expected):
    """The cut-offs of the paper's tables: 20 for broad questions, 5 and 20 for specific ones."""
    official = load(below).documentation()["official_measures"]
    assert [str(ir_measures.parse_measure(name)) for name in official] == expected


@pytest.mark.parametrize("below", ["broad/inline", "quality-1/broad", "full-text/broad", "manual"])
def test_other_ids_are_unknown(below):
    """Names in another order, and names of the release, are no datasets."""
    with pytest.raises(KeyError):
        load(below)
