"""What the release holds beside its corpus: read, checked, warned of."""

import warnings

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*was not compared with the release's")


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


def put(doris, section, number, **fields):
    """Change an entry of a list."""
    doris.content[section][number].update(fields)
    doris.write()


def test_the_order_of_the_lists_does_not_matter(doris):
    """A file with its parts in reverse order gives the same."""
    before = list(load().qrels_iter()), list(load("human").qrels_iter())
    doris.content = dict(reversed(doris.content.items()))
    doris.write()
    assert (list(load().qrels_iter()), list(load("human").qrels_iter())) == before


def test_repeated_annotations_add_up(doris):
    """Of query 0, abstract 7 has 6 (2 + 1 + 2 + 0 + 1); 2 and 1 once more make 9; one warning."""
    doris.content["Annotation"] += doris.content["Annotation"][:2]
    doris.write()
    with pytest.warns(UserWarning, match="2 annotations repeat a pair .* add up") as caught:
        totals = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in load().qrels_iter()}
    assert sum("add up" in str(warning.message) for warning in caught) == 1
    assert totals["0", "7"] == 6 + 2 + 1
    scores = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in load("aspects").qrels_iter()}
    assert (scores["10", "7"], scores["11", "7"]) == (2, 1)


def test_of_two_different_scores_an_aspect_has_the_higher(doris):
    """2 and 0 add up to 2 in the query's total, and make 2 of the aspect's 0 to 2."""
    again = {**doris.content["Annotation"][0], "score": 0}
    doris.content["Annotation"] = [*doris.content["Annotation"], again]
    doris.write()
    with pytest.warns(UserWarning, match="1 annotations repeat a pair"):
        scores = [qrel for qrel in load("aspects").qrels_iter() if qrel.query_id == "10"]
    assert {qrel.doc_id: qrel.relevance for qrel in scores}["7"] == 2


def test_an_empty_pool_is_warned_of(doris):
    """The query stays, without judgements and candidates."""
    put(doris, "Query", 1, candidate_pool=[])
    with pytest.warns(UserWarning, match=r"1 of 2 queries have an empty candidate pool.*: 1$"):
        assert load().queries_count() == 2
    assert {qrel.query_id for qrel in load().qrels_iter()} == {"0"}
    assert {candidate.query_id for candidate in load().scoreddocs_iter()} == {"0"}
    assert load("test").queries_count() == 1
    for records in (load("test").qrels_iter, load("test").scoreddocs_iter):
        with pytest.raises(ValueError, match=r"expected candidate pools of its .* got none"):
            list(records())


def test_missing_sentences_are_warned_of(doris):
    """Without a word on which sentences are about what, a query has no sub-queries."""
    put(doris, "Query", 0, sent2aspect_id={}, aspect_id2sent={})
    with pytest.warns(UserWarning, match="1 of 2 queries do not map their sentences"):
        ids = [query.query_id for query in load("subqueries-2").queries_iter()]
    assert ids == ["1_14_15"]


def test_sub_queries_need_maps_of_sentences(doris):
    """A file whose queries map no sentences has no sub-queries; the error says what is missing."""
    for query in doris.content["Query"]:
        query.update(sent2aspect_id={}, aspect_id2sent={})
    doris.write()
    said = r"v1\.json: expected queries that map sentences to 2 aspects or more \(sent2aspect_id.*"
    with pytest.warns(UserWarning, match="2 of 2 queries do not map their sentences"):
        assert load().queries_count() == 2
    subqueries = load("subqueries-2")
    for ask in (subqueries.queries_iter, subqueries.queries_count, subqueries.queries_store):
        with pytest.raises(ValueError, match=f"{said} queries of doris-mae/subqueries-2 are made"):
            list(ask())


def test_warnings_come_when_something_is_built_alone(doris):
    """Opened again, the same file is silent."""
    put(doris, "Query", 1, candidate_pool=[])
    with pytest.warns(UserWarning, match="empty candidate pool"):
        load().docs_count()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load().queries_count() == 2


def test_a_repeated_candidate_counts_once(doris):
    """A pool is a set, in the order of the file."""
    put(doris, "Query", 1, candidate_pool=[9, 5, 9])
    assert [c.doc_id for c in load("test").scoreddocs_iter()] == ["9", "5"]


def test_numbers_as_aspect_ids_are_strings(doris):
    """Annotations that name an aspect by a number are of the aspect of that name."""
    put(doris, "Annotation", 0, aspect_id=10)
    assert next(q.relevance for q in load().qrels_iter() if q.doc_id == "7") == 6
