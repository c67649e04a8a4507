"""What pool methods share."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.collect import pool_overlap


def test_csfcubes_pools(csfcube_home):
    """Shares as counted in the release's file: candidates of one method, of two, to all seven."""
    found = pool_overlap("csfcube")
    assert found.counts["methods"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    shares = (100 * found.counts["share"]).round(1).tolist()
    assert shares == [42.8, 34.4, 14.6, 5.4, 2.1, 0.6, 0.2]
    assert found.counts["candidates"].sum() == 3885
    # each of the seven draws k of each pool: 33 of 7 pools, 12 of 27
    assert found.methods["drawn"].tolist() == [7 * 33 + 27 * 12] * 7
    assert found.methods["alone"].sum() == found.counts["candidates"][0]


def test_pools_by_hand():
    """Cited papers are skipped; a duplicate source counts once."""
    sources = [("a",), ("b", "a"), ("b", "b"), ("cited", "a", "b")]
    found = pool_overlap(pd.DataFrame({"qid": "q", "docno": list("wxyz"), "sources": sources}))
    assert found.counts.to_numpy().tolist() == [[1, 2, 2 / 3], [2, 1, 1 / 3]]
    assert found.methods.to_numpy().tolist() == [["a", 2, 1, 1], ["b", 2, 2, 1]]
    assert found.shared.to_numpy().tolist() == [[2, 1], [1, 2]]


def test_pools_without_methods():
    """Pools of cited papers only, and a dataset without sources, are errors."""
    with pytest.raises(ValueError, match="no candidate has a source other than 'cited'"):
        pool_overlap(pd.DataFrame({"qid": ["q"], "docno": ["d"], "sources": [("cited",)]}))
    with pytest.raises(ValueError, match="has no sources of its pools"):
        pool_overlap("litsearch")


@pytest.mark.parametrize("missing", ["qid", "docno", "sources"])
def test_pools_without_a_column(missing):
    """The missing column is named, and where such a frame comes from."""
    pools = pd.DataFrame({"qid": ["q"], "docno": ["d"], "sources": [("a",)]})
    with pytest.raises(pt.validate.InputValidationError, match=missing) as caught:
        pool_overlap(pools.drop(columns=missing))
    assert "make_pools returns these columns" in str(caught.value)


@pytest.mark.parametrize("sources", ["ab", 5, (), ("a", 5)])
def test_sources_that_are_no_names(sources):
    """Letters of a text are no systems."""
    pools = pd.DataFrame({"qid": ["q"], "docno": ["d"], "sources": [sources]})
    with pytest.raises(ValueError, match=r"Column 'sources' must hold a list .* docno d"):
        pool_overlap(pools)
