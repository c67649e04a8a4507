"""Single ratings and sources of the pools."""

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


def test_ratings_are_as_the_release_has_them(load):
    """The pair of a paper and itself, missing ratings (-1), and None for who did not rate."""
    found = list(load("method").ratings_iter())
    ratings = [tuple(rating) for rating in found]
    assert ratings[3:] == [
        ("1", "1", 3, 3, 3, 3, None, 3, None),
        ("1", "2", 2, 2, 2, 2, None, 2, None),
        ("1", "3", 0, 1, -1, 1, None, -1, None),
    ]
    assert {load("method").ratings_cls()} == {type(rating) for rating in found}
    assert found[3].relevance_min == found[3].ann3 == 3


def test_pool_sources_belong_to_the_bare_collection(files):
    """One record per paper of a pool, judged or not, with its sources as a tuple."""
    bare = ir_datasets.load("csfcube")
    first, second = bare.pool_sources_iter()
    assert (first.doc_id, second.doc_id) == ("2", "9")
    assert second == ("1", "9", ("specter", "cited"))
    assert bare.pool_sources_cls() is type(second)
    assert second.sources == ("specter", "cited")
