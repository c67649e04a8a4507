"""CSFCube as released: every record against the files themselves, read without our readers."""

import csv
import io
import json
import shutil

import ir_datasets
import pytest

pytestmark = [
    pytest.mark.usefixtures("csfcube_home"),
    pytest.mark.filterwarnings("ignore:.*is not the release's file"),
]

#: dataset -> queries, judgements (the paper's Section 4 less the pair of 8781666 and itself)
COUNTS = {"background": (16, 1876), "method": (17, 2174), "result": (17, 2192), "all": (50, 6242)}
FACETS = {"background": {"background", "objective"}, "method": {"method"}, "result": {"result"}}


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"csfcube/{below}".rstrip("/"))


@pytest.fixture
def papers(csfcube_home):
    """The records of the abstracts file, by id and in its order."""
    lines = (csfcube_home / "csfcube" / "abstracts-csfcube-preds.jsonl").read_text().splitlines()
    return {record["paper_id"]: record for record in map(json.loads, lines)}


@pytest.fixture
def annotations(csfcube_home):
    """The three files of annotations, by facet."""
    name = "test-pid2anns-csfcube-{}.json"
    return {f: json.loads((csfcube_home / "csfcube" / name.format(f)).read_text()) for f in FACETS}


@pytest.fixture
def splits(csfcube_home):
    """The file of splits."""
    return json.loads((csfcube_home / "csfcube" / "evaluation_splits.json").read_text())


@pytest.mark.parametrize("facet", COUNTS)
def test_counts(facet):
    """Queries, judgements and candidates are as many as the release has."""
    queries, judgements = COUNTS[facet]
    dataset = load(facet)
    assert dataset.queries_count() == len(list(dataset.queries_iter())) == queries
    assert dataset.qrels_count() == len(list(dataset.qrels_iter())) == judgements
    assert dataset.scoreddocs_count() == len(list(dataset.scoreddocs_iter())) == judgements
    assert dataset.docs_count() == len(list(dataset.docs_iter())) == 4205


@pytest.mark.parametrize(
    ("kind", "count"), [("docs", 4205), ("queries", 17), ("qrels", 2174), ("scoreddocs", 2174)]
)
def test_export_in_a_shell(python, csfcube_home, kind, count):
    """`ir_datasets export csfcube/method ...` prints a line per record."""
    code = "import sys, ir_datasets_ext, ir_datasets\nir_datasets.main(sys.argv[1:])"
    output, errors = python(code, "export", "csfcube/method", kind).communicate()
    assert len(output.splitlines()) == count, errors


def test_qrels_are_exported_as_trec(python, csfcube_home, annotations):
    """Four columns: query, 0, document, and a relevance that is an integer from 0 to 3."""
    code = "import sys, ir_datasets_ext, ir_datasets\nir_datasets.main(sys.argv[1:])"
    output, _ = python(code, "export", "csfcube/method", "qrels").communicate()
    query, columns = next(iter(annotations["method"].items()))
    first = [query, "0", columns["cands"][0], str(columns["relevance_adju"][0])]
    rows = [line.split(" ") for line in output.splitlines()]
    assert rows[0] == first
    assert {len(row) for row in rows} == {4}
    assert {row[3] for row in rows} == {"0", "1", "2", "3"}


def test_every_document(papers):
    """All fields that the file gives, in its order; year 0 where it has none."""
    for doc, record in zip(load().docs_iter(), papers.values(), strict=True):
        assert doc.doc_id == record["paper_id"]
        assert doc.title == record["title"]
        assert list(doc.sentences) == record["abstract"]
        assert [label + "_label" for label in doc.labels] == record["pred_labels"]
        assert doc.text == " ".join(record["abstract"])
        assert doc.year == (record["metadata"]["year"] or 0)


@pytest.mark.parametrize("facet", FACETS)
def test_every_query(csfcube_home, papers, annotations, facet):
    """In the order of the annotations: the paper's sentences of the facet, its year and type."""
    table = (csfcube_home / "csfcube" / "queries-release.csv").read_text()
    rows = {(row["pid"], row["facet"]): row for row in csv.DictReader(io.StringIO(table))}
    for query, paper in zip(load(facet).queries_iter(), annotations[facet], strict=True):
        assert query.query_id == query.paper_id == paper
        record, row = papers[paper], rows[paper, facet]
        labelled = zip(record["abstract"], record["pred_labels"])
        assert list(query.query_sentences) == [
            s for s, name in labelled if name[:-6] in FACETS[facet]
        ]
        assert query.query == " ".join(query.query_sentences) != ""
        assert query.facet == facet
        assert query.paper_title == record["title"] == row["title"]
        assert (query.paper_year, query.paper_type) == (int(row["year"]), row["paper type"])


