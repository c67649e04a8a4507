"""DORIS-MAE's file at hand: every record against the raw JSON, read without our readers."""

import json

import ir_datasets
import pytest

pytestmark = [
    pytest.mark.usefixtures("real_home", "offline"),
    pytest.mark.filterwarnings(
        "ignore:.*have no candidate pool",
        "ignore:.*do not map their sentences",
    ),
]
MAIN = "import sys, ir_datasets_ext, ir_datasets\nir_datasets.main(sys.argv[1:])"
TOO_LONG = {205580, 346695, 346826, 346836, 28674}


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


@pytest.fixture(scope="module")
def raw(data):
    """The file."""
    return json.loads(data("doris-mae", "DORIS-MAE_dataset_v1.json").read_text())


@pytest.fixture(scope="module")
def scores(raw):
    """The sum of the annotations' scores by aspect and abstract."""
    found = {}
    for row in raw["Annotation"]:
        pair = row["aspect_id"], row["abstract_id"]
        found[pair] = found.get(pair, 0) + row["score"]
    return found


def parts_of(query):
    """The distinct aspects and sub-aspects of a query in the file."""
    return set(query["aspects"]) | {sub for subs in query["aspects"].values() for sub in subs}


@pytest.mark.parametrize(
    ("below", "queries", "judgements"),
    [
        ("", 100, 3129),
        ("dev", 40, 3129),
        ("aspect-queries", 100, 3129),
        ("aspects", 1496, 48250),
        ("aspects/dev", 619, 48250),
    ],
)
def test_counts(below, queries, judgements):
    """What is at hand: all queries, and pools of the dev queries."""
    dataset = load(below)
    assert dataset.docs_count() == len(list(dataset.docs_iter())) == 2938
    assert dataset.queries_count() == len(list(dataset.queries_iter())) == queries
    assert dataset.qrels_count() == len(list(dataset.qrels_iter())) == judgements
    assert dataset.scoreddocs_count() == len(list(dataset.scoreddocs_iter())) == judgements


@pytest.mark.parametrize(
    ("below", "records", "missing"),
    [
        ("test", "qrels", "queries of this part with candidate pools"),
        ("test", "scoreddocs", "queries of this part with candidate pools"),
        ("aspects/test", "qrels", "queries of this part with candidate pools"),
        ("subqueries-2", "queries", "queries that map sentences to 2 aspects or more"),
        ("subqueries-3/dev", "queries", "queries that map sentences to 3 aspects or more"),
        ("human", "queries", "people's judgements"),
        ("human/annotator-2", "qrels", "people's judgements"),
    ],
)
def test_what_the_file_at_hand_has_nothing_for_is_an_error(below, records, missing):
    """It lacks pools of the test queries, sentences of aspects, and people's scores."""
    with pytest.raises(ValueError, match=f"_v1.json: expected {missing}.*, got none"):
        next(getattr(load(below), f"{records}_iter")())


@pytest.mark.parametrize("below", ["", "dev", "test", "aspects", "aspects/dev", "aspects/test"])
def test_the_known_counts_are_those_of_the_release(below):
    """All queries and aspects are at hand, so their number is the one that metadata gives."""
    dataset = load(below)
    assert dataset.metadata()["queries"]["count"] == len(list(dataset.queries_iter()))
    assert dataset.metadata()["docs"]["count"] == 363_133


def test_every_document(raw):
    """Under its abstract_id, which is not its position here."""
    for doc, entry in zip(load().docs_iter(), raw["Corpus"], strict=True):
        assert doc.doc_id == str(entry["abstract_id"])
        assert doc.text == entry["original_abstract"] == doc.default_text()
        assert (doc.title, doc.url, doc.categories, doc.citations) == ("", "", (), ())
    assert load().docs_store().get("71").text == raw["Corpus"][0]["original_abstract"]
    with pytest.raises(ValueError, match="outgoing_citations: expected a value in some of 2938"):
        load().citations("71")


def test_every_query(raw):
    """Text and aspects with their sub-aspects, by position in the file."""
    texts = raw["aspect_id2aspect"]
    for number, (query, entry) in enumerate(zip(load().queries_iter(), raw["Query"], strict=True)):
        assert query.query_id == str(number)
        assert (query.query, query.query_type) == (entry["query_text"], entry["query_type"])
        assert list(query.aspects) == [texts[aspect] for aspect in entry["aspects"]]
        assert list(query.sub_aspects) == [texts[sub] for sub in query.sub_aspect_ids]
        rebuilt = {aspect: [] for aspect in query.aspect_ids}
        for sub, at in zip(query.sub_aspect_ids, query.sub_aspect_of, strict=True):
            rebuilt[query.aspect_ids[at]].append(sub)
        assert rebuilt == entry["aspects"]


