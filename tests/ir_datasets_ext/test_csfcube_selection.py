"""Which queries the facets, all of them together, and their splits have."""

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def test_all_has_the_facets_in_turn(load):
    """Ids name paper and facet: background, method, result, each in its file's order."""
    ids = ["2_background", "2_method", "1_method"]
    assert [query.query_id for query in load("all").queries_iter()] == ids
    assert list(dict.fromkeys(qrel.query_id for qrel in load("all").qrels_iter())) == ids


def pairs(records):
    """(query id, document) of each record."""
    return [(record.query_id, record.doc_id) for record in records]


@pytest.mark.parametrize(("below", "ids"), [("fold1/dev", ["2"]), ("fold1/test", ["1"])])
def test_splits_cut_everything_alike(load, below, ids):
    """Queries, judgements, candidates and ratings of a split are those of its queries."""
    split, whole = load(f"method/{below}"), load("method")
    assert [query.query_id for query in split.queries_iter()] == ids
    for records in ("qrels_iter", "scoreddocs_iter", "ratings_iter"):
        expected = [record for record in getattr(whole, records)() if record.query_id in ids]
        assert list(getattr(split, records)()) == expected


@pytest.mark.parametrize("records", ["queries", "qrels", "scoreddocs", "ratings"])
def test_what_the_files_have_nothing_for_is_an_error(load, records):
    """A split without pairs is no empty split: the release has some in each."""
    said = rf"splits.json: expected annotations of method for fold2_dev, from which {records} of "
    with pytest.raises(ValueError, match=f"{said}csfcube/method/fold2/dev are made, got none"):
        list(getattr(load("method/fold2/dev"), f"{records}_iter")())


def test_splits_of_all_go_by_paper_and_facet(load):
    """The same pair, under the id that `all` gives it."""
    assert [query.query_id for query in load("all/fold1/test").queries_iter()] == ["1_method"]
    assert pairs(load("all/fold1/test").qrels_iter()) == [("1_method", "2"), ("1_method", "3")]


def test_counts_are_what_is_there(load):
    """With downloaded files, counts are those of the files, not those of the release."""
    method = load("method")
    assert (method.queries_count(), method.qrels_count(), method.scoreddocs_count()) == (2, 5, 5)
    assert load("all/fold1/dev").queries_count() == 1


def named(pairs):
    """Splits with these pairs in fold1_dev of all facets, and nothing else."""
    split = {f"fold{fold}_{part}": [] for fold in (1, 2) for part in ("dev", "test")}
    facets = ("background", "method", "result", "all")
    return {facet: {**split, "fold1_dev": pairs} for facet in facets}


def test_a_split_of_unknown_pairs_is_an_error(load, files):
    """A split that names pairs without annotations raises."""
    files.write("evaluation_splits.json", named(["2_method", "5_method"]))
    said = "splits.json, fold1_dev of method: expected pairs that have annotations, got 5_method"
    with pytest.raises(ValueError, match=said):
        list(load("method/fold1/dev").qrels_iter())