@pytest.mark.parametrize("facet", FACETS)
def test_every_judgement(annotations, facet):
    """The adjudicated ratings in the file's order, without the paper that lists itself."""
    expected = [
        (paper, candidate, relevance)
        for paper, columns in annotations[facet].items()
        for candidate, relevance in zip(columns["cands"], columns["relevance_adju"])
        if (paper, candidate) != ("8781666", "8781666")
    ]
    assert [tuple(qrel) for qrel in load(facet).qrels_iter()] == expected
    candidates = [(doc.query_id, doc.doc_id) for doc in load(facet).scoreddocs_iter()]
    assert candidates == [(paper, candidate) for paper, candidate, _ in expected]
    assert {doc.score for doc in load(facet).scoreddocs_iter()} == {0.0}


def test_the_released_pools_have_the_query_paper_too():
    """`with-query-paper` has the queries of `all`, and the two pairs of 8781666 and itself."""
    pairs = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in load("all").qrels_iter()}
    released = list(load("with-query-paper").qrels_iter())
    released_pairs = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in released}
    own_pairs = {("8781666_background", "8781666"): 3, ("8781666_result", "8781666"): 3}
    assert released_pairs == pairs | own_pairs
    assert len(released) == 6244

    candidates = load("with-query-paper").scoreddocs_iter()
    assert [(doc.query_id, doc.doc_id) for doc in candidates] == [*released_pairs]
    assert list(load("with-query-paper").queries_iter()) == list(load("all").queries_iter())
    for part in ("fold1/test", "fold2/test"):
        queries = list(load(f"with-query-paper/{part}").queries_iter())
        assert queries == list(load(f"all/{part}").queries_iter())


def test_all_is_the_facets_in_turn():
    """The same judgements under ids of paper and facet."""
    expected = [
        (f"{qrel.query_id}_{facet}", qrel.doc_id, qrel.relevance)
        for facet in FACETS
        for qrel in load(facet).qrels_iter()
    ]
    assert [tuple(qrel) for qrel in load("all").qrels_iter()] == expected


@pytest.mark.parametrize("facet", COUNTS)
@pytest.mark.parametrize("part", ["fold1_dev", "fold1_test", "fold2_dev", "fold2_test"])
def test_every_split(splits, facet, part):
    """A split has the queries that the official file names, with all their judgements."""
    dataset, whole = load(f"{facet}/{part.replace('_', '/')}"), load(facet)
    named = set(splits[facet][part])
    if facet != "all":
        named = {pair.rsplit("_", 1)[0] for pair in named}
    assert {query.query_id for query in dataset.queries_iter()} == named
    qrels = [qrel for qrel in whole.qrels_iter() if qrel.query_id in named]
    assert list(dataset.qrels_iter()) == qrels
    assert dataset.scoreddocs_count() == len(qrels)
    metadata = dataset.metadata()
    assert metadata["queries"]["count"] == dataset.queries_count() == len(named)


@pytest.mark.parametrize("below", ["background", "all", "method/fold1/test"])
def test_kinds_and_namespaces(below):
    """Splits and facets say the same of their records."""
    dataset = load(below)
    assert dataset.docs_namespace() == dataset.queries_namespace() == "csfcube"
    assert dataset.docs_lang() == dataset.queries_lang() == "en"
    assert dataset.qrels_defs().keys() == {0, 1, 2, 3}
    assert dataset.qrels_cls()._fields == ("query_id", "doc_id", "relevance")
    assert dataset.scoreddocs_cls()._fields == ("query_id", "doc_id", "score")
    assert ir_datasets.docs_parent_id(f"csfcube/{below}") == "csfcube"
    assert next(dataset.docs_iter()).default_text()
    assert next(dataset.queries_iter()).default_text()


