"""CSFCube's datasets over a small release of its layout, right and wrong."""

import json

import ir_datasets
import pytest

from ir_datasets_ext.files import DownloadError

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")
METHOD, POOL = "test-pid2anns-csfcube-method.json", "test-pid2pool-csfcube.json"
SPLITS, QUERIES = "evaluation_splits.json", "queries-release.csv"
ABSTRACTS = "abstracts-csfcube-preds.jsonl"
HEADER = "pid,facet,year,title,paper type\n"


def test_a_paper(files):
    """Sentences and labels stay side by side; the text is the sentences; `_label` goes."""
    doc = next(ir_datasets.load("csfcube").docs_iter())
    assert doc.doc_id == "1"
    assert doc.sentences == ("back of 1.", "obje of 1.", "meth of 1.")
    assert doc.labels == ("background", "objective", "method")
    assert doc.default_text() == "Title 1 back of 1. obje of 1. meth of 1."
    assert (doc.year, doc.authors, doc.venue, doc.doi) == (2001, (), "", "")


def test_what_else_a_paper_may_have(files):
    """Authors are texts or parts; a year or venue of null is 0 or empty; so may the abstract be."""
    parts = {"first": "Ada", "middle": ["K."], "last": "Lovelace", "suffix": ""}
    metadata = {"year": None, "venue": None, "doi": "10.1/x", "authors": ["Alan Turing", parts]}
    files.papers(1, metadata=metadata, abstract=[], pred_labels=[])
    (doc,) = ir_datasets.load("csfcube").docs_iter()
    assert doc.authors == ("Alan Turing", "Ada K. Lovelace")
    assert (doc.year, doc.venue, doc.doi, doc.text) == (0, "", "10.1/x", "")


def test_queries_of_a_facet(load):
    """They are in the file's order, under the papers' ids; the text is the facet's sentences."""
    queries = list(load("method").queries_iter())
    assert [query.query_id for query in queries] == ["2", "1"]
    query = queries[1]
    assert query.query == query.default_text() == "meth of 1."
    assert (query.paper_title, query.paper_year, query.paper_type) == ("Title 1", 1999, "resources")
    assert queries[0].paper_year == 0  # as the table of query papers has it
    (query,) = load("background").queries_iter()  # which the table of query papers lacks
    assert query.query_sentences == ("back of 2.", "obje of 2.")
    assert (query.paper_year, query.paper_type) == (2002, "")


def test_queries_by_id(load):
    """They are found in the order asked for; an unknown id is named."""
    second, first = load("method").queries_iter()
    store = load("method").queries_store()
    assert list(store.get_many_iter(["1", "3", "2"])) == [first, second]
    with pytest.raises(KeyError, match="3"):
        store.get("3")


def test_judgements_without_the_paper_itself(load):
    """Paper 1 lists itself with relevance 3: it is a candidate in the released pools alone."""
    judged = [("2", "1", 3), ("2", "3", 2), ("2", "7", 0), ("1", "2", 2), ("1", "3", 0)]
    assert [tuple(qrel) for qrel in load("method").qrels_iter()] == judged
    candidates = [(query, doc, 0.0) for query, doc, _ in judged]
    assert [tuple(doc) for doc in load("method").scoreddocs_iter()] == candidates
    released = {(qrel.query_id, qrel.doc_id) for qrel in load("with-query-paper").qrels_iter()}
    assert ("1_method", "1") in released


def test_ratings(load):
    """The pair of a paper and itself, missing ratings (-1), and None for who did not rate."""
    assert [tuple(rating) for rating in load("method").ratings_iter()][3:] == [
        ("1", "1", 3, 3, 3, 3, None, 3, None),
        ("1", "2", 2, 2, 2, 2, None, 2, None),
        ("1", "3", 0, 1, -1, 1, None, -1, None),
    ]


def test_pool_sources_belong_to_the_bare_collection(files):
    """There is a record for each paper of a pool, judged or not."""
    sources = ir_datasets.load("csfcube").pool_sources_iter()
    assert [tuple(source) for source in sources] == [
        ("1", "2", ("cited",)),
        ("1", "9", ("specter", "cited")),
    ]


@pytest.mark.parametrize(("below", "ids"), [("fold1/dev", ["2"]), ("fold1/test", ["1"])])
def test_splits_cut_everything_alike(load, below, ids):
    """Queries, judgements, candidates and ratings of a split are those of its queries."""
    split, whole = load(f"method/{below}"), load("method")
    assert [query.query_id for query in split.queries_iter()] == ids
    assert [query.query_id for query in load(f"all/{below}").queries_iter()] == [f"{ids[0]}_method"]
    for kind in ("qrels", "scoreddocs", "ratings"):
        records = getattr(whole, f"{kind}_iter")()
        expected = [record for record in records if record.query_id in ids]
        assert list(getattr(split, f"{kind}_iter")()) == expected


def test_counts_are_those_of_the_files(load):
    """With downloaded files, counts are those of the files, not those of the release."""
    method = load("method")
    assert (method.queries_count(), method.qrels_count(), method.scoreddocs_count()) == (2, 5, 5)
    assert load("all/fold1/dev").queries_count() == 1


@pytest.mark.parametrize("kind", ["queries", "qrels", "scoreddocs", "ratings"])
def test_an_empty_split_is_an_error(load, kind):
    """The release has some pairs in each split."""
    with pytest.raises(
        ValueError, match=r"splits\.json .*annotations, from which csfcube/method/fold2/dev"
    ):
        list(getattr(load("method/fold2/dev"), f"{kind}_iter")())