def test_every_total(raw, scores):
    """Pools, totals and |Q| as the raw file has them; the minus sign on what is too long."""
    expected = [
        (
            str(number),
            str(abstract),
            sum(scores.get((part, abstract), 0) for part in parts_of(query)),
            str(len(parts_of(query)) * (-1 if abstract in TOO_LONG else 1)),
        )
        for number, query in enumerate(raw["Query"])
        for abstract in query["candidate_pool"]
    ]
    assert [tuple(qrel) for qrel in load().qrels_iter()] == expected
    assert list(load("aspect-queries").qrels_iter()) == list(load().qrels_iter())
    pairs = [(query_id, abstract, 0.0) for query_id, abstract, *_ in expected]
    assert [tuple(candidate) for candidate in load().scoreddocs_iter()] == pairs


def test_queries_without_a_relevant_abstract():
    """Seven of the forty have none whose total reaches |Q|; one abstract is too long."""
    relevant = {query.query_id: 0 for query in load("dev").queries_iter()}
    for query_id, _, total, iteration in load("dev").qrels_iter():
        relevant[query_id] += total >= int(iteration) > 0
    none = [query_id for query_id, count in relevant.items() if not count]
    assert none == ["18", "21", "39", "40", "41", "43", "45"]
    negative = [tuple(q[:2]) for q in load().qrels_iter() if int(q.iteration) < 0]
    assert negative == [("40", "205580")]


def test_every_aspect(raw):
    """One query each, in the file's order, with the annotations' scores."""
    queries = list(load("aspects").queries_iter())
    assert {query.query_id: query.query for query in queries} == raw["aspect_id2aspect"]
    for query in queries:
        users = [n for n, entry in enumerate(raw["Query"]) if query.query_id in parts_of(entry)]
        assert query.used_by == tuple(map(str, users))
    rows = {(a["aspect_id"], str(a["abstract_id"]), a["score"]) for a in raw["Annotation"]}
    assert {tuple(qrel[:3]) for qrel in load("aspects").qrels_iter()} == rows


def test_dev_and_test_are_the_whole():
    """No query is in both, and none is missing."""
    for way in ("", "aspect-queries/"):
        parts = [query for part in ("dev", "test") for query in load(way + part).queries_iter()]
        whole = list(load(way.rstrip("/")).queries_iter())
        assert sorted(parts, key=lambda query: int(query.query_id)) == whole


def test_export_in_a_shell(python, raw, scores):
    """Four columns: query, |Q|, document, total."""
    output, errors = python(MAIN, "export", "doris-mae/dev", "qrels").communicate()
    rows = [line.split(" ") for line in output.splitlines()]
    assert len(rows) == 3129, errors
    assert {len(row) for row in rows} == {4}
    query, abstract = raw["Query"][0], raw["Query"][0]["candidate_pool"][1]
    total = sum(scores[part, abstract] for part in parts_of(query))
    assert rows[1] == ["0", str(len(parts_of(query))), str(abstract), str(total)]


def test_look_ups_in_a_shell(python, raw):
    """Documents are found by abstract_id, queries by number; an unknown id is an error."""
    wanted = ("71", "0", "--fields", "doc_id", "text")
    output, errors = python(MAIN, "lookup", "doris-mae", *wanted).communicate()
    assert output == f"71\t{raw['Corpus'][0]['original_abstract']}\n"
    output, errors = python(MAIN, "lookup", "doris-mae/dev", "-q", "0", "1").communicate()
    assert output.startswith("0\tI need to create a dataset")
    assert "query_id 1 not found" in errors


def test_pyterrier_has_topics_and_qrels(real_home, offline, raw):
    """Topics by get_topics("query"), qrels with |Q| beside them, candidates as results."""
    import pyterrier as pt

    dataset = pt.get_dataset("irds:doris-mae/dev")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    assert topics.iloc[0].tolist() == ["0", raw["Query"][0]["query_text"]]
    assert (list(topics.columns), len(topics)) == (["qid", "query"], 40)
    assert list(qrels.columns) == ["qid", "docno", "label", "iteration"]
    assert (len(qrels), qrels["iteration"].astype(int).abs().min()) == (3129, 9)
    assert len(dataset.get_results()) == 3129