#: what the release's guidelines count as each grade, in a few words of each facet and grade
GRADES = {
    "background": {
        3: ["specific goal", "modelling problem", "task", "specific motivation"],
        2: ["higher level", "theoretical background", "few specifics"],
        1: ["very high level", "sub-problems", "larger, specific problem"],
    },
    "method": {
        3: ["mechanisms are alike", "details of the objects"],
        2: ["mechanisms are alike", "details can merely be compared"],
        1: ["only on a high level", "very high level", "small parts", "too coarse"],
    },
    "result": {
        3: ["finding or conclusion", "opposite", "similar task"],
        2: ["in general but not in specifics", "part", "larger finding"],
        1: ["coarse or under-specified", "not salient", "coarsely related context"],
    },
}


@pytest.mark.parametrize("facet", GRADES)
def test_grades_are_those_of_the_facet(facet):
    """Each grade of a facet says what the release's guidelines count as it; splits say the same."""
    definitions = load(facet).qrels_defs()
    for grade, phrases in GRADES[facet].items():
        assert [phrase for phrase in phrases if phrase not in definitions[grade]] == [], grade
    assert definitions[0] == "unrelated"
    assert load(f"{facet}/fold1/test").qrels_defs() == definitions


def test_grades_of_all_facets_send_readers_to_the_facets():
    """No facet's definition stands for all: each has a text of its own for each grade above 0."""
    facets = [load(facet).qrels_defs() for facet in ("all", *GRADES)]
    texts = {text for definitions in facets for text in definitions.values()}
    assert len(texts) == 4 * 3 + 1
    assert "each facet defines it" in facets[0][3]


def test_ratings_are_as_the_release_has_them(annotations):
    """6,244 with the self pairs; two annotators each, of whom 17 left one rating out."""
    ratings = list(load("all").ratings_iter())
    assert len(ratings) == sum(len(q["cands"]) for f in annotations.values() for q in f.values())
    assert len(ratings) == 6244
    assert {r.query_id for r in ratings if r.query_id.startswith(r.doc_id + "_")} == {
        "8781666_background",
        "8781666_result",
    }
    single = [[r for r in rating[5:] if r is not None] for rating in ratings]
    assert {len(two) for two in single} == {2}
    assert sum(two.count(-1) for two in single) == 17
    assert all(r.relevance_min == min(two) for r, two in zip(ratings, single))
    assert next(r for r in ratings if r.query_id.endswith("_method"))[2:5] == tuple(
        next(iter(annotations["method"].values()))[f"relevance_{name}"][0]
        for name in ("adju", "max", "min")
    )


def test_pool_sources_are_a_superset_of_the_candidates():
    """Every query paper's pool has two papers more than are judged, the same two always."""
    pools = {}
    for entry in load().pool_sources_iter():
        assert entry.sources
        pools.setdefault(entry.paper_id, set()).add(entry.doc_id)
    assert len(pools) == 34
    judged = {paper: set() for paper in pools}
    for rating in load("all").ratings_iter():
        judged[rating.query_id.rsplit("_", 1)[0]].add(rating.doc_id)
    assert all(pools[paper] - judged[paper] == {"41022419", "5111924"} for paper in pools)
    known = {doc.doc_id for doc in load().docs_iter()}
    assert not {"41022419", "5111924"} & known


def test_the_abstracts_at_hand_are_warned_of_once_in_each_process(csfcube_home, python):
    """In the one that builds, and in a later one that opens what is there."""
    shutil.rmtree(csfcube_home / ".stores", ignore_errors=True)
    code = "import warnings, ir_datasets_ext, ir_datasets\nwarnings.simplefilter('always')\n"
    code += "d = ir_datasets.load('csfcube/all')\nlist(d.queries_iter()), list(d.queries_iter())"
    said = [python(code).communicate()[1] for _ in range(2)]
    assert [text.count("is not the release's file") for text in said] == [1, 1]


def test_queries_are_looked_up_by_id(python):
    """`ir_datasets lookup csfcube/method -q ID` prints the query, and says what is not there."""
    code = "import sys, ir_datasets_ext, ir_datasets\nir_datasets.main(sys.argv[1:])"
    lookup = ("lookup", "csfcube/method", "--fields", "query_id", "facet", "-q", "1198964", "0")
    output, errors = python(code, *lookup).communicate()
    assert output == "1198964\tmethod\n"
    assert "query_id 0 not found" in errors