def test_a_split_of_unknown_pairs_is_an_error(load, files):
    """A split that names pairs without annotations raises."""
    split = {f"fold{fold}_{part}": ["5_method"] for fold in (1, 2) for part in ("dev", "test")}
    files.write(SPLITS, dict.fromkeys(("background", "method", "result", "all"), split))
    with pytest.raises(ValueError, match=r"splits\.json: .*fold1_dev of method has 5_method, wh"):
        list(load("method/fold1/dev").qrels_iter())


def test_a_query_paper_without_abstract_is_an_error(load, files):
    """The error names the paper; judgements need no abstracts."""
    files.papers(1, 3)
    with pytest.raises(ValueError, match=r"abstracts-csfcube-preds\.jsonl lacks 2, .* query paper"):
        list(load("method").queries_iter())
    assert load("method").qrels_count() == 5


def test_bare_csfcube_says_where_queries_are(files):
    """The error for missing queries names the datasets that have some."""
    for bare_id in ("csfcube", "csfcube/s2orc"):
        bare = ir_datasets.load(bare_id)
        for read in (bare.queries_iter, bare.queries_store):
            with pytest.raises(NotImplementedError, match=f"{bare_id}/background.*{bare_id}/all"):
                read()
        assert bare.queries_count() is None


RATED = {"cands": ["2", "3"], "relevance_adju": [1, 0]}
RATED |= {"relevance_max": [1, 0], "relevance_min": [1, -1], "relevance_ann2": [1, -1]}


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"relevance_adju": [1, "3"]}, r"`int`, got `str` - at `\$\.relevance_adju\[1\]`"),
        ({"relevance_adju": [99, 1]}, "`int` <= 3 "),
        ({"relevance_adju": [1, -1]}, "`int` >= 0 "),
        ({"relevance_ann2": [1, -2]}, "`int` >= -1 "),
        ({"relevance_ann2": [1]}, r"expected lists of one length, got the lengths \[1, 2\]"),
        ({"cands": [2, "3"]}, "`str`, got `int` "),
        ({"cands": "23"}, "`array`, got `str` "),
    ],
)
def test_wrong_annotations(files, load, columns, problem, refused):
    """Grades are 0 to 3, ratings of single annotators -1 to 3, ids texts; columns equally long.

    The error names the query paper.
    """
    files.annotate("method", {"1": {**RATED, **columns}})
    refused(
        load("method").qrels_iter,
        files.folder / METHOD,
        rf", entry 1: ValidationError: .*{problem}.*",
    )


PAPER = {"paper_id": "4", "title": "T", "abstract": ["S."], "pred_labels": ["method_label"]}
PAPER = {**PAPER, "metadata": {"year": 1999}}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({**PAPER, "abstract": 3}, "Expected `array`, got `int` - at `$.abstract`"),
        ({**PAPER, "abstract": ["S."] * 3}, "expected lists of one length, got the lengths [1, 3]"),
        ({**PAPER, "paper_id": 4}, "Expected `str`, got `int` - at `$.paper_id`"),
        (
            {**PAPER, "metadata": {"year": "late"}},
            r"Expected `str` matching regex '^[0-9]{0,4}\\Z' - at `$.metadata.year`",
        ),
        ([], "Expected `object`, got `array`"),
        ("\n", "Input data was truncated"),
        (json.dumps(PAPER)[:-9], "Input data was truncated"),
    ],
)
def test_wrong_abstracts(files, load, line, problem, refused):
    """The error has the line and the field of the paper."""
    path = files.folder / ABSTRACTS
    path.write_text(path.read_text() + (line if isinstance(line, str) else json.dumps(line)))
    kind = "DecodeError" if "truncated" in problem else "ValidationError"
    refused(load("method").docs_iter, path, f", line 5: {kind}: {problem}")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            POOL,
            '{"1": {"cands": ["2"], "cand_source": [["a"], ["b"]]}}',
            "expected lists of one length",
        ),
        (POOL, '{"1": {', "DecodeError: Input data was truncated"),
        (SPLITS, '{"result": {}}', "expected fold1_dev of method, got none"),
        (SPLITS, '{"method": {}}', "expected fold1_dev of method, got none"),
        (SPLITS, '{"method": {"fold1_dev": [7]}}', "Expected `str`, got `int`"),
        (QUERIES, "pid,facet,year,title\n1,method,1999,T\n", "KeyError: 'paper type'"),
        (QUERIES, f"{HEADER}1,method,late,T,x\n", r"invalid literal for int\(\) .*'late'"),
        (QUERIES, f"{HEADER}1,method,1999\n", "Expected `str`, got `null`"),
        (QUERIES, f"{HEADER}1,method,1999,Über,x\n".encode("latin-1"), "'utf-8' codec can't"),
    ],
)
def test_other_wrong_files(files, load, name, content, problem):
    """The error names the file and what is wrong in it."""
    (files.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    read = {
        POOL: ir_datasets.load("csfcube").pool_sources_iter,
        SPLITS: load("method/fold1/dev").qrels_iter,
        QUERIES: load("method").queries_iter,
    }[name]
    with pytest.raises(ValueError, match=f"{name}.*: .*{problem}.*Correct the file"):
        list(read())


def test_a_missing_file_of_splits_is_downloaded(files, load, offline):
    """Without a network the error is that of the download, which says how to do it by hand."""
    (files.folder / SPLITS).unlink()
    with pytest.raises(DownloadError, match=f"{SPLITS} could not be downloaded.*put it at"):
        list(load("method/fold1/dev").qrels_iter())
